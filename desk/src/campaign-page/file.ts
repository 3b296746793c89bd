import type { Recipient } from '../common/messages/campaigns';
import type { N8n } from '../../../builder/code/n8n';
import { csvOf } from './csv';
import type { Asked } from './what-is-asked';

/** The file that is wanted. */
export default function fileOfRows({ $, $input }: N8n): object {
  const { id, list, lang } = $('What is asked').first<Asked>().json;
  const { packed } = $input.first<{ packed: string | null }>().json;
  const page = csvOf(JSON.parse(packed ?? '[]') as Recipient[], lang);
  return { page, fileName: `campaign-${id}-${list}.csv` };
}
