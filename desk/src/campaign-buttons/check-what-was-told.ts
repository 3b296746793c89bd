import { notDonePage } from './not-done';
import { keyOf, type Campaign, type Recipient } from '../common/messages/campaigns';
import { INTERRUPTED_AFTER_MS } from '../common/messages/outbox';
import type { Request } from '../../../builder/code/lang';
import type { Item, N8n } from '../../../builder/code/n8n';
import type { Row } from '../tables';
import { rowsOf } from '../common/records/days';
import { rangesOf } from '../common/records/row';
import type { Told } from './what-to-do';

type Message = Pick<Row<'sms.outbox'>, 'key' | 'status' | 'batch_id' | 'sent_at'>;

/**
 * What becomes of the unknown rows. A message that goes twice is paid twice: so they may be no more than the page
 * has told of, and what the outbox knows as accepted does not go again.
 */
export default function checkWhatWasTold({ $, $now }: N8n): object[] {
  const { rows, address } = $('What to do').first<Told & { address: string }>().json;
  const unknown = rowsOf<Recipient>($('Unknown rows').all());
  if (unknown.length <= rows) {
    const { campaign } = $('Campaign of the unknown').first<Campaign>().json;
    const known = messagesByKey(campaign, $('Messages of the outbox').all<Message>());
    const outcomes = new Map(unknown.flatMap((row) => outcomeOf(row, known.get(keyOf(row)))));
    const ids = unknown.map(({ id }) => id);
    // No range reaches over a row that was not read.
    const decided = rangesOf(ids, outcomes, 1);
    if (decided.length > 0) return decided.map((range) => ({ may: true, ...range }));
  }
  const why =
    'This click did nothing: the unknown messages are no longer those that the page told of.';
  const request = $('Button is pressed').first<Request>().json;
  return [{ may: false, page: notDonePage(request, { address, why, now: $now }) }];
}

/** The messages that went, wait or are under way, by the key of their recipient without that of a press. */
function messagesByKey(campaign: string, messages: Item<Message>[]): Map<string, Message> {
  const length = keyOf({ campaign, phone_number: '13800000000' }).length;
  const since = Date.now() - INTERRUPTED_AFTER_MS;
  return new Map(
    messages
      .map(({ json }) => json)
      .filter(({ status, sent_at }) => status !== 'claimed' || Date.parse(sent_at) > since)
      .map((message) => [String(message.key ?? '').slice(0, length), message]),
  );
}

/** What becomes of a row. Nothing, if its message still goes by itself, or is just going. */
function outcomeOf({ id }: Recipient, message?: Message): [number, object][] {
  if (!message) return [[id, { status: 'pending', batch_id: '' }]];
  const { status, batch_id } = message;
  return status === 'accepted' ? [[id, { status, batch_id }]] : [];
}
