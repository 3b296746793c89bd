import type { Item, N8n } from '../../../builder/code/n8n';
import type { Question } from './page';

/** The rows that were asked about: the answer of the form has none. */
export default function toBeSent({ $ }: N8n): Item[] {
  const { rows } = $('Read the rows').first<Question>().json;
  return rows.flatMap(({ fields, number, problem }) =>
    problem === undefined ? [{ json: { ...fields, row_number: number } }] : [],
  );
}
