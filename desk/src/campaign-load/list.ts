import { parsePhoneNumbers } from '../nodes/phoneNumbers';
import { text } from '../common/messages/outbox';
import { clean } from '../common/text/format';
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
 */
export function listOf({ recipients, lines }: Fields) {
  const known = new Set<string>();
  let numbers = 0;
  const rows = (recipients as (Fields | null)[]).flatMap((each, index) => {
    const { phone, ...others } = each ?? {};
    const { valid, invalid } = parsePhoneNumbers(phone, 'mainlandMobile');
    if (valid.length + invalid.length === 0) invalid.push('');
    numbers += valid.length;
    const cells = Object.entries(others).map(([name, value]) => [clean(name), text(value)]);
    const parameters = JSON.stringify(Object.fromEntries(cells));
    const line = Array.isArray(lines) ? Number(lines[index]) : index + 1;
    const rowFor = (phone_number: string, status: 'pending' | 'invalid') => ({
      ...{ phone_number, parameters, line, status },
    });
    const isFresh = (key: string) => !known.has(key) && known.add(key);
    const wrong = invalid.map((given) => clean(given.slice(0, 100)));
    return [
      ...valid.filter(isFresh).map((number) => rowFor(number, 'pending')),
      ...wrong
        .filter((given) => isFresh(given + parameters))
        .map((given) => rowFor(given, 'invalid')),
    ];
  });
  return { numbers, rows };
}
