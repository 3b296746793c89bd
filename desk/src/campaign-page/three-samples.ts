import { parametersOf, type Recipient } from '../common/messages/campaigns';
import type { Item, N8n } from '../../../builder/code/n8n';
import { received } from '../common/messages/received';
import type { Asked } from './what-is-asked';

/** The recipients whose texts are shown: the first, the one in the middle, and the one with the longest text. */
export default function threeSamples({ $ }: N8n): Item[] {
  const { campaign } = $('What is asked').first<Asked>().json;
  if (!campaign) return [];
  const content = campaign.content ?? '';
  const rows = $('Recipients')
    .all<Recipient>()
    .map(({ json }) => json)
    .filter(({ status }) => status === 'pending');
  const lengthOf = (row: Recipient) => received(content, parametersOf(row)).length;
  const lengths = rows.map(lengthOf);
  const longest = lengths.indexOf(lengths.reduce((a, b) => Math.max(a, b), 0));
  const places = new Set([0, Math.floor(rows.length / 2), longest]);
  return [...places].flatMap((place) => {
    const row = rows[place];
    if (!row) return [];
    return [
      {
        json: {
          phone: row.phone_number,
          text: received(content, parametersOf(row), campaign.signature ?? ''),
        },
      },
    ];
  });
}
