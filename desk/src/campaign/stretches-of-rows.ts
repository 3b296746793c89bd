import type { N8n } from '../../../builder/code/n8n';
import { rowOf, stretchesOf, type Range, type Report } from '../common/records/row';

const CLOSE = 100;

/**
 * The rows that the reports are about: a page of reports needs one or a few reads of the table. Ids that are
 * close together are read in one stretch.
 */
export default function stretches({ $input }: N8n): Range[] {
  const ids = $input
    .all<Report>()
    .map(({ json }) => rowOf(json))
    .filter((id) => id > 0)
    .sort((a, b) => a - b);
  const found: Range[] = [];
  for (const id of ids) {
    const last = found.at(-1);
    if (last && id - last.to <= CLOSE) last.to = id;
    else found.push({ from: id, to: id });
  }
  return found.flatMap(stretchesOf);
}
