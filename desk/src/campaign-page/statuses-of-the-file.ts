import type { N8n } from '../../../builder/code/n8n';
import { NOT_SENT } from './figures';
import type { Asked } from './what-is-asked';

/** The statuses of the rows that are wanted as a file. */
export default function statusesOfTheFile({ $ }: N8n): { status: string }[] {
  const { list } = $('What is asked').first<Asked>().json;
  return (list === 'invalid' ? ['invalid'] : NOT_SENT).map((status) => ({ status }));
}
