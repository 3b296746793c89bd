import fc from 'fast-check';
import { parsePhoneNumbers } from '../../nodes/SmsMessagingService/parameters/phoneNumbers';
import { cell, namedIn } from './phoneNumbers';
import type { Format } from './phoneNumbers';
import { mobileOf } from '../../builder/parts';
import { CELLS } from '../kit/phoneCells';
import { settings } from '../kit/search/settings';
import { evaluate } from '../kit/workflows/expression';

const FORMATS: Format[] = ['mainlandMobile', 'any'];

/** `npm run search` reads 120,000 cells. */
const CELLS_PER_HISTORY = 50;
const search = settings(20);
const cells = { ...search, numRuns: CELLS_PER_HISTORY * search.numRuns };

test.each(CELLS)('the oracle reads %p as the table says', (value, mobiles) => {
  expect(namedIn(value, 'mainlandMobile')).toEqual(mobiles);
});

test(`who is sent to is named by the cell: ${cells.numRuns} cells`, () => {
  fc.assert(
    fc.property(cell, (value) => {
      for (const format of FORMATS) {
        expect(parsePhoneNumbers(value, format).valid.join()).toBe(namedIn(value, format).join());
      }
    }),
    cells,
  );
});

// A list as JSON is the node's alone: a workflow has one number in a field.
test('the expression of one number takes what the node takes, and no other', () => {
  const expression = `={{ ${mobileOf('$json.text')} }}`;
  fc.assert(
    fc.property(cell, (value) => {
      if (Array.isArray(value)) return;
      const { valid, invalid } = parsePhoneNumbers(value, 'mainlandMobile');
      const isOne = valid.length === 1 && invalid.length === 0 && !String(value).includes('[');
      expect(evaluate(expression, { $json: { text: value } })).toBe(isOne ? valid[0] : '');
    }),
    { ...search, examples: CELLS.map(([value]): [unknown] => [value]) },
  );
});
