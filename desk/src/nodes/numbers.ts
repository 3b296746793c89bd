export { isPlain } from '../../../nodes/SmsMessagingService/parameters/numbers';
