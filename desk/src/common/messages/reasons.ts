/**
 * Why a row is as it is. A reason of the desk has a code with its values, which pages say in their language, and stands in
 * the row in English, for who reads the table. What the service or n8n says has no code, and stays as it is.
 */
import { fill, PLACE, type Lang } from '../../../../builder/code/lang';

/** Each reason in English and Chinese. Of two sentences, the first one holds whose values are there. */
const REASONS = {
  opted_out: [
    ['The customer has opted out on {day}.', '客户已于 {day} 退订。'],
    ['The customer has opted out.', '客户已退订。'],
  ],
  hours: [
    ['It waits until {time}.', '等待至 {time}。'],
    [
      "Messages of the class {class} go from {from} to {to} o'clock.",
      '类别 {class} 的短信只在 {from} 点至 {to} 点发送。',
    ],
    [
      'Messages of the class {class} never go: in sms.rules no hour is from {never} to {to}.',
      '类别 {class} 的短信不会发送：sms.rules 中 {never} 点至 {to} 点没有可发送的时段。',
    ],
  ],
  limit: [
    [
      'This number has had {count} {count|message|messages} of the class {class} in {hours} {hours|hour|hours}.',
      '此号码 {hours} 小时内已有 {count} 条类别 {class} 的短信。',
    ],
  ],
  days_limit: [
    [
      "Of the day's limit of {limit} {limit|message|messages}, the last {kept} {kept|is|are} for codes and alarms: see the table sms.rules.",
      '每日限额 {limit} 条中，最后 {kept} 条留给验证码和告警：见表 sms.rules。',
    ],
    [
      "The day's limit of {limit} {limit|message|messages} is reached: see the table sms.rules.",
      '已达到每日限额 {limit} 条：见表 sms.rules。',
    ],
  ],
  tried_again: [['Not sent, and tried again at {time}: {reason}', '未发出，{time} 再试：{reason}']],
  too_late: [['Not sent within a day of its hour: {reason}', '到点后一天内未能发出：{reason}']],
  key_used: [
    ['Not sent again under the key "{key}": {reason}', '键 “{key}” 已使用，不再发送：{reason}'],
  ],
  first_accepted: [['the first message with it is accepted.', '该键的第一条短信已受理。']],
  first_waiting: [['the first message with it is waiting.', '该键的第一条短信在等待发送。']],
  first_under_way: [
    [
      'the first message with it is being sent, or was interrupted: it may have been sent.',
      '该键的第一条短信正在发送，或已中断：可能已发出。',
    ],
  ],
  interrupted: [
    [
      'An earlier execution was interrupted: it may have been sent.',
      '之前的执行中断：可能已发出。',
    ],
  ],
  no_message: [
    ['The message has no template_id, and no content.', '短信没有 template_id，也没有 content。'],
  ],
  not_a_template: [['template_id is not the ID of a template.', 'template_id 不是模板 ID。']],
  not_a_signature: [['signature_id is not the ID of a signature.', 'signature_id 不是签名 ID。']],
  not_parameters: [
    [
      'parameters is not an object with the parameters of the template.',
      'parameters 不是包含模板变量的对象。',
    ],
  ],
  key_too_long: [['The key is longer than {most} characters.', '键超过 {most} 个字符。']],
  not_a_number: [
    ['"{given}" is not a mobile number.', '“{given}”不是手机号。'],
    ['There is no phone number.', '没有手机号。'],
  ],
  // Of campaigns.
  invalid: [['Not a phone number', '不是手机号']],
  outbox_away: [['The outbox could not be asked: {reason}', '无法询问发件箱：{reason}']],
  none_accepted: [['the service accepted none', '短信服务没有受理任何一条']],
} as const;

export type Code = keyof typeof REASONS;

/** The columns of a row with a reason. The values are JSON. Without a code, they are empty. */
export interface Why {
  reason: string;
  reason_code: string;
  reason_values: string;
}

export const WHY = ['reason', 'reason_code', 'reason_values'] as const;

/** Values of a reason, of which one may be a reason itself. */
export type Values = Record<string, string | number | Why>;

/** What the service or n8n has said: nothing, for no reason. */
export const said = (reason = ''): Why => ({ reason, reason_code: '', reason_values: '' });

/** The reason of a row or an outcome, if it has one. */
export const whyOf = ({ reason, reason_code, reason_values }: Partial<Why>): Why => ({
  reason: reason ?? '',
  reason_code: reason_code ?? '',
  reason_values: reason_values ?? '',
});

/** A reason of the desk. */
export function why(code: Code, values: Values = {}): Why {
  const named = Object.keys(values).length > 0 ? JSON.stringify(values) : '';
  return { reason: sentence('en', code, values), reason_code: code, reason_values: named };
}

/** The reason of a row, in the language of a page. */
export function reasonIn(lang: Lang, row: Partial<Record<keyof Why, unknown>>): string {
  const { reason, reason_code: code, reason_values: values } = row;
  if (!Object.hasOwn(REASONS, String(code))) return String(reason ?? '');
  return sentence(lang, code as Code, JSON.parse(String(values || '{}')) as Values);
}

function sentence(lang: Lang, code: Code, values: Values): string {
  const texts = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'object' ? reasonIn(lang, value) : value,
  ]);
  const all = REASONS[code].map((each) => each[lang === 'en' ? 0 : 1]);
  const holds = (text: string) =>
    [...text.matchAll(PLACE)].every(([, name]) => Object.hasOwn(values, String(name)));
  return fill(all.find(holds) ?? String(all.at(-1)), Object.fromEntries(texts));
}
