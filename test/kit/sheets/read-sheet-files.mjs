// Writes sheetFiles.json: files as people have them, and what n8n's own Extract from File makes of each with
// the parameters of file-sms, from the n8n that the end-to-end suite has installed.
//
//   node test/kit/sheets/read-sheet-files.mjs           writes it
//   node test/kit/sheets/read-sheet-files.mjs --check   fails if it says something else
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const require = createRequire(path.join(here, '../../e2e/package.json'));
const base = path.dirname(require.resolve('n8n-nodes-base/package.json'));
const xlsx = createRequire(path.join(base, 'package.json'))('@e965/xlsx');
const { ExtractFromFile } = require(
  path.join(base, 'dist/nodes/Files/ExtractFromFile/ExtractFromFile.node.js'),
);

/** The characters of the files, which Node.js does not write in GB18030 and Big5. */
const CODES = {
  gbk: '手cad6机bbfa号bac5码c2eb姓d0d5名c3fb订b6a9单b5a5日c8d5期c6da李c0ee雷c0d7喆86b4月d4c2',
  big5: '手a4e2機bef7號b8b9姓a96d名a657陳b3af小a470明a9fa月a4eb日a4e9',
};

function encoded(text, encoding) {
  const codes = new Map(
    CODES[encoding].match(/.[\da-f]{4}/gu).map((each) => [each[0], each.slice(1)]),
  );
  return Buffer.concat(
    [...text].map((each) =>
      codes.has(each) ? Buffer.from(codes.get(each), 'hex') : Buffer.from(each, 'ascii'),
    ),
  );
}

const lines = (...rows) => rows.join('\r\n');
const HEADER = 'phone,name,order,date';
const ONE = '13810000010,李雷,A-1,6月3日';
const TWO = '13810000011,王芳,A-2,6月3日';
const CHINESE = lines(
  '手机号码,姓名,订单号,日期',
  '13810000010,李雷,A-1,6月3日',
  '13810000011,李喆,A-2,6月3日',
);
const TABS = lines(HEADER, ONE).replaceAll(',', '\t');

/** A workbook of cells: a text, a number, or a number with its format. */
function workbook(rows, bookType = 'xlsx') {
  const sheet = xlsx.utils.aoa_to_sheet(
    rows.map((row) =>
      row.map((cell) => (Array.isArray(cell) ? { t: 'n', v: cell[0], z: cell[1] } : cell)),
    ),
  );
  const book = { SheetNames: ['Sheet1'], Sheets: { Sheet1: sheet } };
  return xlsx.write(book, { type: 'buffer', bookType, compression: true });
}

const COLUMNS = HEADER.split(',');

/** By name: the file's name and its bytes. */
const files = {
  'as it should be': ['orders.csv', lines(HEADER, ONE, TWO)],
  GBK: ['orders.csv', encoded(CHINESE, 'gbk')],
  'UTF-8 with a byte order mark': ['orders.csv', `\uFEFF${CHINESE}`],
  'UTF-16': ['orders.txt', Buffer.from(`\uFEFF${TABS}`, 'utf16le')],
  'UTF-16 the other way round': ['orders.txt', Buffer.from(`\uFEFF${TABS}`, 'utf16le').swap16()],
  Big5: ['orders.csv', encoded(lines('手機號,姓名,order', '13810000010,陳小明,A-1'), 'big5')],
  'UTF-8 with a broken byte': [
    'orders.csv',
    Buffer.concat([Buffer.from(lines(HEADER, ONE, TWO)), Buffer.from([0xe6])]),
  ],
  'Latin-1': [
    'orders.csv',
    Buffer.from(lines(HEADER, '13810000010,Jos\u00e9,A-1,3 June'), 'latin1'),
  ],
  semicolons: ['orders.csv', lines(HEADER, ONE).replaceAll(',', ';')],
  tabs: ['orders.txt', TABS],
  'a line that names the separator': [
    'orders.csv',
    lines('sep=;', HEADER.replaceAll(',', ';'), ONE.replaceAll(',', ';')),
  ],
  'a title above the header': ['orders.csv', lines('六月的客户,,,', '', HEADER, ONE)],
  'no phone column': ['orders.csv', lines('customer,order', '13810000010,A-1')],
  'no header': ['orders.csv', lines(ONE, TWO)],
  'two columns of one name': ['orders.csv', lines('phone,name,order,date,name', `${ONE},王芳`)],
  empty: ['orders.csv', ''],
  'only a header': ['orders.csv', lines(HEADER, ',,,', '')],
  'a quotation mark that is not closed': [
    'orders.csv',
    lines(HEADER, ONE, '13810000011,"王芳,A-2,6月3日', '13810000012,韩梅,A-3,6月3日'),
  ],
  'one that another row closes': [
    'orders.csv',
    lines(HEADER, '13810000010,"李雷,A-1,6月3日', '13810000011,王芳",A-2,6月3日'),
  ],
  'one in the last cell': ['orders.csv', lines(HEADER, '13810000010,李雷,A-1,"6月3日')],
  'rows without a phone, an order, a date': [
    'orders.csv',
    lines(HEADER, ONE, ',王芳,A-2,6月3日', '', '13810000012,韩梅,,6月3日', '13810000013,林涛,A-4,'),
  ],
  'a row with more cells than the header': [
    'orders.csv',
    lines(HEADER, ONE, '13810000011,王芳,A-2,6月3日,10:00'),
  ],
  'what came back': [
    'sent.csv',
    lines(`${HEADER},status,reason`, `${ONE},accepted,`, `${TWO},rejected,As it was`),
  ],
  'Excel, with texts': [
    'orders.xlsx',
    workbook([
      COLUMNS,
      [13810000010, '李雷', 'A-1', '6月3日'],
      ['13810000011', '王芳', '0007', '15%'],
    ]),
  ],
  'Excel, without Chinese': [
    'orders.xlsx',
    workbook([COLUMNS, [13810000010, 'M\u00fcller', 'A-1', '3 June']]),
  ],
  'Excel, with numbers that are not used': [
    'orders.xlsx',
    workbook([
      [...COLUMNS, 'price'],
      [13810000010, '李雷', 'A-1', '6月3日', [19.9, '\u00a5#,##0.00']],
    ]),
  ],
  'Excel, with a date, a time, leading zeros and a percentage': [
    'orders.xlsx',
    workbook([
      COLUMNS,
      [13810000010, '李雷', 'A-1', [46176, 'yyyy/m/d']],
      [13810000011, '王芳', 'A-2', [0.375, 'h:mm']],
      [13810000012, '韩梅', [7, '0000'], '6月3日'],
      [13810000013, '林涛', 'A-4', [0.15, '0%']],
      [13810000014, '丁一', 'A-5', '6月3日'],
    ]),
  ],
  'Excel, with orders that are numbers': [
    'orders.xlsx',
    workbook([
      COLUMNS,
      [13810000010, '李雷', 1001, '6月3日'],
      [13810000011, '王芳', 123456789012, '6月3日'],
      [13810000012, '韩梅', 40001, '6月3日'],
      [13810000013, '林涛', 19.5, '6月3日'],
    ]),
  ],
  'rows with a status': [
    'orders.csv',
    lines(
      `${HEADER},状态`,
      `${ONE},`,
      `${TWO},不发`,
      '13810000012,韩梅,A-3,6月3日,done',
      '13810000013,林涛,A-4,6月3日,unknown',
      '13810000014,丁一,A-5,6月3日,rejected',
    ),
  ],
  'GBK, with one character that GB2312 lacks': [
    'orders.csv',
    encoded(lines(HEADER, '13810000010,喆,A-1,June 3'), 'gbk'),
  ],
  'Excel, that begins in the third row': [
    'orders.xlsx',
    workbook([[], [], COLUMNS, ['', '李雷', 'A-1', '6月3日']]),
  ],
  'Excel of before 2007': [
    'orders.xls',
    workbook([COLUMNS, [13810000010, '李雷', 'A-1', '6月3日']], 'biff8'),
  ],
  'no table': ['orders.csv', '<html><body>Please log in</body></html>'],
};

const { parameters } = JSON.parse(
  readFileSync(path.join(here, '../../../examples/file-sms.json'), 'utf8'),
).nodes.find(({ name }) => name === 'Read the file');

/** What the node gives, as n8n keeps it: as JSON. A node that fails goes on with its error. */
async function extracted(fileName, bytes) {
  const binary = {
    data: bytes.toString('base64'),
    fileName,
    fileExtension: path.extname(fileName).slice(1),
  };
  const [items] = await new ExtractFromFile().execute.call({
    getNode: () => ({ typeVersion: 1.1 }),
    getInputData: () => [{ json: {}, binary: { file: binary } }],
    getNodeParameter: (name) => parameters[name],
    continueOnFail: () => true,
    helpers: { assertBinaryData: () => binary },
  });
  return items.map(({ json }) => json);
}

const found = {};
for (const [name, [fileName, content]] of Object.entries(files)) {
  const bytes = Buffer.from(content);
  found[name] = {
    fileName,
    bytes: bytes.toString('base64'),
    items: await extracted(fileName, bytes),
  };
}
const written = path.join(here, 'sheetFiles.json');
const table = (all) =>
  Object.entries(all).map(([name, file]) => `${JSON.stringify(name)}: ${JSON.stringify(file)}`);
const text = `{\n${table(found).join(',\n')}\n}\n`;
/** A workbook has the time in it at which it was made. */
const items = (json) =>
  JSON.stringify(Object.entries(JSON.parse(json)).map(([name, each]) => [name, each.items]));
if (process.argv[2] !== '--check') writeFileSync(written, text);
else if (items(readFileSync(written, 'utf8')) !== items(text))
  throw new Error(`${written} is of another n8n.`);
