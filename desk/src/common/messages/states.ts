/** The states of a message: one list for all pages, with their words, their colours, and what was sent. */
import { INTERRUPTED_AFTER_MS } from './outbox';
import { isReason, type Reason } from './reasons';

const state = <Text extends string>(
  text: Text,
  zh: string,
  color: 'green' | 'yellow' | 'red' | '' = '',
  isSent = false,
) => ({ text, zh, color, isSent });

/** In the order of a bar of the whole. */
export const STATES = {
  delivered: state('Delivered', '已送达', 'green', true),
  accepted: state('Accepted, no report yet', '已受理，暂无状态报告', '', true),
  sending: state('Being sent', '发送中'),
  failed: state('Not delivered', '未送达', 'red', true),
  refused: state('Refused', '被规则拦下', 'red'),
  rejected: state('Rejected by the service', '服务商拒绝', 'red'),
  unknown: state('May have been sent', '可能已发出', 'yellow'),
  opted_out: state('Opted out', '已退订', 'yellow'),
  invalid: state('Not a phone number', '号码无效', 'red'),
  waiting: state('Waits for its hour', '等待发送时段', 'yellow'),
  pending: state('To be sent', '待发送'),
  duplicate: state('Sent before', '之前已发'),
};

export const STATES_ZH = Object.fromEntries(
  Object.values(STATES).map(({ text, zh }) => [text, zh]),
) as Record<(typeof STATES)[State]['text'], string>;

export type State = keyof typeof STATES;

/** What the outbox refuses although nothing is wrong. */
const FINE: Partial<Record<Reason, State>> = {
  'The customer has opted out.': 'opted_out',
  'The customer has opted out on {day}.': 'opted_out',
  'Not sent again under the key "{key}": {reason}': 'duplicate',
};

/** Whether a report says that its message arrived. */
export function isDelivered({ status }: { status?: unknown }): boolean {
  return status === 'DELIVRD';
}

/**
 * The state of a row of sms.outbox or sms.recipients.
 * @param row `at` is when it was sent, in Unix milliseconds
 * @param report the last one that came
 */
export function stateOf(
  { status, reason, at }: { status: unknown; reason?: unknown; at: number },
  now: number,
  report?: { status?: unknown },
): State {
  if (report) return isDelivered(report) ? 'delivered' : 'failed';
  if (status === 'claimed' || status === 'sending') {
    return now - at > INTERRUPTED_AFTER_MS ? 'unknown' : 'sending';
  }
  if (status === 'refused') {
    const fine = Object.entries(FINE).find(([each]) => isReason(reason, each as Reason));
    return fine?.[1] ?? 'refused';
  }
  return Object.hasOwn(STATES, String(status)) ? (status as State) : 'unknown';
}
