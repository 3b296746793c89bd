/** Files as people have them, and what the form of a campaign makes of each. */
import { createContext, runInContext } from 'node:vm';

import { utils, write } from '@e965/xlsx';
import type { BookType, CellObject, WorkBook, WorkSheet } from '@e965/xlsx';
import fc from 'fast-check';
import { parse, unparse } from 'papaparse';

import { settings } from '../../test/kit/search/settings';
import { codeSees } from '../../test/kit/workflows/codeNode';
import { parametersOf as nodeParametersOf } from '../../test/kit/workflows/expression';
import { listOf } from '../src/campaign-load/list';
import readTheTable, { type Read } from '../src/campaign-load/read-the-table';
import { csvOf } from '../src/campaign-page/csv';
import { parametersOf, type Recipient } from '../src/common/messages/campaigns';

type Cell = string | number | [value: number, format: string | number] | CellObject;

interface Way {
  /** Changes each sheet. */
  change?: (sheet: WorkSheet) => void;
  type?: BookType;
  Workbook?: WorkBook['Workbook'];
}

/** A workbook of sheets. */
function book(sheets: Record<string, Cell[][]>, way: Way = {}): Buffer {
  const { change, type: bookType = 'xlsx', Workbook } = way;
  const made = Object.entries(sheets).map(([name, rows]) => {
    const sheet = utils.aoa_to_sheet(
      rows.map((row) =>
        row.map((cell) => (Array.isArray(cell) ? { t: 'n', v: cell[0], z: cell[1] } : cell)),
      ),
    );
    change?.(sheet);
    return [name, sheet] as const;
  });
  const all = { SheetNames: Object.keys(sheets), Sheets: Object.fromEntries(made), Workbook };
  return write(all, { type: 'buffer', bookType, cellStyles: true }) as Buffer;
}

/** The same of both kinds of Excel. */
const books = (rows: Cell[][], change?: Way['change']) =>
  (['xlsx', 'biff8'] as const).map((type) => book({ A: rows }, { change, type }));

/** A workbook in whose bytes something else stands. */
const rewritten = (file: Buffer, from: string, to: string) =>
  Buffer.from(file.toString('latin1').replaceAll(from, to), 'latin1');

const lines = (...rows: string[]) => rows.join('\r\n');

const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');

/** A workbook of Excel 95, with a name of four bytes. */
function old(bytes: string, codePage: number): Buffer {
  const rows = ['name', 'ABCD'].map((name, at) => [at > 0 ? 13810000010 : 'phone', name]);
  const mark = hex('42000200');
  const file = book({ A: rows }, { type: 'biff5' });
  hex(bytes).copy(file, file.indexOf('ABCD'));
  for (let at = file.indexOf(mark); at >= 0; at = file.indexOf(mark, at + 1)) {
    file.writeUInt16LE(codePage, at + mark.length);
  }
  return file;
}

/** 手機號,姓名 in Big5. */
const BIG5_HEAD = 'a4e2bef7b8b92ca96da6570d0a';
const ascii = (text: string) => Buffer.from(text).toString('hex');
const PHONE_HEAD = ascii('phone,name\n13810000010,');

interface List {
  recipients: Record<string, string>[];
  lines: number[];
}

function read(file: Buffer | string, lang = 'en', said: object = TEMPLATES): Read & List {
  const nodes = {
    'Spreadsheet and name': { name: 'Spring', lang },
    'Campaign stored before': {},
    'Templates to choose': said,
    'Take the file': { file: Buffer.from(file).toString('base64') },
  };
  const made = readTheTable(codeSees(nodes));
  const list = JSON.parse(made.list || '{"recipients":[],"lines":[]}') as List;
  expect(list.recipients).toHaveLength(made.rows);
  return { ...made, ...list };
}

/** What *SMS · Service* has stored. */
const TEMPLATES = { records: '[{"id":302}]' };

/** The recipients, each as one text, and what was left out; or why there is none. */
function told(file: Buffer | string): string | string[] {
  const { recipients, problem, leftOut } = read(file);
  const texts = recipients.map(({ phone, ...others }) => [phone, ...Object.values(others)]);
  return problem || [...texts.map((each) => each.join(' ')), ...leftOut];
}

const PHONE = (index: number) => `1381000001${index}`;
/** What is read of so many people. */
const people = (...names: string[]) => names.map((name, index) => `${PHONE(index)} ${name}`);
/** A text with these people. */
const text = (...names: string[]) =>
  lines(HEAD, ...people(...names).map((each) => each.replace(' ', ',')));

const HEAD = '手机号,姓名';
const BOTH = people('李雷', '韩梅梅');
const PLAIN = text('李雷', '韩梅梅');
const [, ONE = '', TWO = ''] = PLAIN.split('\r\n');

const NAMES: Cell[] = ['手机号', '姓名'];
const SHEET = [NAMES, [13810000010, '李雷'], ['13810000011', '韩梅梅']];
const NONE = 'The file is no spreadsheet. Open it in Excel';
const CHARACTERS = 'The characters of the file cannot be read';
const NO_COLUMN = 'No column is named phone, mobile, 手机 or 手机号. Write that above the numbers.';
const TWO_COLUMNS = 'Two columns have mobile';

/** A file, what is read of it, or how it begins to be said why nothing is. */
type Example = [what: string, file: Buffer | string | Buffer[], expected: string[] | string];

/** A list of which these cells are one. */
function merged(cells: string, expected: Example[2]): Example {
  const rows = ['名单', '', '手机号', '姓名', 13810000010, '李雷', 13810000011, '', '共 2 人', ''];
  const wide = [0, 2, 4, 6, 8].map((at) => [...rows.slice(at, at + 2), at === 4 ? 'a' : '', '']);
  const all = [utils.decode_range(cells)];
  return [`merged ${cells}`, books(wide, (sheet) => void (sheet['!merges'] = all)), expected];
}
const hiding = (...columns: number[]) => {
  const rows = SHEET.map(([phone = '', name = ''], at) => [phone, name, `c${at}`]);
  const all = [0, 1, 2, 3].map((at) => ({ hidden: columns.includes(at) }));
  return books(rows, (sheet) => void (sheet['!cols'] = all));
};
const withRow = (row: object) =>
  book({ A: SHEET }, { change: (sheet) => void (sheet['!rows'] = [{}, row]) });
/** A workbook in which one person has this value. */
const valued = (cell: Cell, way?: Way) => book({ A: [NAMES, [PHONE(0), cell]] }, way);
const FORMULA = book({ A: [['手机号'], [PHONE(0)], [{ t: 'n', v: 7, f: '3+4' }]] });
const HIDDEN = { Sheets: [{ Hidden: 1 as const }, { Hidden: 2 as const }, {}] };
const [DATE, DAY] = ['[$-804]yyyy"年"m"月"d"日";@', '[$-804]m"月"d"日" aaaa;@'];
const ACCOUNT = '_ "¥"* #,##0.00_ ;_ "¥"* \\-#,##0.00_ ';

const FILES: Example[] = [
  ['one Chinese word', hex(`${PHONE_HEAD}c0ee86b4`), people('李喆')],
  ['Big5', hex(`${BIG5_HEAD}${ascii('13810000010,')}b3afa470a9fa`), people('陳小明')],
  ['Big5, half of it usual', hex(`${PHONE_HEAD}a470c940`), people('小乂')],
  ['Big5, none of it usual', hex(`${PHONE_HEAD}c940c94a`), CHARACTERS],
  ['UTF-8 with a broken byte', Buffer.concat([Buffer.from(PLAIN), hex('e6')]), CHARACTERS],
  ['Latin-1', Buffer.from('phone,name\n13810000010,Jos\u00e9', 'latin1'), CHARACTERS],
  ['a lost character', text('李雷', '韩\ufffd'), 'Line 3: a character (�) was'],
  ['full-width commas', PLAIN.replaceAll(',', '，'), BOTH],
  ['commas in texts', lines('手机号;姓名', '13810000010;1,2,3'), people('1,2,3')],
  ['mixed line ends', PLAIN.replace('\r\n', '\n'), BOTH],
  ['one column', lines('手机号', PHONE(0)), [PHONE(0)]],
  ['an open quote', text('李雷', '"韩', '林'), 'Line 3: a quotation'],
  ['one closed below', lines(text('李雷', '"韩'), `${TWO}"`, ONE), 'Line 3: a quotation'],
  ['a text behind a quote', text('"李"雷', '韩梅梅'), 'Line 2: a quotation mark'],
  ['inches', text('电视 55" 黑'), people('电视 55" 黑')],
  ['a comma too many', text('李雷', '韩梅梅,又'), 'Line 3 has more cells than the heading.'],
  ['guarded digits', lines(HEAD, '="13810000010",="00123"'), people('00123')],
  ['a guarded number', lines(HEAD, "'13810000011,韩梅梅"), BOTH.slice(1)],
  ['decimals of a program', lines(HEAD, '13810000010.0,1.0'), people('1.0')],
  ['a cut number', text('6.22202E+18'), people('')],
  ['a cut phone', lines(HEAD, ONE, '1.38E+10,A-1'), [...people('李雷'), '1.38E+10 A-1']],
  ['what Excel shows for no value', text('#N/A', '#REF!', '####', '#1'), people('', '', '', '#1')],
  ['what others show', text('#GETTING_DATA', 'Loading...', '#A1'), people('', '', '#A1')],
  ['that for a number', lines(PLAIN, '#DIV/0!,#1'), [...BOTH, ' #1']],
  ...[
    ...['*手机号码（必填）', '手机号(11位)', ' Mobile ', '移动电话', '联系方式', 'Phone No.'],
    ...['【必填】手机', '手\u200b机号', '"手机号\n（必填）"', '手機號碼', '收货人手机号'],
  ].map((name): Example => [`the heading ${name}`, PLAIN.replace('手机号', name), BOTH]),
  ['a title, and lines between', lines('六月的客户,', '', PLAIN), BOTH],
  ['a number above', lines('联系电话,13900000000', '', PLAIN), BOTH],
  ['spread', lines('手　机 号,姓　名', ONE, TWO), BOTH],
  ['none', lines(ONE, TWO), `${NO_COLUMN} The file begins with: 13810000010, 李雷.`],
  [
    'another name',
    lines('customer,name', ONE),
    `${NO_COLUMN} The file begins with: customer, name.`,
  ],
  ['only a heading', HEAD, 'No cell below “手机号” that can be seen is a mobile number.'],
  ['no mobile number', lines('电话,姓名', '010-62345678,李雷'), 'No cell below “电话”'],
  ['电话 beside it', lines('电话,手机号', `010-6234,${PHONE(0)}`), people('010-6234')],
  ['电话 alone has them', lines('手机号,电话', ',13810000010'), people('')],
  ['电话 has some, too', lines('电话,手机号', `13910000010,${PHONE(0)}`), people('13910000010')],
  ['two', lines('客户手机,收货人手机', ',13810000010', '13910000010,13810000011'), TWO_COLUMNS],
  ['one name twice', lines(`${HEAD},姓名`, `${ONE},王芳`), 'Two columns are named “姓名”.'],
  ['another', lines(`${HEAD},单号`, `${ONE},1`, '手机号,单号,姓名', TWO), 'Line 3 is a heading'],
  ['the heading again', lines(PLAIN, HEAD), [...BOTH, '手机号 姓名']],
  ['what a shop sells', text('手机'), people('手机')],
  ['an empty file', '', 'The file is empty.'],
  ['an empty table', '\ufeff\r\n,,\r\n', 'The file is empty.'],
  ['a PDF', '%PDF-1.7\n%\u00e2\u00e3\n1 0 obj', NONE],
  ['a picture', hex('89504e470d0a1a0a0000000d49484452'), NONE],
  ['a web page that is called .xls', '\n<table><tr><td>手机号</td></tr></table>', NONE],
  ['a Word document', Buffer.concat([hex('d0cf11e0a1b11ae1'), Buffer.alloc(600)]), NONE],
  ['half of a workbook', book({ A: SHEET }).subarray(0, 2_000), NONE],
  ['OpenDocument, whose hidden rows cannot be known', book({ A: SHEET }, { type: 'ods' }), NONE],
  ['nothing', book({ A: [] }), 'The file is empty.'],
  ['a note beside it', book({ A: [...SHEET.slice(0, 2), ['13810000011', '韩梅梅', '看']] }), BOTH],
  ['the list on the second sheet', book({ 说明: [['请填写第二张表']], 名单: SHEET }), BOTH],
  [
    'two lists',
    book({ 一: SHEET, 说明: [['x']], 二: SHEET }),
    'Several sheets have mobile numbers: 一, 二.',
  ],
  ['more elsewhere', book({ 一: SHEET, 二: [['13810000012']] }), 'Several sheets have mobile'],
  ['an old one', old('c0eec0d7', 936), people('李雷')],
  ['one that does not say how it is encoded', old('c0eec0d7', 1252), CHARACTERS],
  ['one with signs of the West', old('d7d7d7d7', 1252), people('××××')],
  ['a guarded text', book({ A: [['手机号'], ["'13810000010"]] }), [PHONE(0)]],
  [
    'hidden rows, and one without height',
    [withRow({ hidden: true }), rewritten(withRow({ hpt: 20 }), 'ht="20"', 'ht="00"')],
    [...BOTH.slice(1), '1 hidden row is left out.'],
  ],
  [
    'hidden sheets, of which one could be a list',
    book({ 旧: SHEET, 说明: [['x']], 新: SHEET }, { Workbook: HIDDEN }),
    [...BOTH, 'The hidden sheet “旧” is left out.'],
  ],
  ['a hidden column', hiding(2, 3), [...BOTH, 'The hidden column C is left out.']],
  [
    'hidden columns with the list',
    hiding(0, 1),
    `${NO_COLUMN} The file begins with: c0. The hidden columns A, B are left out.`,
  ],
  ...['B3:B4', 'A4:B4', 'A2:A3', 'B2:C2', 'A1:B2', 'A3:A5'].map((cells) =>
    merged(cells, `The cells ${cells} are merged`),
  ),
  ...['A1:D1', 'B3:C3', 'B2:B2', 'C3:D3', 'C3:D4', 'A5:D5', 'D2:D5'].map((cells) =>
    merged(cells, [...people('李雷', ''), '共 2 人 ']),
  ),
  ['a formula', FORMULA, [PHONE(0), '7']],
  [
    'a formula of which a program has left the value to Excel',
    rewritten(FORMULA, '<f>3+4</f><v>7</v>', '<f>3+4</f><v></v> '),
    'Cell A3 has a formula without a value.',
  ],
  ...Object.entries({ 'yyyy/m/d': '2026/6/3', [DATE]: '2026年6月3日', [DAY]: '6月3日 星期三' }).map(
    ([format, shown]): Example => {
      const Workbook = { WBProps: { date1904: true } };
      return [`${format} since 1904`, valued([46176 - 1462, format], { Workbook }), people(shown)];
    },
  ),
  ...Object.entries({
    ...{ 14: '2026/6/3', 22: '2026/6/3 12:00', 31: '2026年6月3日', 57: '2026年6月' },
    ...{ 58: '6月3日', 32: '12时00分' },
  }).map(([id, shown]): Example => {
    const file = rewritten(valued([46176.5, '0.00E+00']), 'numFmtId="11"', `numFmtId="${id}"`);
    return [`the format ${id} that China has by number alone`, file, people(shown)];
  }),
  ...[
    ['a date as Windows has it', [46176, '[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy'], '2026年6月3日'],
    ['leading zeros', [123, '00000'], '00123'],
    ['an amount as accountants write it', [1234.5, ACCOUNT], '¥1,234.50'],
    ['an amount with its sign', [99.9, '￥#,##0.00'], '￥99.90'],
    ['an amount of China', [99.9, '[$-804]#,##0.00元'], '99.90元'],
    ['a number in Chinese', [1234, '[DBNum2][$-804]General'], '1234'],
    ['a date without quotes', [46176, 'yyyy年m月d日'], '2026年6月3日'],
    ['a time of the afternoon', [0.75, '[$-804]上午/下午h"时"mm"分"'], '下午6时00分'],
    ['a date with points', [46176, 'yyyy\\.mm\\.dd'], '2026.06.03'],
    ['a date with points, as programs write it', [46176, 'yyyy.mm.dd'], '2026.06.03'],
    ['an amount with its country', [99.9, '[$¥-804]#,##0.00'], '¥99.90'],
    ['a number in no known format', [99.5, 'G/通用格式'], ''],
    ['a number of ten thousands', [12345, '0!.0,"万"'], ''],
    ['a sum of decimals', 0.1 + 0.2, '0.3'],
    ['a mobile number in a narrow format', [13800000000, '0.00E+00'], '13800000000'],
    ['a mobile number with commas', [13800000000, '#,##0'], '13800000000'],
    ['a long number', 202606030000123, '202606030000123'],
    ['a number that Excel has rounded', 6222020200112233445, ''],
    ['a text of digits', '00123', '00123'],
    ['an error', { t: 'e', v: 42 }, ''],
    ['truth', { t: 'b', v: true }, 'TRUE'],
  ].map(([what, cell, shown]): Example => {
    const both = (['xlsx', 'biff8'] as const).map((type) => valued(cell as Cell, { type }));
    return [`${String(what)}, as it shows in China`, both, people(String(shown))];
  }),
];

test.each(FILES)('%s', (_, files, expected) => {
  for (const file of [files].flat()) {
    const found = told(file);
    const isWhy = typeof expected === 'string';
    expect(isWhy ? found.slice(0, expected.length) : found).toEqual(expected);
  }
});

test('the list of rows that the page of a campaign gives loads again as it was', () => {
  const sign = fc.constantFrom(...`'"=+-@,;\t|，\r\n 0123456789.EAaé李😀\u0001#N/A！*（必填）<{`);
  const kind = fc.constantFrom(
    ...['00123', '6222020200112233445', '1.5E+10', '#N/A', '13800138000', 'phone', '手机号'],
    ...['status (SMS desk)', '状态', "'", "''x", '="0012"', '\n13800138001,x\n', '1e5', 'TRUE'],
  );
  const text = fc.oneof(
    fc.array(sign, { maxLength: 6 }).map((all) => all.join('')),
    kind,
  );
  const name = text.filter((each) => each !== 'phone' && each !== '');
  const phone = fc.nat(99_999_999).map((end) => `138${String(end).padStart(8, '0')}`);
  const recipient = fc.record({
    phone: fc.oneof({ weight: 9, arbitrary: phone }, { weight: 1, arbitrary: text }),
    others: fc.dictionary(name, text, { maxKeys: 4 }),
  });
  fc.assert(
    fc.property(fc.array(recipient, { minLength: 1, maxLength: 6 }), phone, (all, number) => {
      const recipients = [
        { phone: number },
        ...all.map(({ phone, others }) => ({ ...others, phone })),
      ];
      const { rows } = listOf({ recipients });
      const file = rows.map((row, id) => ({ ...row, id, reason: '=1\n"' }) as unknown as Recipient);
      const again = read(csvOf(file));
      expect(again.problem).toBe('');
      const names = rows.flatMap((row) => Object.keys(parametersOf(row)));
      const nothing = Object.fromEntries(names.map((each) => [each, '']));
      const whole = (row: (typeof rows)[number]) => [
        ...[row.phone_number, row.status],
        // Of a column that others have, a row has an empty text.
        { ...nothing, ...parametersOf(row) },
      ];
      const loaded = listOf({ ...again }).rows;
      expect(loaded.map(whole)).toEqual(rows.map(whole));
    }),
    settings(400),
  );
});

test('a spreadsheet may save that list as a workbook, and a person rename its numbers', () => {
  const given = ['00123', '=1', '6-3', '李雷', '7', "'x", 'A-1'];
  const parameters = JSON.stringify(Object.fromEntries(given.map((each, at) => [`c${at}`, each])));
  const row = { id: 1, line: 2, phone_number: '13810000010', parameters, status: 'failed' };
  const file = csvOf([row as Recipient]);
  const cells = parse<string[]>(file.slice(1, -2)).data.map((each) =>
    each.map((cell) => (/^\d+$/.test(cell) ? Number(cell) : cell)),
  );
  const recipient = { phone: '13810000010', ...(JSON.parse(parameters) as object) };
  for (const each of books(cells)) expect(read(each).recipients).toEqual([recipient]);
  expect(read(file.replace('"phone"', '手机号')).recipients).toEqual([recipient]);
});

test('a row has the line in which it begins', () => {
  const text = lines('sep=,', '', '手机号,姓名', '', '13810000010,"李', '雷"', '', TWO);
  expect(read(text)).toMatchObject({ lines: [5, 8], recipients: [{ 姓名: '李\n雷' }, {}] });
  const rows = [[], ...SHEET.slice(0, 2), [], ...SHEET.slice(2)];
  expect(read(book({ A: rows })).lines).toEqual([3, 5]);
});

test('why nothing was read is said in Chinese', () => {
  const files = ['', '%PDF-1', lines('电话', '1'), lines(HEAD, `${ONE},x`), book({ A: [['x']] })];
  for (const file of files) expect(read(file, 'zh').problem).toMatch(/^[^A-Za-z]*[\u4e00-\u9fff]/);
});

test.each([{}, { error: 'no table' }, { records: '[{"id":302,"status":false}]' }])(
  'without a template to choose, as after %j, nothing is loaded',
  (said) => {
    expect(read(PLAIN, 'en', said)).toMatchObject({
      recipients: [],
      problem: expect.stringMatching(/^There is no template to choose.*SMS · Service/) as unknown,
    });
    expect(read(PLAIN, 'zh', said).problem).toMatch(/^没有可选的模板/);
  },
);

test('each dialect of a table says the same', () => {
  const cell = fc.stringMatching(/^[\w李雷 ,;\t|"'=\n-]{0,9}$/);
  const row = fc.tuple(fc.nat(99_999_999), cell, cell);
  const table = fc.array(row, { minLength: 1, maxLength: 8 }).map((rows) =>
    // What guards digits from Excel goes, and is tried above.
    rows.map(([phone, ...cells]) => [
      `138${String(phone).padStart(8, '0')}`,
      ...cells.map((each) => each.replace(/^[='"\s]+/, '').trim()),
    ]),
  );
  const dialect = fc.record({
    delimiter: fc.constantFrom(',', '\t', ';', '|'),
    newline: fc.constantFrom('\n', '\r\n', '\r'),
    quotes: fc.boolean(),
    isNamed: fc.boolean(),
    encode: fc.constantFrom(
      (text: string) => Buffer.from(text),
      (text: string) => Buffer.from(`\ufeff${text}`),
      (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le'),
      (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
      (text: string) => Buffer.from(text, 'utf16le'),
      (text: string) => Buffer.from(text, 'utf16le').swap16(),
      inGbk,
    ),
  });
  fc.assert(
    fc.property(table, dialect, (rows, { encode, isNamed, ...way }) => {
      const text = unparse([['手机', '李', '雷'], ...rows], way);
      const { recipients, problem } = read(
        encode(`${isNamed ? `sep=${way.delimiter}${way.newline}` : ''}${text}`),
      );
      expect(problem).toBe('');
      expect(recipients).toEqual(rows.map(([phone, 李, 雷]) => ({ phone, 李, 雷 })));
    }),
    settings(150),
  );
});

/** In GB18030, which Node.js does not write. */
function inGbk(text: string): Buffer {
  const codes: Record<string, string> = { 手: 'cad6', 机: 'bbfa', 李: 'c0ee', 雷: 'c0d7' };
  return hex([...text].map((sign) => codes[sign] ?? ascii(sign)).join(''));
}

// A task runner of n8n takes this away.
const TAKEN = `Object.getPrototypeOf = () => ({}); Object.setPrototypeOf = () => false;
Object.defineProperty = () => ({}); Object.defineProperties = () => ({});
[Object, Array, String, Number, RegExp, Error, Map, Date, Math, Uint8Array].forEach(Object.freeze);`;

test.each(['xlsx', 'biff8', 'csv'] as const)(
  'the code as it stands in the workflow, with its packages, reads %s in a task runner of n8n',
  async (type) => {
    const given: Record<string, object> = {
      'Spreadsheet and name': { name: 'Spring', lang: 'en' },
      'Take the file': { file: book({ A: SHEET }, { type }).toString('base64') },
      'Templates to choose': TEMPLATES,
    };
    const $ = (name: string) => ({ first: () => ({ json: given[name] ?? {} }) });
    const require = () => {
      throw new Error('n8n lets no code require it.');
    };
    const { jsCode } = nodeParametersOf('campaign-load', 'Read the table');
    const code = `${TAKEN} (async () => { ${String(jsCode)} })()`;
    const made = runInContext(code, createContext({ $, require, atob, TextDecoder })) as unknown;
    const { problem, list } = (await made) as Read;
    expect([problem, list]).toEqual(['', expect.stringContaining('"姓名":"韩梅梅"')]);
  },
);
