import { conversationIn, openedFor, outcomeOf, type Opened } from './conversation';
import { listOf } from './list';
import { addressOf, hidden, partIn, timesOf, type View } from './view';
import { errorOf } from '../common/records/days';
import { recordsIn } from '../common/records/service';
import { safe, type Markup } from '../../../builder/code/html';
import { thresholdsIn } from '../common/messages/thresholds';
import { sendable, unsentOf, unsentPanel } from '../common/messages/unsent';
import { sayIn } from '../../../builder/code/lang';
import { pageOf, type Reload } from '../../../builder/code/look';
import type { Item, N8n } from '../../../builder/code/n8n';
import { replyBox, replyLink } from './reply-box';
import { STYLE } from './style';
import { LIST, Names, read, rowName, threadsOf, type Received, type Send } from './threads';
import type { Asked } from './what-was-asked';

const ZH = {
  Conversations: '会话',
  'Last four digits of the number': '手机号后四位',
  Search: '搜索',
  'All conversations': '全部会话',
  'Enter the last four digits of a number, or a whole mobile number.':
    '请输入手机号后四位，或完整的手机号。',
  'There is no conversation with this number. The list has those that end in the same digits.':
    '没有与此号码的会话。列表显示尾号相同的号码。',
  'This message is not there any more.': '此消息已不存在。',
  'The table {table} could not be read: {reason}': '无法读取数据表 {table}：{reason}',
} as const;

/** A page, or the address where it is. */
export interface Answer {
  html: string;
  location: string;
}

/** Writes the page: the list, or a conversation with its reply box. */
export default function page({ $, $now, DateTime }: N8n): Item<Answer>[] {
  const asked = $('What was asked').first<Asked>().json;
  const sends = read<Send>($('Messages sent').all());
  const records = read<Received>($('Replies and reports').all());
  if (asked.isBad || asked.number) {
    return [{ json: { html: '', location: searched(asked, sends[0], records[0]) } }];
  }
  const view = {
    asked,
    names: new Names($('Known templates').all()),
    now: $now.toMillis(),
    at: timesOf({ $now, DateTime }),
  };
  const isOpen = asked.opened.id > 0;
  const content = isOpen ? thread({ $ }, view, sends, records) : list({ $ }, view, sends, records);
  const say = sayIn(asked.lang, ZH);
  const html = pageOf(
    {
      here: 'sms-conversations',
      title: say('Conversations'),
      lang: asked.lang,
      keepsLang: asked.keepsLang,
      now: $now,
      style: STYLE,
      reload: asked.reply ? undefined : reload(asked),
    },
    [
      ...(isOpen ? [] : unsent({ $ }, view, sends)),
      search(asked),
      ...notices({ $ }, asked),
      ...content,
    ],
  );
  return [{ json: { html, location: '' } }];
}

/** What was not sent of the messages that are listed. Their reports are not read, so nothing is late. */
function unsent({ $ }: Pick<N8n, '$'>, { asked, now }: View, sends: Send[]): Markup[] {
  const thresholds = thresholdsIn($('Thresholds').all());
  const messages = sends
    .slice(0, LIST.sends)
    .filter(({ status }) => status !== 'accepted')
    .map((row) => sendable({ ...row }, now));
  const hrefOf = (kind: string) =>
    `sms-dashboard?window=all&status=${kind}${asked.keepsLang ? `&lang=${asked.lang}` : ''}`;
  const lines = unsentOf(messages, now, thresholds);
  const telling = { lang: asked.lang, thresholds, hrefOf, isCut: sends.length > LIST.sends };
  return lines.length > 0 ? [unsentPanel(lines, telling)] : [];
}

/** The reload of this view. */
function reload(asked: Asked): Reload {
  const { opened, digits, waits, reloads } = asked;
  const row = opened.id > 0 && rowName(opened);
  const other = addressOf(
    { ...asked, reloads: !reloads },
    { row, digits, ...partIn(asked), waits },
  );
  return { seconds: 30, isOn: reloads, other };
}

/** Where the answer to a search is, if it is not a list: no address has a whole number in it. */
function searched(asked: Asked, send?: Send, record?: Received): string {
  const { number, was } = asked;
  if (!number) {
    return addressOf(asked, { digits: was, ...partIn(asked), bad: 'search' });
  }
  const row = send
    ? rowName({ table: 'sms_outbox', id: send.id })
    : record && rowName({ table: 'sms_inbox', id: record.id });
  return row
    ? `${addressOf(asked, { row })}#end`
    : addressOf(asked, { digits: number.slice(-4), bad: 'number' });
}

function search(asked: Asked): Markup {
  const { lang, keepsLang, digits } = asked;
  const say = sayIn(lang, ZH);
  const kept = hidden({
    ...{ lang: keepsLang && lang, refresh: !asked.reloads && 'off' },
    ...{ was: digits || false, ...partIn(asked) },
  });
  return safe`<form class="bar" role="search" action="sms-conversations">${kept}<label>${say('Last four digits of the number')} <input type="search" name="digits" inputmode="numeric" autocomplete="off" maxlength="24" size="12" value="${digits}"></label><button>${say('Search')}</button></form>`;
}

/** What went wrong. */
function notices({ $ }: Pick<N8n, '$'>, asked: Asked): Markup[] {
  const say = sayIn(asked.lang, ZH);
  const failed = (table: string, items: Item[]) => {
    const reason = items.map(({ json }) => errorOf(json)).find(Boolean);
    return reason && say('The table {table} could not be read: {reason}', { table, reason });
  };
  const texts = [
    asked.bad === 'search' &&
      say('Enter the last four digits of a number, or a whole mobile number.'),
    asked.bad === 'number' &&
      say(
        'There is no conversation with this number. The list has those that end in the same digits.',
      ),
    failed('sms_outbox', $('Messages sent').all()),
    failed('sms_inbox', $('Replies and reports').all()),
    failed('sms_opt_outs', $('Opt-outs').all()),
    failed('sms_thresholds', $('Thresholds').all()),
  ];
  return texts
    .filter(Boolean)
    .map((text) => safe`<p class="notice" role="status"><bdi>${text}</bdi></p>`);
}

function list({ $ }: Pick<N8n, '$'>, view: View, sends: Send[], replies: Received[]): Markup[] {
  const later = read<Send>($('Later messages').all());
  const optedOut = new Set(
    $('Opt-outs')
      .all()
      .map(({ json }) => String(json.phone_number)),
  );
  const shown = [...sends.slice(0, LIST.sends), ...later];
  const threads = threadsOf(shown, replies.slice(0, LIST.records), optedOut);
  return [listOf(view, threads, { sends, records: replies })];
}

function thread({ $ }: Pick<N8n, '$'>, view: View, sends: Send[], records: Received[]): Markup[] {
  const { asked } = view;
  const say = sayIn(asked.lang, ZH);
  const phone = String($('Opened message').first()?.json.phone_number ?? '');
  if (phone === '') {
    const text = say('This message is not there any more.');
    return [
      safe`<p class="notice" role="status">${text}</p><p><a class="button" href="${addressOf(asked, {})}">${say('All conversations')}</a></p>`,
    ];
  }
  const optOut = $('Opt-outs')
    .all<NonNullable<Opened['optOut']> & { id?: number }>()
    .map(({ json }) => json)
    .find(({ id }) => id);
  const opened = openedFor(phone, sends, records, optOut);
  const box = asked.reply
    ? replyBox(
        view,
        phone,
        {
          templates: recordsIn($('Templates').first().json),
          signatures: recordsIn($('Signatures').first().json),
          error: errorOf($('Templates').first().json) || errorOf($('Signatures').first().json),
          token: asked.template ? String($('Token').first().json.token) : '',
        },
        optOut !== undefined,
      )
    : replyLink(view);
  return [
    conversationIn(view, opened),
    safe`<div id="end">${outcomeNotice(view, opened)}${box}</div>`,
  ];
}

/** The outcome of the message that was just sent, if it is one of this conversation. */
function outcomeNotice(view: View, { conversation }: Opened): Markup | string {
  for (const entry of conversation.entries) {
    if (entry.kind !== 'send' || entry.row.id !== view.asked.sent) continue;
    const { kind, text } = outcomeOf(view, entry.row, entry.report);
    const color = kind === '' ? 'green' : kind;
    return safe`<p class="notice ${color === 'yellow' ? '' : color}" role="status"><bdi>${text}</bdi></p>`;
  }
  return '';
}
