import { parsePhoneNumbers } from '../nodes/phoneNumbers';
import { said, why } from '../common/messages/reasons';
import { text } from '../common/messages/outbox';
import { clean } from '../common/text/clean';
import type { Fields } from '../../../builder/code/n8n';

/** What a program has posted, or the form has handed over, with its list as a text. */
export function requestIn({ body, list, ...others }: Fields): Fields {
  return (
    (body as Fields | undefined) ?? { ...others, ...(JSON.parse(String(list ?? null)) as Fields) }
  );
}

/**
 * One row for each number of the list, and how many numbers it has, counted as often as they come. What is no phone
 * number becomes an invalid row, so nothing is lost.
 *
 * @param load the execution. Later it is the portion that the row is sent in.
 */
export function listOf({ campaign, recipients, lines }: Fields, load: string) {
  const changed = new Date().toISOString();
  const known = new Set<string>();
  let numbers = 0;
  const rows = (recipients as (Fields | null)[]).flatMap((each, index) => {
    const { phone, ...others } = each ?? {};
    const { valid, invalid } = parsePhoneNumbers(phone, 'mainlandMobile');
    if (valid.length + invalid.length === 0) invalid.push('');
    numbers += valid.length;
    const cells = Object.entries(others).map(([name, value]) => [clean(name), text(value)]);
    const parameters = JSON.stringify(Object.fromEntries(cells));
    const rowFor = (phone_number: string, isNumber: boolean) => ({
      campaign: text(campaign),
      phone_number,
      parameters,
      line: Array.isArray(lines) ? Number(lines[index]) : index + 1,
      status: isNumber ? 'pending' : 'invalid',
      portion: load,
      batch_id: '',
      ...(isNumber ? said() : why('invalid')),
      changed,
      sent_at: null,
    });
    const isFresh = (key: string) => !known.has(key) && known.add(key);
    const wrong = invalid.map((given) => clean(given.slice(0, 100)));
    return [
      ...valid.filter(isFresh).map((number) => rowFor(number, true)),
      ...wrong.filter((given) => isFresh(given + parameters)).map((given) => rowFor(given, false)),
    ];
  });
  return { numbers, rows };
}
