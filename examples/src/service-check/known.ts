/** A path that surely exists at every service, and one that surely does not. */
export const BALANCE = '/sendsms/balance';
export const NOWHERE = '/openapi/sms-service-check/no-such-path';
