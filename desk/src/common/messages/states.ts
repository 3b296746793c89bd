/** The states of a message: one list for all pages, with their words, their colours, and what was sent. */
import { isReason, type Reason } from './reasons';

export const STATES_ZH = {
  Delivered: '已送达',
  'Accepted, no report yet': '已受理，暂无回执',
  'Being sent': '发送中',
  'Not delivered': '未送达',
  Refused: '被拒绝',
  'Rejected by the service': '服务商拒绝',
  'May have been sent': '可能已发出',
  'Waits for its hour': '等待发送时段',
  'To be sent': '待发送',
  'Opted out': '已退订',
  'Not a phone number': '号码无效',
  'Sent before': '之前已发',
} as const;

const state = (
  text: keyof typeof STATES_ZH,
  color: 'green' | 'yellow' | 'red' | '',
  isSent = false,
) => ({ text, color, isSent });

/** In the order of a bar of the whole. */
export const STATES = {
  delivered: state('Delivered', 'green', true),
  accepted: state('Accepted, no report yet', '', true),
  sending: state('Being sent', ''),
  failed: state('Not delivered', 'red', true),
  refused: state('Refused', 'red'),
  rejected: state('Rejected by the service', 'red'),
  unknown: state('May have been sent', 'yellow'),
  opted_out: state('Opted out', 'yellow'),
  invalid: state('Not a phone number', 'red'),
  waiting: state('Waits for its hour', 'yellow'),
  pending: state('To be sent', ''),
  duplicate: state('Sent before', ''),
};

export type State = keyof typeof STATES;

/** What is under way for longer was interrupted. */
const INTERRUPTED_AFTER_MS = 10 * 60_000;

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
 * The state of a row of sms_outbox or sms_recipients.
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
