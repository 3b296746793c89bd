/** Finds the list in a file: its sheet, its heading, and the column of its phone numbers. */
import { NotRead, type Told } from './not-read';
import { isMobile, nameOf as cellOf, type File, type Row, type Sheet } from './sheets';
import { OWN, PHONE as OWN_PHONE, unguarded } from '../common/text/own-list';

export interface Table {
  /** The names of the columns. One without a name is not read. */
  names: string[];
  phone: number;
  /** Those that can be seen. */
  rows: Row[];
  /** What cannot. */
  leftOut: Told[];
}

/** The names of a column with mobile numbers, and of one that may have some. */
const MOBILE =
  /^(mobile(phone)?|cell(phone)?)(no|number)?$|^(客户|顾客|会员|用户|买家|收件人|收货人|联系人|联系)?(手机|手機|移动电话)(号码|号|號碼|號)?$/;
const PHONE =
  /^(tele)?phone(no|number)?$|^tel(no|number)?$|^(客户|顾客|会员|用户|买家|收件人|收货人|联系人|联系)?(电话|電話|联系方式|号码)(号码|号|號碼|號)?$/;

/** What Excel shows of a long number. */
const CUT = /^-?\d(\.\d+)?E\+\d+$/i;

/** So many rows may stand above the heading. */
const ABOVE = 20;

/** A name without what decorates it: *手机号码（必填） */
const bare = (name: string) =>
  name
    .normalize('NFKC')
    .replace(/[([【<].*?[)\]】>]|[\s*:._\-\p{Cf}]/gu, '')
    .toLowerCase();

const isPhone = (name: string) => PHONE.test(bare(name)) || MOBILE.test(bare(name));

const hasMobile = ({ cells, isHidden }: Row) => !isHidden && cells.some(isMobile);

/** A name as a template may have it: marks of what must be filled in go, and what spreads it in its cell. */
const nameOf = (name: string) =>
  name
    .replace(/(?<=\p{sc=Han})\s+(?=\p{sc=Han})/gu, '')
    .replace(/^[*＊\s]+|[*＊\s]+$|[（(【[]\s*(必填|选填|required|optional)\s*[）)】\]]/gi, '')
    .trim();

/** The name of a column of a list that the desk has written, but for those that it has added. */
const ownNameOf = (name: string) => (Object.values(OWN).includes(name) ? '' : unguarded(name));

function namesIn({ sheet: { rows, isOwn }, at }: Heading): string[] {
  return (rows[at]?.cells ?? []).map(isOwn ? ownNameOf : nameOf);
}

/** A text whose quotation mark is not closed has no certain lines. */
function refuseOpen({ open: line }: Heading['sheet']): void {
  if (line === undefined) return;
  throw new NotRead(
    'Line {line}: a quotation mark (") is not closed, or only in another line. Take it away.',
    { line },
  );
}

/**
 * The list of a file.
 *
 * @throws NotRead if there is none, or if it is not clear which
 */
export function tableIn({ sheets, isText, leftOut }: File): Table {
  const found = sheets.map(headingOf).filter((heading) => heading !== undefined);
  const full = found.filter(({ columns }) => columns.some(({ mobiles }) => mobiles > 0));
  const [heading] = full.sort((one, other) => (isText ? other.width - one.width : 0));
  if (!heading) {
    const { text, values } = noneIn(sheets, found[0]);
    throw new NotRead(text, values, [...leftOut, ...sheets.flatMap(hiddenIn)]);
  }
  // One without a heading may have more of the people.
  const listed = isText ? [] : sheets.filter(({ rows }) => rows.some(hasMobile));
  if (listed.length > 1) {
    throw new NotRead(
      'Several sheets have mobile numbers: {sheets}. Leave one of them in the file.',
      { sheets: listed.map(({ name }) => name).join(', ') },
    );
  }
  const { sheet, below } = heading;
  refuseOpen(sheet);
  const { isOwn } = sheet;
  const names = namesIn(heading);
  const twice = names.find((name, index) => name !== '' && names.indexOf(name) < index);
  if (twice !== undefined) {
    throw new NotRead('Two columns are named “{column}”. Rename one, or take it away.', {
      column: twice,
    });
  }
  const long = isText && below.find(({ cells }) => cells.slice(names.length).some(Boolean));
  if (long) {
    throw new NotRead(
      'Line {line} has more cells than the heading. A text with the separator in it needs quotation marks.',
      { line: long.line },
    );
  }
  const rows = below.filter(({ isHidden }) => !isHidden);
  const again = rows.find((row) => !isOwn && !hasMobile(row) && isAnother(row, names));
  if (again) {
    throw new NotRead('Line {line} is a heading too. Leave one table in the file, with one.', {
      line: again.line,
    });
  }
  refuseMerged(heading, names, rows);
  const phone = phoneOf(heading);
  const valueOf = (cell: string, index: number) => {
    if (isOwn) return unguarded(cell);
    return index === phone ? cell : cell.replace(CUT, '');
  };
  const hidden = below.length - rows.length;
  return {
    ...{ names, phone },
    rows: rows.map((row) => ({ ...row, cells: row.cells.map(valueOf) })),
    leftOut: [...leftOut, ...hiddenIn(sheet), ...(hidden > 0 ? [hiddenRows(hidden)] : [])],
  };
}

const hiddenRows = (hidden: number): Told => [
  '{hidden} hidden {hidden|row is|rows are} left out.',
  { hidden },
];

function hiddenIn({ hidden }: Sheet): Told[] {
  const values = { n: hidden.length, columns: hidden.join(', ') };
  if (hidden.length === 0) return [];
  return [['The hidden {n|column|columns} {columns} {n|is|are} left out.', values]];
}

/** Of merged cells, a person sees the value in each, and only the first has it. */
function refuseMerged({ sheet, at }: Heading, names: string[], rows: Row[]): void {
  const heading = sheet.rows[at];
  const lines = new Map(sheet.rows.map((row) => [row.line - 1, row]));
  const read = new Map([heading, ...rows].map((row) => [(row?.line ?? 0) - 1, row]));
  const cut = sheet.merged?.find(({ s: { r: from, c: left }, e: { r: to, c: right } }) => {
    const columns = names.map((_, index) => index).filter((each) => each >= left && each <= right);
    const others = columns.filter((each) => each > left);
    if (!lines.get(from)?.cells[left] || columns.length === 0) return false;
    for (let line = from + 1; line <= to; line += 1) {
      if (read.has(line) && columns.some((each) => names[each])) return true;
    }
    const first = read.get(from);
    if (first === heading) return others.some((each) => rows.some(({ cells }) => cells[each]));
    // A note below the list may be as wide as the list.
    return first !== undefined && hasMobile(first) && others.some((each) => names[each]);
  });
  if (!cut) return;
  const [first, last] = [cut.s, cut.e].map(({ r, c }) => cellOf(r, c));
  throw new NotRead(
    'The cells {cells} are merged, and only the first has the value. Unmerge them in Excel, and fill each.',
    { cells: `${first}:${last}` },
  );
}

/** Whether the columns below a row have other names. */
const isAnother = ({ cells }: Row, names: string[]) =>
  cells.some(isPhone) && cells.some((cell, index) => nameOf(cell) !== (names[index] ?? ''));

interface Heading {
  sheet: Sheet;
  /** Which row it is. */
  at: number;
  /** How many cells it has. */
  width: number;
  below: Row[];
  /** Those that may have the phone numbers. */
  columns: { index: number; name: string; mobiles: number }[];
}

/** The first row with a name of a column with phone numbers, and with such numbers below it if any has. */
function headingOf(sheet: Sheet): Heading | undefined {
  const { rows } = sheet;
  const headings = rows.slice(0, ABOVE).map(({ cells }, at): Heading => {
    const below = rows.slice(at + 1);
    const seen = below.filter(({ isHidden }) => !isHidden);
    const isOwn = sheet.isOwn && cells.includes(OWN_PHONE);
    const columns = cells.flatMap((name, index) => {
      if (isOwn ? name !== OWN_PHONE : !isPhone(name) || cells.some(isMobile)) return [];
      const mobiles = seen.filter((row) => isMobile(row.cells[index] ?? '')).length;
      return [{ index, name, mobiles }];
    });
    return { sheet, at, width: cells.filter(Boolean).length, below, columns };
  });
  const found = headings.filter(({ columns }) => columns.length > 0);
  return found.find(({ columns }) => columns.some(({ mobiles }) => mobiles > 0)) ?? found[0];
}

/** The column in which the mobile numbers are: of two, the one whose name says so. */
function phoneOf({ columns }: Heading): number {
  const most = Math.max(...columns.map(({ mobiles }) => mobiles));
  const full = columns.filter(({ mobiles }) => mobiles * 2 >= most);
  const named = full.filter(({ name }) => MOBILE.test(bare(name)));
  const [first, second] = named.length > 0 ? named : full;
  if (first && !second) return first.index;
  throw new NotRead('Two columns have mobile numbers: {columns}. Leave one of them in the file.', {
    columns: full.map(({ name }) => name).join(', '),
  });
}

function noneIn(sheets: Sheet[], found?: Heading): NotRead {
  const [column] = found?.columns ?? [];
  if (column) {
    return new NotRead('No cell below “{column}” that can be seen is a mobile number.', {
      column: column.name,
    });
  }
  const rows = sheets.map((sheet) => sheet.rows[0]?.cells ?? []);
  const [widest = []] = rows.sort((one, other) => other.length - one.length);
  if (widest.length === 0) return new NotRead('The file is empty.');
  return new NotRead(
    'No column is named phone, mobile, 手机 or 手机号. Write that above the numbers. The file begins with: {columns}.',
    {
      columns: widest.filter(Boolean).join(', ').slice(0, 300),
    },
  );
}
