/** In which state a campaign is, and when it is expected to end: on its page and in the list. */
import type { DateTime } from 'luxon';

import { clock, number } from '../common/text/format';
import { endOf } from './plan';
import type { Known, Shown } from './shown';
import type { Campaign } from '../common/messages/campaigns';
import { canOpen, openingOf } from '../common/messages/hours';
import type { Say } from '../../../builder/code/lang';
import { worstOf, type Line } from '../common/messages/unsent';

export const STATE_ZH = {
  draft: '草稿',
  'incomplete: a column is missing': '缺少列，不能开始',
  running: '发送中',
  'paused by you': '已手动暂停',
  'stopped by a failure': '因故障停发',
  'Nothing of the last portion was accepted: {cause}. Ten are tried at {time}; it goes on by itself when they are accepted.':
    '上一批没有一条被受理：{cause}。{time} 先试发 10 条，被受理后自动继续。',
  'The service does not answer: {cause}. It goes on by itself when it does.':
    '短信服务没有响应：{cause}。恢复后自动继续。',
  'no hour is allowed: see sms.rules': '没有允许的发送时段：见 sms.rules',
  'waits until {time}': '等待至 {time}',
  'Campaigns go from {from} to {to} o’clock.': '群发只在 {from} 点至 {to} 点发送。',
  'stopped by the balance': '余额不足，已停发',
  'The balance is {balance}; nothing is sent below {keep}.':
    '余额为 {balance}；低于 {keep} 时不发送。',
  stopped: '已停止',
  done: '已完成',
  'done, {n} not sent': '已完成，{n} 条未发送',
  'done, but for {n} to be sent': '已完成，还有 {n} 条待发',
  'Reports may still come in.': '状态报告可能还会陆续到达。',
  'not running: publish “SMS · Campaign: send”': '未运行：请发布 “SMS · Campaign: send”',
} as const;

/** A send looks every ten seconds. */
const SILENT_MS = 120_000;

export interface State {
  text: string;
  color: 'green' | 'yellow' | 'red';
  more?: string;
  /** When it is expected to end, if it goes on by itself. */
  end?: DateTime;
}

/** What the state depends on. */
export interface Facts extends Pick<Shown, 'rule' | 'balance' | 'now'> {
  campaign: Known;
}

/** How long a campaign pauses from now on, in milliseconds. */
export function waitOf({ until }: Campaign): number {
  return Math.max(0, Date.parse(until ?? '') - Date.now()) || 0;
}

/** What was not sent. What is still to be sent needs somebody if the campaign does not go on. */
export function unsentIn({ unsent }: Known, { color }: State): Line[] {
  return unsent.map((line) =>
    line.kind === 'pending' && color === 'red' ? { ...line, level: color } : line,
  );
}

/** What was not sent. What is late was. */
function worst({ unsent }: Known): ReturnType<typeof worstOf> {
  return worstOf(unsent.filter(({ kind }) => kind !== 'late'));
}

/** The states about which there is no more to say. */
const PLAIN: Partial<Record<string, [text: keyof typeof STATE_ZH, color: State['color']]>> = {
  draft: ['draft', 'yellow'],
  incomplete: ['incomplete: a column is missing', 'red'],
  paused: ['paused by you', 'yellow'],
  stopped: ['stopped', 'red'],
};

/** The state in words. */
export function stateOf(facts: Facts, say: Say<keyof typeof STATE_ZH>): State {
  const { state } = facts.campaign;
  if (state === 'running') return runningState(facts, say);
  if (state === 'done') return doneState(facts.campaign, say);
  const [text, color] = PLAIN[state ?? ''] ?? ['draft', 'yellow'];
  return { text: say(text), color };
}

function doneState(campaign: Known, say: Say<keyof typeof STATE_ZH>): State {
  if (campaign.pending > 0) {
    const n = number(campaign.pending);
    return { text: say('done, but for {n} to be sent', { n }), color: 'yellow' };
  }
  const more = say('Reports may still come in.');
  const { level, count: n } = worst(campaign);
  return level === 'plain'
    ? { text: say('done'), color: 'green', more }
    : { text: say('done, {n} not sent', { n: number(n) }), color: level, more };
}

function runningState(facts: Facts, say: Say<keyof typeof STATE_ZH>): State {
  const { campaign, rule, now } = facts;
  const { pending, pace } = campaign;
  const stop = stopOf(facts, say);
  if (stop) return { ...stop, color: 'red' };
  // With nothing to be sent, it ends by itself.
  const wait = pending > 0 ? waitOf(campaign) : 0;
  const from = now.plus(wait);
  const { today, later } = rule;
  const left = { ...rule, today: from.hasSame(now, 'day') ? today : later };
  const end = pending > 0 ? endOf(pending, pace, left, from) : undefined;
  const opening = openingOf(rule, from) ?? from;
  if (opening > now) {
    const hours = { from: rule.from_hour, to: rule.to_hour };
    return {
      text: say('waits until {time}', { time: clock(opening, now) }),
      color: 'yellow',
      more: campaign.cause || say('Campaigns go from {from} to {to} o’clock.', hours),
      end,
    };
  }
  const short = shortOf(facts, say);
  if (short) return { text: say('stopped by the balance'), color: 'red', more: short };
  return {
    text: say('running'),
    color: worst(campaign).level === 'plain' ? 'green' : 'yellow',
    end,
  };
}

/** What has to be mended, before there is anything to wait for. */
function stopOf(
  facts: Facts,
  say: Say<keyof typeof STATE_ZH>,
): Pick<State, 'text' | 'more'> | undefined {
  if (!(Date.now() - Date.parse(facts.campaign.ticked_at ?? '') < SILENT_MS))
    return { text: say('not running: publish “SMS · Campaign: send”') };
  if (!canOpen(facts.rule)) return { text: say('no hour is allowed: see sms.rules') };
  const more = failureOf(facts, say);
  return more ? { text: say('stopped by a failure'), more } : undefined;
}

/** What the balance is, if too little is left of it. */
function shortOf(
  { campaign, balance: said }: Facts,
  say: Say<keyof typeof STATE_ZH>,
): string | undefined {
  const keep = campaign.keep_balance ?? 0;
  const balance = said?.balance;
  if (typeof balance !== 'number' || balance >= keep) return undefined;
  const values = { balance: number(balance), keep: number(keep) };
  return say('The balance is {balance}; nothing is sent below {keep}.', values);
}

/** What fails, if the latest portion had no accepted message or the service does not answer. */
function failureOf(
  { campaign, rule, balance, now }: Facts,
  say: Say<keyof typeof STATE_ZH>,
): string | undefined {
  const { tries, cause, pending } = campaign;
  if (pending === 0) return undefined;
  if (tries) {
    const at = now.plus(waitOf(campaign));
    return say(
      'Nothing of the last portion was accepted: {cause}. Ten are tried at {time}; it goes on by itself when they are accepted.',
      { cause: cause ?? '', time: clock(openingOf(rule, at) ?? at, now) },
    );
  }
  if (!balance?.error) return undefined;
  return say('The service does not answer: {cause}. It goes on by itself when it does.', {
    cause: String(balance.error),
  });
}
