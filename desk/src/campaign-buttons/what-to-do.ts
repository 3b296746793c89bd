import { notDonePage } from './not-done';
import { given, type Request } from '../../../builder/code/lang';
import { addressOf } from '../../../builder/code/look';
import type { Fields, N8n } from '../../../builder/code/n8n';

/** From which states a button leads to which. Stopped is the end. */
const CHANGES = new Map([
  ['start', { from: ['draft'], to: 'running' }],
  ['pause', { from: ['running'], to: 'paused' }],
  // Of a running campaign, it ends the pause after faults. A done one has rows to send if a store was away meanwhile.
  ['resume', { from: ['paused', 'running', 'done'], to: 'running' }],
  ['stop', { from: ['running', 'paused'], to: 'stopped' }],
  // Stopped, nothing starts it while its rows go.
  ['discard', { from: ['draft', 'incomplete'], to: 'stopped' }],
]);

/** When a start is set for, in ISO 8601. Null: now. Undefined: it is over, or no time. */
function startOf(body: Fields | undefined, { $now, DateTime }: Pick<N8n, '$now' | 'DateTime'>) {
  const at = given(body, 'at');
  const time = DateTime.fromISO(at, { zone: given(body, 'zone') });
  return at === '' ? null : (time > $now && time.toISO()) || undefined;
}

/** The changes of a press. Each happens only if the campaign is as the press wants it. */
function changesOf(action: string, loaded: string, until: string | null): Fields[] {
  const { from = [], to = '' } = CHANGES.get(action) ?? {};
  // A start and its opposite want the campaign as its page has shown it: with no list loaded since.
  const isOfADraft = action === 'start' || action === 'discard';
  if (isOfADraft && !isTime(loaded)) return [];
  const wants = isOfADraft ? { condition: '=', loaded } : { condition: 'filled', loaded: '' };
  const goes = action === 'discard';
  return from.map((each) => ({ kind: 'change', from: each, to, until, ...wants, goes }));
}

function isTime(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}

/** What a press asks for. Nothing, if no page has such a button. */
function asksOf(body: Fields | undefined, until: string | null): Fields[] {
  const [action = '', token = ''] = ['action', 'token'].map((name) => given(body, name));
  if (action === 'test') return [{ kind: 'test', token, phone: given(body, 'phone') }];
  if (action === 'again') return [{ kind: 'again' }];
  if (action === 'resend') {
    // How many rows the page has told of, and when the latest of them became unknown.
    const rows = Number(/^\d{1,9}$/.exec(given(body, 'rows'))?.[0] ?? 0);
    const changed = given(body, 'changed');
    return rows > 0 && isTime(changed) ? [{ kind: 'resend', token, rows, changed }] : [];
  }
  return changesOf(action, given(body, 'loaded'), action === 'start' ? until : null);
}

/** What a button does, if its page has not been used before. */
export default function whatToDo({ $, $now, DateTime }: N8n): object[] {
  const request = $('Button is pressed').first<Request>().json;
  const campaign = Number(/^\d{1,15}$/.exec(given(request.body, 'campaign'))?.[0] ?? 0);
  const lang = /^(en|zh)$/.exec(given(request.body, 'lang'))?.[0];
  const address = addressOf('sms-campaign', { campaign, lang });
  const isValid = $('Use the token').first<{ token?: string }>().json.token !== undefined;
  const until = startOf(request.body, { $now, DateTime });
  const asks = isValid && campaign > 0 && until !== undefined ? asksOf(request.body, until) : [];
  const pageThat = (why: Parameters<typeof notDonePage>[1]['why']) =>
    notDonePage(request, { address, why, now: $now });
  // What is shown if the press does nothing.
  const others =
    'This click did nothing: the unknown messages are no longer those that the page told of.';
  if (asks.length > 0)
    return asks.map((ask) => ({
      ...{ campaign, address, ...ask },
      ...(ask.kind === 'resend' && { page: pageThat(others) }),
    }));
  const page = pageThat(
    isValid && until === undefined
      ? 'This click did nothing: the time to start at is over, or it is no time.'
      : 'This click did nothing: the page was used before, or is outdated.',
  );
  return [{ campaign, address, kind: 'outdated', page }];
}
