/** The data of the credential that the desk's webhooks ask their callers for. */
export const WEBHOOK_KEY = { name: 'x-webhook-key', value: 'the-webhook-key-of-the-suite' };

/** The headers of such a caller. */
export const WITH_KEY = { [WEBHOOK_KEY.name]: WEBHOOK_KEY.value };
