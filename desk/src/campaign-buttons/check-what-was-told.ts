import { notDonePage } from './not-done';
import { keyOf, type Campaign, type Recipient } from '../common/messages/campaigns';
import type { Request } from '../../../builder/code/lang';
import type { Item, N8n } from '../../../builder/code/n8n';
import type { Row } from '../common/messages/outbox';
import type { Range } from '../common/records/row';
import type { Told } from './what-to-do';

/** The outbox is at work on a message that it has claimed for less. */
const UNDER_WAY_MS = 10 * 60_000;

/** What becomes of neighbouring rows. */
interface Decided extends Range {
  may: true;
  status: 'accepted' | 'pending';
  batch_id: string;
}

type Message = Pick<Row, 'key' | 'status' | 'batch_id' | 'sent_at'>;

/**
 * What becomes of the unknown rows. A message that goes twice is paid twice: so they may be no more than the page
 * has told of, no report may be on its way, and what the outbox knows as accepted does not go again.
 */
export default function checkWhatWasTold({ $, $now }: N8n): Item[] {
  const { rows, address } = $('What to do').first<Told & { address: string }>().json;
  const unknown = $('Unknown rows')
    .all<Recipient>()
    .map(({ json }) => json)
    .filter(({ id }) => id);
  const hasRead = $('Has the campaign read it?').first<{ id?: number }>().json.id !== undefined;
  if (hasRead && unknown.length <= rows) {
    const { campaign } = $('Campaign of the unknown').first<Campaign>().json;
    const messages = $('Messages of the outbox').all<Message>();
    const known = messagesByKey(
      campaign,
      messages.map(({ json }) => json),
    );
    const decided = rangesOf(unknown, known);
    if (decided.length > 0) return decided.map((json) => ({ json: { ...json } }));
  }
  const why = hasRead
    ? 'This click did nothing: the unknown messages are no longer those that the page told of.'
    : 'This click did nothing: delivery reports wait to be handed over, and may tell what became of the messages. Publish “SMS · Campaign: send” if it is not, and try again in some minutes.';
  const request = $('Button is pressed').first<Request>().json;
  return [{ json: { may: false, page: notDonePage(request, { address, why, now: $now }) } }];
}

/** The messages that went, wait or are under way, by the key of their recipient without that of a press. */
function messagesByKey(campaign: string, messages: Message[]): Map<string, Message> {
  const length = keyOf({ campaign, phone_number: '13800000000' }).length;
  const since = Date.now() - UNDER_WAY_MS;
  return new Map(
    messages
      .filter(({ status, sent_at }) => status !== 'claimed' || Date.parse(sent_at) > since)
      .map((message) => [String(message.key ?? '').slice(0, length), message]),
  );
}

/** Ranges of neighbours. No range reaches over a row that was not read. */
function rangesOf(unknown: Recipient[], known: Map<string, Message>): Decided[] {
  const ranges: Decided[] = [];
  for (const row of [...unknown].sort((a, b) => a.id - b.id)) {
    const message = known.get(keyOf(row));
    // It still goes by itself, or is just going.
    if (message && message.status !== 'accepted') continue;
    const status = message ? 'accepted' : 'pending';
    const batch_id = message?.batch_id ?? '';
    const last = ranges.at(-1);
    if (last?.to === row.id - 1 && last.status === status && last.batch_id === batch_id) {
      last.to = row.id;
    } else ranges.push({ may: true, from: row.id, to: row.id, status, batch_id });
  }
  return ranges;
}
