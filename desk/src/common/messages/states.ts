/**
 * The states of a message, which `sms.state_of` gives: one list for all pages, with their words, their colours, and what
 * was sent.
 */
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
  pending: state('Not sent yet', '尚未发送'),
  duplicate: state('Sent before', '之前已发'),
  replaced: state('Tried again later', '后来又试过'),
};

export const STATES_ZH = Object.fromEntries(
  Object.values(STATES).map(({ text, zh }) => [text, zh]),
) as Record<(typeof STATES)[State]['text'], string>;

export type State = keyof typeof STATES;
