import * as records from '../../sandbox/records';

/** A reply to the notice of a shipped order. */
export const reply = (phone: string, content: string) =>
  records.reply({
    batch_id: 'B-1',
    sms_content: 'Your order has shipped.',
    content,
    mobile: Number(phone),
  });

/** A delivery report. */
export const report = (phone_number: string, status: string) =>
  records.deliveryReport({ batch_id: 'B-1', status, status_desc: '', phone_number });
