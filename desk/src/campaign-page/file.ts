import type { Recipient } from '../common/messages/campaigns';
import { rowsOf } from '../common/records/days';
import type { N8n } from '../../../builder/code/n8n';
import { csvOf } from './csv';
import type { Asked } from './what-is-asked';

/** The file that is wanted. */
export default function fileOfRows({ $, $input }: N8n): object {
  const { campaign, list } = $('What is asked').first<Asked>().json;
  const rows = rowsOf<Recipient>($input.all());
  const page = csvOf(rows.sort((a, b) => a.id - b.id));
  return { page, fileName: `campaign-${campaign?.id}-${list}.csv` };
}
