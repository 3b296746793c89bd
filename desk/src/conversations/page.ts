import { conversationIn, outcomeOf } from './conversation';
import { listOf } from './list';
import { addressOf, keeping, partIn, type View } from './view';
import { errorsIn } from '../common/records/rows';
import { recordsIn } from '../common/records/service';
import { safe, type Markup } from '../../../builder/code/html';
import { sayIn } from '../../../builder/code/lang';
import { addressOf as pageAddress, hidden, pageOf } from '../../../builder/code/look';
import type { N8n } from '../../../builder/code/n8n';
import { replyBox, replyLink } from './reply-box';
import { STYLE } from './style';
import { clock } from '../common/text/clock';
import { number } from '../common/text/numbers';
import { Names, type Conversation, type List } from './threads';
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
  if (asked.isBad || asked.number) {
    return { html: '', location: searched({ $ }, asked) };
  }
  const zone = $now.zoneName ?? 'utc';
  const say = sayIn(lang, ZH);
  const view: View = {
    ...{ asked, say },
    names: new Names($('Known templates').all()),
    at: (time) => clock(DateTime.fromISO(time, { zone }), $now),
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
    [search(view), ...notices({ $ }, view), ...(row ? thread({ $ }, view) : list({ $ }, view))],
  );
  return { html, location: '' };
}

/** Where the answer to a search is, if it is not a list: no address has a whole number in it. */
function searched({ $ }: Pick<N8n, '$'>, asked: Asked): string {
  const { was } = asked;
  if (!asked.number) return addressOf(asked, { digits: was, ...partIn(asked), bad: 'search' });
  const { row } = $('Opened message').first().json;
  return row
    ? `${addressOf(asked, { row: String(row) })}#end`
    : addressOf(asked, { digits: asked.number.slice(-4), bad: 'number' });
}

function search({ asked, say }: View): Markup {
  const { digits } = asked;
  return safe`<form class="bar" role="search" action="sms-conversations">${hidden(keeping(asked, { was: digits, ...partIn(asked) }))}<label>${say('Last four digits of the number')} <input type="search" name="digits" inputmode="numeric" autocomplete="off" maxlength="24" size="12" value="${digits}"></label><button>${say('Search')}</button></form>`;
}

function notices({ $ }: Pick<N8n, '$'>, { asked, say }: View): Markup[] {
  const [reason] = errorsIn([...$('Opened message').all(), ...$('What was said').all()]);
  const texts = [
    asked.bad === 'search' &&
      say('Enter the last four digits of a number, or a whole mobile number.'),
    asked.bad === 'number' &&
      say(
        'There is no conversation with this number. The list has those that end in the same digits.',
      ),
    reason && say('The tables could not be read: {reason}', { reason }),
  ];
  return texts
    .filter(Boolean)
    .map((text) => safe`<p class="notice" role="status"><bdi>${text}</bdi></p>`);
}

/** Nothing, if it could not be read: a notice says why. */
function list({ $ }: Pick<N8n, '$'>, view: View): Markup[] {
  const { found } = $('What was said').first<{ found?: List }>().json;
  if (!found) return [];
  const { asked, say } = view;
  const text = say(
    '{n} {n|message|messages} of the last 24 hours {n|was|were} not sent, or not confirmed.',
    { n: number(found.unsent) },
  );
  const more = pageAddress('sms-dashboard', { lang: asked.kept });
  const unsent =
    found.unsent > 0 &&
    safe`<p class="notice" role="status"><b>${text}</b> <a class="button" href="${more}">${say('To the dashboard')}</a></p>`;
  return [unsent || safe``, listOf(view, found)];
}

function thread({ $ }: Pick<N8n, '$'>, view: View): Markup[] {
  const { asked, say } = view;
  const opened = $('Opened message').first<{ phone_number?: string; opted_out?: boolean }>().json;
  const { found } = $('What was said').first<{ found?: Conversation }>().json;
  const { phone_number: phone = '', opted_out: isOptedOut = false } = opened;
  if (phone === '' || !found) {
    const text = say('This message is not there any more.');
    return [
      safe`<p class="notice" role="status">${text}</p><p><a class="button" href="${addressOf(asked)}">${say('All conversations')}</a></p>`,
    ];
  }
  const box = asked.reply ? openBox({ $ }, view, phone, isOptedOut) : replyLink(view);
  return [
    conversationIn(view, { phone, isOptedOut }, found),
    safe`<div id="end">${outcomeNotice(view, found)}${box}</div>`,
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
function outcomeNotice(view: View, { rows }: Conversation): Markup | string {
  const sent = rows.find(({ side, id }) => side === 'o' && id === view.asked.sent);
  if (!sent) return '';
  const { kind, text } = outcomeOf(view, sent);
  const color = { '': 'green', yellow: '' }[kind as string] ?? kind;
  return safe`<p class="notice ${color}" role="status"><bdi>${text}</bdi></p>`;
}
