import { conversationIn, outcomeOf } from './conversation';
import { listOf } from './list';
import { addressOf, keeping, partIn, type View } from './view';
import { errorsIn, rowsOf } from '../common/records/days';
import { recordsIn } from '../common/records/service';
import { safe, type Markup } from '../../../builder/code/html';
import { thresholdsIn } from '../common/messages/thresholds';
import { sendable, unsentOf, unsentPanel } from '../common/messages/unsent';
import { sayIn } from '../../../builder/code/lang';
import { addressOf as pageAddress, hidden, pageOf } from '../../../builder/code/look';
import type { Item, N8n } from '../../../builder/code/n8n';
import { replyBox, replyLink } from './reply-box';
import { STYLE } from './style';
import { clock } from '../common/text/clock';
import {
  conversationOf,
  LIST,
  Names,
  read,
  rowName,
  threadsOf,
  type Conversation,
  type Received,
  type Send,
} from './threads';
import type { Waiting } from './waiting';
import type { Asked } from './what-was-asked';
import { ZH } from './words';

/** A page, or the address where it is. */
export interface Answer {
  html: string;
  location: string;
}

/** Writes the page: the list, or a conversation with its reply box. */
export default function page({ $, $now, DateTime }: N8n): Answer {
  const asked = $('What was asked').first<Asked>().json;
  const { lang, kept, row, digits, waits, reloads } = asked;
  const sends = read<Send>($('Messages sent').all());
  const records = read<Received>($('Replies and reports').all());
  if (asked.isBad || asked.number) {
    return { html: '', location: searched(asked, sends[0], records[0]) };
  }
  const zone = $now.zoneName ?? 'utc';
  const say = sayIn(lang, ZH);
  const view: View = {
    ...{ asked, say },
    names: new Names($('Known templates').all()),
    now: $now.toMillis(),
    at: (millis) => clock(DateTime.fromMillis(millis, { zone }), $now),
  };
  const other = addressOf(
    { ...asked, reloads: !reloads },
    { row, digits, ...partIn(asked), waits },
  );
  const html = pageOf(
    {
      ...{ here: 'sms-conversations', title: say('Conversations'), lang, kept },
      ...{ now: $now, style: STYLE },
      reload: asked.reply ? undefined : { seconds: 30, isOn: reloads, other },
    },
    [
      ...(row ? [] : unsent({ $ }, view, sends)),
      search(view),
      ...notices({ $ }, view),
      ...(row ? thread({ $ }, view, sends, records) : [list({ $ }, view, sends, records)]),
    ],
  );
  return { html, location: '' };
}

/** What was not sent of the messages that are listed. Their reports are not read, so nothing is late. */
function unsent({ $ }: Pick<N8n, '$'>, { asked, now }: View, sends: Send[]): Markup[] {
  const thresholds = thresholdsIn($('Thresholds').all());
  const messages = sends
    .slice(0, LIST.sends)
    .filter(({ status }) => status !== 'accepted')
    .map((row) => sendable({ ...row }));
  const hrefOf = (status: string) =>
    pageAddress('sms-dashboard', { window: 'all', status, lang: asked.kept });
  const lines = unsentOf(messages, now, thresholds);
  const telling = { lang: asked.lang, thresholds, hrefOf, isCut: sends.length > LIST.sends };
  return lines.length > 0 ? [unsentPanel(lines, telling)] : [];
}

/** Where the answer to a search is, if it is not a list: no address has a whole number in it. */
function searched(asked: Asked, send?: Send, record?: Received): string {
  const { number, was } = asked;
  if (!number) {
    return addressOf(asked, { digits: was, ...partIn(asked), bad: 'search' });
  }
  const found = send ?? record;
  return found
    ? `${addressOf(asked, { row: rowName(found) })}#end`
    : addressOf(asked, { digits: number.slice(-4), bad: 'number' });
}

function search({ asked, say }: View): Markup {
  const { digits } = asked;
  return safe`<form class="bar" role="search" action="sms-conversations">${hidden(keeping(asked, { was: digits, ...partIn(asked) }))}<label>${say('Last four digits of the number')} <input type="search" name="digits" inputmode="numeric" autocomplete="off" maxlength="24" size="12" value="${digits}"></label><button>${say('Search')}</button></form>`;
}

function notices({ $ }: Pick<N8n, '$'>, { asked, say }: View): Markup[] {
  const failed = (table: string, items: Item[]) => {
    const [reason] = errorsIn(items);
    return reason && say('The table {table} could not be read: {reason}', { table, reason });
  };
  const texts = [
    asked.bad === 'search' &&
      say('Enter the last four digits of a number, or a whole mobile number.'),
    asked.bad === 'number' &&
      say(
        'There is no conversation with this number. The list has those that end in the same digits.',
      ),
    failed('sms.outbox', $('Messages sent').all()),
    failed('sms.inbox', [...$('Replies and reports').all(), ...$('Who waits').all()]),
    failed('sms.opt_outs', $('Opt-outs').all()),
    failed('sms.thresholds', $('Thresholds').all()),
  ];
  return texts
    .filter(Boolean)
    .map((text) => safe`<p class="notice" role="status"><bdi>${text}</bdi></p>`);
}

function list({ $ }: Pick<N8n, '$'>, view: View, sends: Send[], records: Received[]): Markup {
  const { waits, isOlder } = view.asked;
  const waiting = rowsOf<Waiting>($('Who waits').all());
  const since = new Map(waiting.map((row) => [row.phone_number, Date.parse(row.since)]));
  const rows = { sends: sends.slice(0, LIST.sends), records: records.slice(0, LIST.records) };
  const threads = waits
    ? threadsOf([], waiting, since)
    : threadsOf(
        rows.sends,
        [...rows.records, ...(isOlder ? [] : waiting.slice(0, LIST.records))],
        since,
      );
  const isRead = errorsIn($('Who waits').all()).length === 0;
  const all = isRead ? (waiting[0]?.all ?? 0) : undefined;
  return listOf(view, threads, { sends, records, waiting: all });
}

function thread({ $ }: Pick<N8n, '$'>, view: View, sends: Send[], records: Received[]): Markup[] {
  const { asked, say } = view;
  const phone = String($('Opened message').first()?.json.phone_number ?? '');
  if (phone === '') {
    const text = say('This message is not there any more.');
    return [
      safe`<p class="notice" role="status">${text}</p><p><a class="button" href="${addressOf(asked)}">${say('All conversations')}</a></p>`,
    ];
  }
  const [optOut] = rowsOf($('Opt-outs').all());
  const conversation = conversationOf(sends, records, optOut);
  const isOptedOut = optOut !== undefined;
  const box = asked.reply ? openBox({ $ }, view, phone, isOptedOut) : replyLink(view);
  return [
    conversationIn(view, phone, conversation, isOptedOut),
    safe`<div id="end">${outcomeNotice(view, conversation)}${box}</div>`,
  ];
}

function openBox({ $ }: Pick<N8n, '$'>, view: View, phone: string, isOptedOut: boolean): Markup {
  const said = [$('Templates').first(), $('Signatures').first()];
  const [templates = [], signatures = []] = said.map(({ json }) => recordsIn(json));
  return replyBox(view, {
    ...{ phone, isOptedOut, templates, signatures },
    error: errorsIn(said)[0] ?? '',
    token: view.asked.template ? String($('Token').first().json.token) : '',
  });
}

/** The outcome of the message that was just sent, if it is one of this conversation. */
function outcomeNotice(view: View, { entries }: Conversation): Markup | string {
  const sent = entries.find((each) => each.kind === 'send' && each.row.id === view.asked.sent);
  if (sent?.kind !== 'send') return '';
  const { kind, text } = outcomeOf(view, sent.row);
  const color = { '': 'green', yellow: '' }[kind as string] ?? kind;
  return safe`<p class="notice ${color}" role="status"><bdi>${text}</bdi></p>`;
}
