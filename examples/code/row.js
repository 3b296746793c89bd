/** The id of the row that a report is about. The send gives it along as "phone_data". */
const rowOf = ({ phone_data }) => Number(/^sms_campaign:(\d{1,15})$/.exec(phone_data)?.[1]);
