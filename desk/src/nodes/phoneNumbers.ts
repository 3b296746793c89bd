export { parsePhoneNumbers } from '../../../nodes/SmsMessagingService/parameters/phoneNumbers';
