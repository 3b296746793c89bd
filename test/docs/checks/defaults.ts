import { optionRows, wrongRows } from '../defaults';
import { SEND_OPTIONS, TRIGGER_OPTIONS } from '../descriptions';
import { parse } from '../markdown';
import { faultsIn, GUIDES } from '../pages';

test('each row of a table of options names a field, with its default', () => {
  expect(faultsIn(GUIDES, ({ tree }) => wrongRows(tree))).toEqual({});
});

test.each([
  ['a send', SEND_OPTIONS],
  ['the trigger', TRIGGER_OPTIONS],
])('every option of %s stands in a table with its default', (_, options) => {
  const rows = GUIDES.flatMap(({ tree }) => optionRows(tree));
  const labels = rows.filter(({ shown }) => shown !== undefined).map(({ label }) => label);
  const names = options.map(({ displayName }) => displayName);
  expect(names).not.toEqual([]);
  expect(names.filter((name) => !labels.includes(name))).toEqual([]);
});

describe('the check of tables of options', () => {
  const wrong = (...rows: string[]) =>
    wrongRows(parse(['| Option | Default | |', '|--|--|--|', ...rows].join('\n')));

  test('finds a wrong default, and a field that does not exist', () => {
    const rows = ['| Timeout | 30000 | |', '| Check Only | On | |', '| Batch size | 100 | |'];
    expect(wrong(...rows, '| Max Messages per Run | 100 | |', '| User Data | x | |')).toEqual([
      'Timeout: 30000 instead of 30,000',
      'Check Only: On instead of Off',
      'Batch size: no such field',
      'Max Messages per Run: 100 instead of nothing',
      'User Data: x instead of nothing',
    ]);
    expect(wrongRows(parse('| Field | Enter |\n|--|--|\n| API Key, Secret | |'))).toHaveLength(1);
  });

  test('knows a field that stands for its value', () => {
    expect(wrong('| Items per Execution | Pull Size | |')).toEqual([]);
    expect(wrong('| Items per Execution | Timeout | |')).toHaveLength(1);
  });
});
