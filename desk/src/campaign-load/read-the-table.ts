import { isOpen, type Campaign } from '../common/messages/campaigns';
import { langOf, sayIn } from '../../../builder/code/lang';
import type { Fields, Item, N8n } from '../../../builder/code/n8n';

/** The names of a column with phone numbers. */
const PHONE =
  /^(phone|mobile|cell|tel|telephone)([ _-]?(number|no\.?))?$|^(手机|电话|号码|手机号|手机号码|电话号码|联系电话|移动电话)$/i;

/** Written when a text is not in the encoding that it is read as. */
const REPLACED = '\uFFFD';

const ZH = {
  'Nothing was loaded': '没有导入',
  'The campaign has no name.': '请填写群发名称。',
  '“{campaign}” has been started already. Choose another name.':
    '“{campaign}”已开始，请换一个名称。',
  'The file has no rows.': '文件中没有数据。',
  'No column is named phone, mobile, 手机 or 手机号. The file has: {columns}.':
    '没有名为 phone、mobile、手机 或 手机号 的列。文件中的列：{columns}。',
} as const;

/** A list of recipients, or why there is none. */
interface Read {
  campaign: string;
  recipients: Fields[];
  /** The line of each recipient in the file. */
  lines: number[];
  title: string;
  problem: string;
}

/** Reads the recipients of the spreadsheet. */
export default function readTheTable({ $ }: N8n): Item<Read>[] {
  const form = $('Spreadsheet and name').first<Fields>().json;
  const campaign = String(form.name ?? '')
    .trim()
    .slice(0, 100);
  const stored = $('Campaign stored before').first<Partial<Campaign>>().json;
  const say = sayIn(langOf({ query: form }), ZH);
  const title = say('Nothing was loaded');
  const answer = (problem: string) => [
    { json: { campaign, recipients: [], lines: [], title, problem } },
  ];
  if (campaign === '') return answer(say('The campaign has no name.'));
  if (stored.id && !isOpen(stored as Campaign)) {
    return answer(say('“{campaign}” has been started already. Choose another name.', { campaign }));
  }
  const rows = $('Read Excel').isExecuted
    ? $('Read Excel')
        .all()
        .map(({ json }, index) => ({ line: index + 2, cells: json }))
    : csvRows(textOf($('Read as GBK').first<{ utf8?: string; gbk?: string }>().json));
  const columns = [...new Set(rows.flatMap(({ cells }) => Object.keys(cells)))];
  const phone = columns.find((name) => PHONE.test(name.trim()));
  if (rows.length === 0) return answer(say('The file has no rows.'));
  if (phone === undefined) {
    const found = columns.join(', ').slice(0, 300);
    return answer(
      say('No column is named phone, mobile, 手机 or 手机号. The file has: {columns}.', {
        columns: found,
      }),
    );
  }
  const recipients = rows.map(({ cells: { [phone]: number, ...others } }) => ({
    ...Object.fromEntries(
      columns.filter((name) => name !== phone).map((name) => [name.trim(), others[name] ?? '']),
    ),
    phone: number,
  }));
  return [
    { json: { campaign, recipients, lines: rows.map(({ line }) => line), title, problem: '' } },
  ];
}

/** Excel saves a CSV file in GBK on a Chinese Windows, other programs in UTF-8. */
function textOf({ utf8 = '', gbk = '' }: { utf8?: string; gbk?: string }): string {
  return (utf8.includes(REPLACED) ? gbk : utf8).replace(/^\uFEFF/, '');
}

interface Line {
  line: number;
  cells: Fields;
}

/** The rows of a CSV file by the names in its first line. */
function csvRows(text: string): Line[] {
  const [head, ...others] = csvCells(text);
  if (!head) return [];
  return others
    .filter(({ cells }) => cells.some((cell) => cell.trim() !== ''))
    .map(({ line, cells }) => ({
      line,
      cells: Object.fromEntries(head.cells.map((name, index) => [name.trim(), cells[index] ?? ''])),
    }));
}

/** The cells of each line. A cell in quotes may have separators, line breaks, and doubled quotes. */
function csvCells(text: string): { line: number; cells: string[] }[] {
  const firstLine = text.split(/\r?\n/, 1)[0] ?? '';
  const separator = [',', ';', '\t'].reduce((best, each) =>
    firstLine.split(each).length > firstLine.split(best).length ? each : best,
  );
  const lines: { line: number; cells: string[] }[] = [];
  let cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  let line = 1;
  let begin = 1;
  const endCell = () => {
    cells.push(cell);
    cell = '';
  };
  const endLine = () => {
    endCell();
    lines.push({ line: begin, cells });
    cells = [];
    begin = line;
  };
  for (let index = 0; index < text.length; index += 1) {
    const sign = text[index] ?? '';
    if (sign === '\n') line += 1;
    if (isQuoted) {
      if (sign !== '"') cell += sign;
      else if (text[index + 1] === '"') cell += text[(index += 1)];
      else isQuoted = false;
    } else if (sign === '"' && cell === '') isQuoted = true;
    else if (sign === separator) endCell();
    else if (sign === '\n') endLine();
    else if (sign !== '\r') cell += sign;
  }
  if (cell !== '' || cells.length > 0) endLine();
  return lines;
}
