import type { Fields, Item, N8n } from '../n8n';
import { phoneIn } from '../phone';

/** Every other column is a parameter of the template. */
const NO_PARAMETER = ['row_number', 'phone', 'status', 'reason', 'batch_id'];

const text = (value: unknown): string => String(value ?? '').trim();

/** The row's parameters of the template, in an order that does not depend on the order of the columns. */
function parametersOf(row: Fields): Record<string, string> {
  const entries = Object.entries(row)
    .filter(([column]) => !NO_PARAMETER.includes(column))
    .map(([column, value]) => [column, text(value)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * The rows without a status. `same` is equal for rows with the same number and parameters: one message.
 *
 * @throws if there is no column `phone`.
 */
export default function rowsToSend({ $input }: N8n): Item[] {
  const rows = $input.all();
  const [first] = rows;
  if (first && !rows.some(({ json }) => 'phone' in json)) {
    const columns = Object.keys(first.json).join(', ');
    throw new Error(
      `There is no column "phone". The columns are: ${columns}. If these are all columns in one, save the file with commas between them.`,
    );
  }
  return rows.flatMap(({ json }, index) => {
    const parameters = parametersOf(json);
    const isEmpty = [json.phone, ...Object.values(parameters)].every((value) => text(value) === '');
    if (isEmpty || text(json.status) !== '') return [];
    const same = JSON.stringify([phoneIn(json.phone) || text(json.phone), parameters]);
    return [{ json: { ...json, parameters, same }, pairedItem: index }];
  });
}
