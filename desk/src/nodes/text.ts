export { countSegments, signedText } from '../../../nodes/SmsMessagingService/sending/text';
