export {
  fillPlaceholders,
  findPlaceholders,
} from '../../../nodes/SmsMessagingService/service/placeholders';
