/** The reasons that the desk writes itself, and how a page says them. What the service says stays as it is. */
import { fill, PLACE, sayIn, type Lang, type Say } from '../../../../builder/code/lang';

/** Each reason as it is stored, in English, with its Chinese. */
export const REASONS_ZH = {
  'The customer has opted out.': '客户已退订。',
  'The customer has opted out on {day}.': '客户已于 {day} 退订。',
  'It waits until {time}.': '等待至 {time}。',
  "Messages of the class {class} go from {from} to {to} o'clock.":
    '类别 {class} 的短信只在 {from} 点至 {to} 点发送。',
  'Messages of the class {class} never go: in sms.rules no hour is from {from} to {to}.':
    '类别 {class} 的短信不会发送：sms.rules 中 {from} 点至 {to} 点没有可发送的时段。',
  'This number has had {count} {count|message|messages} of the class {class} in an hour.':
    '此号码 1 小时内已有 {count} 条类别 {class} 的短信。',
  'This number has had {count} {count|message|messages} of the class {class} in 24 hours.':
    '此号码 24 小时内已有 {count} 条类别 {class} 的短信。',
  "The day's limit of {limit} {limit|message|messages} is reached: see the table sms.rules.":
    '已达到每日限额 {limit} 条：见表 sms.rules。',
  "Of the day's limit of {limit} {limit|message|messages}, the last {kept} {kept|is|are} for codes and alarms: see the table sms.rules.":
    '每日限额 {limit} 条中，最后 {kept} 条留给验证码和告警：见表 sms.rules。',
  'Not sent, and tried again at {time}: {reason}': '未发出，{time} 再试：{reason}',
  'Not sent within a day of its hour: {reason}': '到点后一天内未能发出：{reason}',
  'Not sent again under the key "{key}": {reason}': '键 “{key}” 已使用，不再发送：{reason}',
  'the first message with it is accepted.': '该键的第一条短信已受理。',
  'the first message with it is waiting.': '该键的第一条短信在等待发送。',
  'the first message with it is being sent, or was interrupted: it may have been sent.':
    '该键的第一条短信正在发送，或已中断：可能已发出。',
  'An earlier execution was interrupted: it may have been sent.': '之前的执行中断：可能已发出。',
  'The message has no template_id, and no content.': '短信没有 template_id，也没有 content。',
  'template_id is not the ID of a template.': 'template_id 不是模板 ID。',
  'signature_id is not the ID of a signature.': 'signature_id 不是签名 ID。',
  'parameters is not an object with the parameters of the template.':
    'parameters 不是包含模板变量的对象。',
  'phone is not a list of phone numbers.': 'phone 不是手机号列表。',
  'There is no phone number.': '没有手机号。',
  '"{given}" is not a mobile number.': '“{given}”不是手机号。',
  // Of campaigns.
  'Not a phone number': '不是手机号',
  'Interrupted: it may have been sent': '已中断，可能已发出',
  'An earlier try may have sent it': '之前的尝试可能已发出',
  'The outbox could not be asked: {reason}': '无法询问发件箱：{reason}',
  'the service accepted none': '短信服务没有受理任何一条',
} as const;

export type Reason = keyof typeof REASONS_ZH;

export const reasonOf: Say<Reason> = sayIn('en', REASONS_ZH);

/** A stored reason in the language of a page, if it is one of ours. A reason may have another one in it. */
export function reasonIn(lang: Lang, reason: unknown): string {
  const stored = String(reason ?? '');
  if (lang === 'en') return stored;
  for (const [en, zh] of Object.entries(REASONS_ZH)) {
    const found = patternOf(en).exec(stored);
    if (!found) continue;
    const values: Record<string, string> = { ...found.groups };
    if (values.reason !== undefined) values.reason = reasonIn(lang, values.reason);
    return fill(zh, values);
  }
  return stored;
}

/** Whether a stored reason is this one of ours. */
export function isReason(stored: unknown, reason: Reason): boolean {
  return patternOf(reason).test(String(stored ?? ''));
}

const patterns = new Map<string, RegExp>();

/** Finds a text with any values in its places. */
function patternOf(text: string): RegExp {
  const made = patterns.get(text);
  if (made) return made;
  const literal = (part: string) => part.replace(/[^\w\s]/g, '\\$&');
  let [source, end] = ['', 0];
  for (const { 0: place, 1: name, 2: one, 3: more, index } of text.matchAll(PLACE)) {
    source += literal(text.slice(end, index));
    source += one === undefined ? `(?<${name}>.*?)` : `(?:${one}|${more})`;
    end = index + place.length;
  }
  const pattern = new RegExp(`^${source}${literal(text.slice(end))}$`, 's');
  patterns.set(text, pattern);
  return pattern;
}
