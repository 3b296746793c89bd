/** The files for spreadsheets: of a campaign's rows, and of the dashboard. */
import { csvOf } from '../src/campaign-page/csv';
import type { Recipient } from '../src/common/messages/campaigns';
import { open } from './dashboardCode';

const NOW = '2026-06-03T13:23:40.000Z';

/** What stands in a cell of each file for this text. */
function cellsFor(content: string): string[] {
  const reply = { id: 1, event: 'reply', time: NOW, content, phone_number: '13810000001' };
  const { file: dashboard } = open({ now: NOW, query: { format: 'csv' }, events: [reply] });
  const recipient = { parameters: JSON.stringify({ name: content }), phone_number: '13810000001' };
  return [csvOf([recipient as Recipient]), dashboard?.text ?? '']
    .map((file) => [...file.matchAll(/"((?:[^"]|"")*)"(?=,|\r\n)/g)].map(([, cell]) => cell ?? ''))
    .map((cells, index) => cells[index === 0 ? 5 + 2 : 14 + 9] ?? '');
}

test.each([
  ...['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n1', ' =1', '\u200b=1'],
  ...['＝HYPERLINK(1)', '＋1', '－1', '＠SUM(A1)', '\u3000＝1', '1234567890123456789'],
])('no spreadsheet takes %j for a formula or a number, in neither file', (content) => {
  expect(cellsFor(content)).toEqual([`'${content}`, `'${content}`]);
});

test.each(['Li', '7', '13810000010', 'a=b', '李雷，', ''])('%j stays as it is', (content) => {
  expect(cellsFor(content)).toEqual([content, content]);
});

/** What a spreadsheet takes for a number, a date or a truth is another text when it saves the file. */
test.each(['00123', '2.50', '6-3', 'May 3', '123456789012', '1E5', 'true', "'x", '①', 'phone'])(
  'the list of a campaign keeps %j from a spreadsheet',
  (content) => expect(cellsFor(content)[0]).toBe(`'${content}`),
);
