import { parametersOf, type Recipient } from '../common/messages/campaigns';
import { rowsOf } from '../common/records/days';
import type { N8n } from '../../../builder/code/n8n';
import { received } from '../common/messages/received';
import type { Asked } from './what-is-asked';

/** The texts of three recipients, or of fewer. */
export default function threeSamples({ $, $input }: N8n): { phone: string; text: string }[] {
  const { campaign } = $('What is asked').first<Asked>().json;
  const different = new Map(rowsOf<Recipient>($input.all()).map((row) => [row.id, row]));
  return [...different.values()].slice(0, 3).map((row) => ({
    phone: row.phone_number,
    text: received(campaign?.content ?? '', parametersOf(row), campaign?.signature ?? ''),
  }));
}
