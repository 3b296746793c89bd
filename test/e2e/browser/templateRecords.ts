import type { DeliveryReport, Reply } from '../../sandbox/gateway';

const now = () => Math.floor(Date.now() / 1000);

/** A reply to the notice of a shipped order. */
export function reply(phone: string, content: string): Reply {
  const sms_content = 'Your order has shipped.';
  return { batch_id: 'B-1', sms_content, time: now(), ext_no: '', content, mobile: Number(phone) };
}

/** A delivery report. */
export function report(phone_number: string, status: string): DeliveryReport {
  const texts = { status_desc: '', phone_data: '', user_data: '' };
  return { time: now(), batch_id: 'B-1', status, phone_number, split_count: 1, ...texts };
}
