/** Files as people have them, and what the form of a campaign makes of each. */
import { utils, write, type BookType, type CellObject, type WorkSheet } from '@e965/xlsx';
import fc from 'fast-check';
import { parse, unparse } from 'papaparse';

import { settings } from '../../test/kit/search/settings';
import { items, runCode } from '../../test/kit/workflows/codeNode';
import { listOf } from '../src/campaign-load/list';
import readTheTable, { type Read } from '../src/campaign-load/read-the-table';
import { csvOf } from '../src/campaign-page/csv';
import { parametersOf, type Recipient } from '../src/common/messages/campaigns';

type Cell = string | number | [value: number, format: string | number] | CellObject;

/** A workbook of sheets. */
function book(
  sheets: Record<string, Cell[][]>,
  change: (sheet: WorkSheet) => void = () => undefined,
  bookType: BookType = 'xlsx',
) {
  const made = Object.entries(sheets).map(([name, rows]) => {
    const sheet = utils.aoa_to_sheet(
      rows.map((row) =>
        row.map((cell) => (Array.isArray(cell) ? { t: 'n', v: cell[0], z: cell[1] } : cell)),
      ),
    );
    change(sheet);
    return [name, sheet] as const;
  });
  const all = { SheetNames: Object.keys(sheets), Sheets: Object.fromEntries(made) };
  return write(all, { type: 'buffer', bookType, cellStyles: true }) as Buffer;
}

const lines = (...rows: string[]) => rows.join('\r\n');

const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');

/** A workbook of Excel 95, with a name of four bytes. */
function old(bytes: string, codePage: number): Buffer {
  const [rows, mark] = [
    [
      ['phone', 'name'],
      [13810000010, 'ABCD'],
    ],
    hex('42000200'),
  ];
  const file = book({ A: rows }, undefined, 'biff5');
  hex(bytes).copy(file, file.indexOf('ABCD'));
  for (let at = file.indexOf(mark); at >= 0; at = file.indexOf(mark, at + 1)) {
    file.writeUInt16LE(codePage, at + mark.length);
  }
  return file;
}

/** 手机号,姓名 in GB18030, and 手機號,姓名 in Big5. */
const GB_HEAD = 'cad6bbfabac52cd0d5c3fb0d0a';
const BIG5_HEAD = 'a4e2bef7b8b92ca96da6570d0a';
const ascii = (text: string) => Buffer.from(text).toString('hex');

interface List {
  recipients: Record<string, string>[];
  lines: number[];
}

function read(file: Buffer | string, lang = 'en', said: object = TEMPLATES): Read & List {
  const [made] = runCode(readTheTable, [], {
    nodes: {
      'Spreadsheet and name': items({ name: 'Spring', lang }),
      'Campaign stored before': items({}),
      'Templates to choose': items(said),
      'Take the file': items({ file: Buffer.from(file).toString('base64') }),
    },
  });
  if (!made) throw new Error('Nothing was read.');
  const list = JSON.parse(made.json.list || '{"recipients":[],"lines":[]}') as List;
  expect(list.recipients).toHaveLength(made.json.rows);
  return { ...made.json, ...list };
}

/** What *SMS · Service* has stored. */
const TEMPLATES = { records: '[{"id":302}]' };

/** The recipients, each as one text; or why there is none. */
function told(file: Buffer | string) {
  const { recipients, problem } = read(file);
  if (problem) return problem;
  return recipients.map(({ phone, ...others }) => [phone, ...Object.values(others)].join(' '));
}

const ONE = '13810000010,李雷';
const TWO = '13810000011,韩梅梅';
const HEAD = '手机号,姓名';
const BOTH = ['13810000010 李雷', '13810000011 韩梅梅'];
const PLAIN = lines(HEAD, ONE, TWO);

const SHEET: Cell[][] = [
  ['手机号', '姓名'],
  [13810000010, '李雷'],
  ['13810000011', '韩梅梅'],
];
const NONE = /^The file is no spreadsheet\. Open it in Excel/;
const CHARACTERS = /^The characters of the file cannot be read/;

test.each<[string, Buffer | string, string[] | string | RegExp]>([
  ['UTF-8', PLAIN, BOTH],
  ['UTF-8 with a byte order mark', `\ufeff${PLAIN}`, BOTH],
  ['UTF-16', Buffer.from(`\ufeff${PLAIN}`, 'utf16le'), BOTH],
  ['UTF-16 the other way round', Buffer.from(`\ufeff${PLAIN}`, 'utf16le').swap16(), BOTH],
  ['UTF-16 without a mark', Buffer.from(PLAIN, 'utf16le'), BOTH],
  [
    'GB18030, as Chinese Excel saves it',
    hex(`${GB_HEAD}${ascii('13810000010,')}c0eec0d7`),
    BOTH.slice(0, 1),
  ],
  [
    'GB18030, with one Chinese word',
    hex(`${ascii('phone,name\n13810000010,')}c0ee86b4`),
    ['13810000010 李喆'],
  ],
  ['Big5', hex(`${BIG5_HEAD}${ascii('13810000010,')}b3afa470a9fa`), ['13810000010 陳小明']],
  ['UTF-8 with a broken byte', Buffer.concat([Buffer.from(PLAIN), hex('e6')]), CHARACTERS],
  ['Latin-1', Buffer.from('phone,name\n13810000010,Jos\u00e9', 'latin1'), CHARACTERS],
  [
    'a character that was lost before',
    lines(HEAD, ONE, '13810000011,韩\ufffd'),
    'Line 3: a character (�) was lost before. Write it again, and save the file as .xlsx.',
  ],
  ['semicolons', PLAIN.replaceAll(',', ';'), BOTH],
  ['tabs', PLAIN.replaceAll(',', '\t'), BOTH],
  ['full-width commas', PLAIN.replaceAll(',', '，'), BOTH],
  ['a line that names the separator', lines('sep=;', PLAIN.replaceAll(',', ';')), BOTH],
  [
    'semicolons, with commas in the texts',
    lines('手机号;姓名;地址', '13810000010;李雷;1,2,3'),
    ['13810000010 李雷 1,2,3'],
  ],
  ['CR line ends', PLAIN.replaceAll('\r\n', '\r'), BOTH],
  ['mixed line ends', PLAIN.replace('\r\n', '\n'), BOTH],
  ['one column', lines('手机号', '13810000010'), ['13810000010']],
  ['a title, and lines between', lines('六月的客户,', '', PLAIN), BOTH],
  [
    'no heading',
    lines(ONE, TWO),
    'No column is named phone, mobile, 手机 or 手机号. Write that above the numbers. The file begins with: 13810000010, 李雷.',
  ],
  [
    'a column of another name',
    lines('customer,name', ONE),
    'No column is named phone, mobile, 手机 or 手机号. Write that above the numbers. The file begins with: customer, name.',
  ],
  ...[
    '*手机号码（必填）',
    '手机号(11位)',
    ' Mobile ',
    '移动电话',
    '联系方式',
    'Phone No.',
    '【必填】手机',
    '手\u200b机号',
    '"手机号\n（必填）"',
    '手機號碼',
    '收货人手机号',
  ].map((name): [string, string, string[]] => [
    `the heading ${name}`,
    lines(`${name},姓名`, ONE, TWO),
    BOTH,
  ]),
  ['a decorated parameter', lines('手机号,*姓名（必填）', ONE), BOTH.slice(0, 1)],
  [
    '电话 beside 手机号',
    lines('电话,手机号,姓名', `010-62345678,${ONE}`),
    ['13810000010 010-62345678 李雷'],
  ],
  [
    'mobile numbers in 电话 alone',
    lines('手机号,电话,姓名', `,${ONE}`, `,${TWO}`),
    ['13810000010  李雷', '13810000011  韩梅梅'],
  ],
  [
    'mobile numbers in 电话 too',
    lines('电话,手机号,姓名', `13910000010,${ONE}`),
    ['13810000010 13910000010 李雷'],
  ],
  [
    'two columns of mobile numbers',
    lines('客户手机,收货人手机', '13810000010,13910000010'),
    'Two columns have mobile numbers: 客户手机, 收货人手机. Leave one of them in the file.',
  ],
  [
    'no mobile number',
    lines('电话,姓名', '010-62345678,李雷'),
    'No cell below “电话” that can be seen is a mobile number.',
  ],
  [
    'two columns of one name',
    lines('手机号,姓名,推荐人,姓名', `${ONE},是,王芳`),
    'Two columns are named “姓名”. Rename one, or take it away.',
  ],
  [
    'a quotation mark that is not closed',
    lines(HEAD, ONE, '13810000011,"韩梅梅', '13810000012,林涛', '13810000013,王芳'),
    'Line 3: a quotation mark (") is not closed, or only in another line. Take it away.',
  ],
  [
    'one that another row closes',
    lines(HEAD, ONE, '13810000011,"韩梅梅', '13810000012,林涛"', '13810000013,王芳'),
    'Line 3: a quotation mark (") is not closed, or only in another line. Take it away.',
  ],
  [
    'one with a text behind it',
    lines(HEAD, '13810000010,"李"雷', TWO),
    'Line 2: a quotation mark (") is not closed, or only in another line. Take it away.',
  ],
  [
    'one that stands for inches',
    lines(HEAD, '13810000010,电视 55" 黑', TWO),
    ['13810000010 电视 55" 黑', BOTH[1] ?? ''],
  ],
  [
    'a comma too many',
    lines(HEAD, ONE, `${TWO},又`),
    'Line 3 has more cells than the heading. A text with the separator in it needs quotation marks.',
  ],
  [
    'digits that a shop guards from Excel',
    lines(HEAD, '="13810000010",="00123"', "'13810000011,韩梅梅"),
    ['13810000010 00123', BOTH[1] ?? ''],
  ],
  [
    'numbers that a program saves as decimals',
    lines(HEAD, '13810000010.0,1.0'),
    ['13810000010 1.0'],
  ],
  [
    'a number that Excel has cut',
    lines('手机号,订单号', '13810000010,6.22202E+18', '1.38E+10,A-1'),
    ['13810000010 ', '1.38E+10 A-1'],
  ],
  [
    'what Excel shows where a value is missing',
    lines(HEAD, '13810000010,#N/A', '13810000011,#REF!', '13810000012,####', '#DIV/0!,#1'),
    ['13810000010 ', '13810000011 ', '13810000012 ', ' #1'],
  ],
  ['a heading spread over its cell', lines('手　机 号,姓　名', ONE, TWO), BOTH],
  [
    'another table below, with other columns',
    lines(`${HEAD},单号`, `${ONE},1`, '', '手机号,单号,姓名', '13810000011,2,韩梅梅'),
    'Line 4 is a heading too. Leave one table in the file, with one.',
  ],
  ['the heading again', lines(PLAIN, HEAD), [...BOTH, '手机号 姓名']],
  ['what a shop sells', lines(HEAD, '13810000010,手机', TWO), ['13810000010 手机', BOTH[1] ?? '']],
  ['a number above the heading', lines('联系电话,13900000000', '', PLAIN), BOTH],
  ['an empty file', '', 'The file is empty.'],
  ['an empty table', '\ufeff\r\n,,\r\n', 'The file is empty.'],
  ['only a heading', HEAD, 'No cell below “手机号” that can be seen is a mobile number.'],
  ['a PDF', '%PDF-1.7\n%\u00e2\u00e3\n1 0 obj', NONE],
  ['a picture', hex('89504e470d0a1a0a0000000d49484452'), NONE],
  ['a web page', '<html><body>Please log in</body></html>', NONE],
  ['a web page of a system that calls it .xls', '\n<table><tr><td>手机号</td></tr></table>', NONE],
  ['a Word document', Buffer.concat([hex('d0cf11e0a1b11ae1'), Buffer.alloc(600)]), NONE],
  ['half of a workbook', book({ A: SHEET }).subarray(0, 2_000), NONE],
  ['a workbook', book({ A: SHEET }), BOTH],
  ['a workbook of Excel 97', book({ A: SHEET }, undefined, 'biff8'), BOTH],
  ['an empty workbook', book({ A: [] }), 'The file is empty.'],
  ['the list on the second sheet', book({ 说明: [['请填写第二张表']], 名单: SHEET }), BOTH],
  [
    'lists on two sheets',
    book({ 一月: SHEET, 说明: [['x']], 二月: SHEET }),
    'Several sheets have mobile numbers: 一月, 二月. Leave one of them in the file.',
  ],
  [
    'more of the list on a sheet without a heading',
    book({ 一: SHEET, 二: [['林涛', '13810000012']] }),
    'Several sheets have mobile numbers: 一, 二. Leave one of them in the file.',
  ],
  ['OpenDocument, whose hidden rows cannot be known', book({ A: SHEET }, undefined, 'ods'), NONE],
  ['an old workbook', old('c0eec0d7', 936), BOTH.slice(0, 1)],
  ['one that does not say how it is encoded', old('c0eec0d7', 1252), CHARACTERS],
  ['one with signs of the West', old('d7d7d7d7', 1252), ['13810000010 ××××']],
  [
    'a text guarded from Excel, in a workbook',
    book({ A: [['手机号'], ["'13810000010"]] }),
    ['13810000010'],
  ],
  ['a title above the heading', book({ A: [['六月的客户'], [], ...SHEET] }), BOTH],
  [
    'a note beside the table',
    book({ A: [...SHEET.slice(0, 2), ['13810000011', '韩梅梅', '看这里']] }),
    BOTH,
  ],
])('%s', (_, file, expected) => {
  if (expected instanceof RegExp) expect(told(file)).toMatch(expected);
  else expect(told(file)).toEqual(expected);
});

test.each<[string, Cell, string]>([
  ['a date', [46176, 'yyyy/m/d'], '2026/6/3'],
  ['a date of its language', [46176, '[$-804]yyyy"年"m"月"d"日";@'], '2026年6月3日'],
  ['a date with its day', [46176, '[$-804]m"月"d"日" aaaa;@'], '6月3日 星期三'],
  ['a Chinese date', [46176, 'yyyy"年"m"月"d"日"'], '2026年6月3日'],
  ['a date as Windows shows it', [46176, '[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy'], '2026年6月3日'],
  ['a time', [0.604, 'h:mm'], '14:29'],
  ['leading zeros', [123, '00000'], '00123'],
  ['a percentage', [0.15, '0%'], '15%'],
  ['an amount', [1234.5, '"¥"#,##0.00'], '¥1,234.50'],
  [
    'an amount as accountants write it',
    [1234.5, '_ "¥"* #,##0.00_ ;_ "¥"* \\-#,##0.00_ '],
    '¥1,234.50',
  ],
  ['an amount with its sign', [99.9, '￥#,##0.00'], '￥99.90'],
  ['an amount of China', [99.9, '[$-804]#,##0.00元'], '99.90元'],
  ['a number in Chinese', [1234, '[DBNum2][$-804]General'], '1234'],
  ['a date without quotes', [46176, 'yyyy年m月d日'], '2026年6月3日'],
  ['a time of the afternoon', [0.75, '[$-804]上午/下午h"时"mm"分"'], '下午6时00分'],
  ['a date with points', [46176, 'yyyy\\.mm\\.dd'], '2026.06.03'],
  ['a date with points, as programs write it', [46176, 'yyyy.mm.dd'], '2026.06.03'],
  ['an amount with its country', [99.9, '[$¥-804]#,##0.00'], '¥99.90'],
  ['a number with its language', [99.5, '[$-zh-CN]0.00'], '99.50'],
  ['a number in no known format', [99.5, 'G/通用格式'], ''],
  ['a number of ten thousands', [12345, '0!.0,"万"'], ''],
  ['a sum of decimals', 0.1 + 0.2, '0.3'],
  ['a mobile number', 13800000000, '13800000000'],
  ['a mobile number in a narrow format', [13800000000, '0.00E+00'], '13800000000'],
  ['a mobile number with commas', [13800000000, '#,##0'], '13800000000'],
  ['a long number', 202606030000123, '202606030000123'],
  ['a number that Excel has rounded', 6222020200112233445, ''],
  ['a text of digits', '00123', '00123'],
  ['an error', { t: 'e', v: 42 }, ''],
  ['truth', { t: 'b', v: true }, 'TRUE'],
])('in a workbook, %s is what it shows in China', (_, cell, shown) => {
  for (const type of ['xlsx', 'biff8'] as const) {
    const file = book(
      {
        A: [
          ['手机号', '值'],
          ['13810000010', cell],
        ],
      },
      undefined,
      type,
    );
    expect(read(file).recipients).toEqual([{ phone: '13810000010', 值: shown }]);
  }
});

test('in a workbook, formats that China has by number alone', () => {
  const cells = [14, 22, 31, 57, 58, 32].map((id) => {
    const file = book({
      A: [
        ['手机号', '值'],
        ['13810000010', [46176.5, '0.00E+00']],
      ],
    });
    const changed = file.toString('latin1').replaceAll('numFmtId="11"', `numFmtId="${id}"`);
    return read(Buffer.from(changed, 'latin1')).recipients[0]?.值;
  });
  expect(cells).toEqual([
    '2026/6/3',
    '2026/6/3 12:00',
    '2026年6月3日',
    '2026年6月',
    '6月3日',
    '12时00分',
  ]);
});

test('hidden rows are left out, and told', () => {
  const hide = (sheet: WorkSheet) => {
    sheet['!rows'] = [{}, { hidden: true }, {}, { hidden: true }];
  };
  const file = book({ A: SHEET }, hide);
  expect(read(file)).toMatchObject({
    lines: [3],
    leftOut: ['1 hidden row is left out.'],
    recipients: [{ phone: '13810000011' }],
  });
});

test('a hidden sheet is no list, and told if it could be one', () => {
  const sheets = { 旧: SHEET, 说明: [['x']], 新: SHEET };
  const Sheets = Object.fromEntries(
    Object.entries(sheets).map(([name, rows]) => [name, utils.aoa_to_sheet(rows)]),
  );
  const Workbook = { Sheets: [{ Hidden: 1 as const }, { Hidden: 2 as const }, {}] };
  const file = write({ SheetNames: Object.keys(sheets), Sheets, Workbook }, { type: 'buffer' });
  expect(told(file as Buffer)).toEqual(BOTH);
  expect(read(file as Buffer).leftOut).toEqual(['The hidden sheet “旧” is left out.']);
});

test.each(['xlsx', 'biff8'] as const)('a hidden column is left out, and told (%s)', (type) => {
  const hide =
    (...columns: number[]) =>
    (sheet: WorkSheet) => {
      sheet['!cols'] = Array.from({ length: 4 }, (_, at) => ({ hidden: columns.includes(at) }));
    };
  const rows = SHEET.map(([phone = '', name = ''], at) => [phone, name, `c${at}`]);
  expect(read(book({ A: rows }, hide(2, 3), type))).toMatchObject({
    leftOut: ['The hidden column C is left out.'],
    recipients: [{ phone: '13810000010', 姓名: '李雷' }, {}],
  });
  expect(told(book({ A: rows }, hide(0, 1), type))).toBe(
    'No column is named phone, mobile, 手机 or 手机号. Write that above the numbers. The file begins with: c0. The hidden columns A, B are left out.',
  );
});

test('a row without height is hidden', () => {
  const file = book({ A: SHEET }, (sheet) => void (sheet['!rows'] = [{}, { hpt: 20 }]));
  const without = file.toString('latin1').replace('ht="20"', 'ht="00"');
  expect(read(Buffer.from(without, 'latin1')).leftOut).toEqual(['1 hidden row is left out.']);
});

describe('merged cells', () => {
  const ROWS: Cell[][] = [
    ['名单', ''],
    ...[
      ['手机号', '姓名', '', ''],
      [13810000010, '李雷', 'a', ''],
      [13810000011, '', '', ''],
    ],
    ['共 2 人', '', '', ''],
  ];
  const merging = (cells: string, rows = ROWS) =>
    (['xlsx', 'biff8'] as const).map((type) =>
      told(
        book({ A: rows }, (sheet) => void (sheet['!merges'] = [utils.decode_range(cells)]), type),
      ),
    );

  test.each(['B3:B4', 'A4:B4', 'A2:A3', 'B2:C2', 'A1:B2', 'A3:A5'])('%s are refused', (cells) => {
    const why = `The cells ${cells} are merged, and only the first has the value. Unmerge them in Excel, and fill each.`;
    expect(merging(cells)).toEqual([why, why]);
  });

  test.each(['A1:D1', 'B3:C3', 'B2:B2', 'C3:D3', 'C3:D4', 'A5:D5', 'D2:D5'])(
    '%s are read',
    (cells) => {
      const all = ['13810000010 李雷', '13810000011 ', '共 2 人 '];
      expect(merging(cells)).toEqual([all, all]);
    },
  );
});

test('a formula of which a program has left the value to Excel is told', () => {
  const file = book({
    A: [
      ['手机号', '值'],
      ['13810000010', { t: 'n', v: 7, f: '3+4' }],
    ],
  });
  expect(told(file)).toEqual(['13810000010 7']);
  const without = file.toString('latin1').replace('<f>3+4</f><v>7</v>', '<f>3+4</f><v></v> ');
  expect(told(Buffer.from(without, 'latin1'))).toBe(
    'Cell B2 has a formula without a value. Open the file in Excel, save it, and take that file.',
  );
});

test('a workbook that counts days from 1904', () => {
  const formats = ['yyyy/m/d', '[$-804]yyyy"年"m"月"d"日";@', '[$-804]m"月"d"日" aaaa;@'];
  const cells = formats.map((z): CellObject => ({ t: 'n', v: 46176 - 1462, z }));
  const sheet = utils.aoa_to_sheet([
    ['手机号', 'a', 'b', 'c'],
    ['13810000010', ...cells],
  ]);
  const all = {
    SheetNames: ['A'],
    Sheets: { A: sheet },
    Workbook: { WBProps: { date1904: true } },
  };
  const file = write(all, { type: 'buffer', bookType: 'xlsx' }) as Buffer;
  expect(told(file)).toEqual(['13810000010 2026/6/3 2026年6月3日 6月3日 星期三']);
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
  for (const type of ['xlsx', 'biff8'] as const) {
    expect(read(book({ A: cells }, undefined, type)).recipients).toEqual([recipient]);
  }
  expect(read(file.replace('"phone"', '手机号')).recipients).toEqual([recipient]);
});

test('a row has the line in which it begins', () => {
  const text = lines('sep=,', '', '手机号,姓名', '', '13810000010,"李', '雷"', '', TWO);
  expect(read(text)).toMatchObject({ lines: [5, 8], recipients: [{ 姓名: '李\n雷' }, {}] });
  expect(read(book({ A: [[], ...SHEET.slice(0, 2), [], ...SHEET.slice(2)] })).lines).toEqual([
    3, 5,
  ]);
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
