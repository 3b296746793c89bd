/** How texts are read and written: what an address or a form holds, a message as the customer reads it, and files. */
import { fill, given, langOf } from '../../builder/code/lang';
import { reloadOf } from '../../builder/code/look';
import { csvOf } from '../src/campaign-page/csv';
import whatIsAsked from '../src/campaign-page/what-is-asked';
import type { Recipient } from '../src/common/messages/campaigns';
import { reasonIn, said } from '../src/common/messages/reasons';
import { received, segmentsOf } from '../src/common/messages/received';
import { codeSees } from '../../test/kit/workflows/codeNode';
import { open } from './dashboardCode';

/** What n8n makes of `campaign[toString]=x` and the like. */
const OBJECTS: object[] = [
  { toString: 'x' },
  { valueOf: 'x', toString: 'x' },
  { a: 'b' },
  { toString: {} },
];

test.each<[unknown, string]>([
  ['7', '7'],
  [' 7 ', '7'],
  [7, '7'],
  [true, 'true'],
  [['7', '8'], '7'],
  ['x'.repeat(300), 'x'.repeat(200)],
  ...[undefined, null, [], {}, ...OBJECTS, ...OBJECTS.map((each) => [each])].map(
    (each): [unknown, string] => [each, ''],
  ),
])('%j is the text %j', (value, expected) => {
  expect(given({ campaign: value }, 'campaign')).toBe(expected);
});

test.each(OBJECTS)('the campaigns are shown to an address that holds %j', (each) => {
  const names = ['campaign', 'list', 'lang', 'test', 'row', 'refresh'];
  const query = Object.fromEntries(names.map((name) => [name, each]));
  const asked = whatIsAsked(codeSees({ 'Page is opened': { query } }));
  expect(asked).toMatchObject({ id: 0, list: '', lang: 'en', test: '', row: '' });
  expect(langOf({ query, headers: query })).toBe('en');
  expect(reloadOf({ query }, 9).isOn).toBe(true);
});

test.each([
  [
    'Dear ${name}, order ${order} of ${date}',
    { name: 'Li', order: 7, date: null },
    'Dear Li, order 7 of ',
  ],
  ['Code ${code}', {}, 'Code ${code}'],
  ['Code ${code}', 'no JSON', 'Code ${code}'],
  // A value is not filled in again.
  ['${a} ${b}', { a: '${b}', b: '$&' }, '${b} $&'],
  ['Up to 50 %', undefined, 'Up to 50 %'],
])('%j with %j reaches the customer as %j', (content, values, text) => {
  expect(received(content, values)).toBe(text);
  const written = typeof values === 'object' ? JSON.stringify(values) : values;
  for (const name of ['Shop', '【Shop】'])
    expect(received(content, written, name)).toBe(`【Shop】${text}`);
});

test('70 characters are one segment, and a longer text has 67 in each', () => {
  const segments = [0, 70, 71, 134, 135].map((length) => segmentsOf('好'.repeat(length)));
  expect(segments).toEqual([1, 1, 2, 2, 3]);
});

const NOW = '2026-06-03T13:23:40.000Z';

/** What stands in a cell of each file for this text. */
async function cellsFor(content: string): Promise<string[]> {
  const reply = { id: 1, event: 'reply', time: NOW, content, phone_number: '13810000001' };
  const { file: dashboard } = await open({ now: NOW, query: { format: 'csv' }, events: [reply] });
  const recipient = { parameters: JSON.stringify({ name: content }), phone_number: '13810000001' };
  return [csvOf([recipient as Recipient]), dashboard?.text ?? '']
    .map((file) => [...file.matchAll(/"((?:[^"]|"")*)"(?=,|\r\n)/g)].map(([, cell]) => cell ?? ''))
    .map((cells, index) => cells[index === 0 ? 5 + 2 : 14 + 9] ?? '');
}

test.each([
  ...['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n1', ' =1', '\u200b=1'],
  ...['＝HYPERLINK(1)', '＋1', '－1', '＠SUM(A1)', '\u3000＝1', '1234567890123456789'],
])('no spreadsheet takes %j for a formula or a number, in neither file', async (content) => {
  expect(await cellsFor(content)).toEqual([`'${content}`, `'${content}`]);
});

test.each(['Li', '7', '13810000010', 'a=b', '李雷，', ''])('%j stays as it is', async (content) => {
  expect(await cellsFor(content)).toEqual([content, content]);
});

/** What a spreadsheet takes for a number, a date or a truth is another text when it saves the file. */
test.each(['00123', '2.50', '6-3', 'May 3', '123456789012', '1E5', 'true', "'x", '①', 'phone'])(
  'the list of a campaign keeps %j from a spreadsheet',
  async (content) => expect((await cellsFor(content))[0]).toBe(`'${content}`),
);

test.each(['余额不足', 'MB:0253', 'The customer has opted', '', 'x The customer has opted out.'])(
  'what the service says stays as it is: %j',
  (reason) => expect(reasonIn('zh', said(reason))).toBe(reason),
);

test('a place for one and for more', () => {
  const text = '{n} {n|report has|reports have} come, {m}.';
  const filled = [1, '1', 0, '1,001'].map((n) => fill(text, { n }));
  const one = '1 report has come, {m}.';
  expect(filled).toEqual([one, one, ...['0', '1,001'].map((n) => `${n} reports have come, {m}.`)]);
});
