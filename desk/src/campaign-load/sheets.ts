/** What is in a file, whatever its name says. */
import { read, SSF } from '@e965/xlsx';
import type { CellObject, ParsingOptions, Range, WorkSheet } from '@e965/xlsx';
import { parse } from 'papaparse';

import { isNoValue } from '../../../builder/code/cells';
import { parsePhoneNumbers } from '../nodes/phoneNumbers';
import { NotRead, type Told } from './not-read';
import { OWN } from '../common/text/own-list';

/** A row that is not empty. */
export interface Row {
  /** Where it begins in the file. */
  line: number;
  cells: string[];
  /** By a filter, by hand, or without height. */
  isHidden?: boolean;
}

export interface Sheet {
  name: string;
  rows: Row[];
  /** The line in which a quotation mark has no other, in a text. */
  open?: number;
  /** The desk has written it. */
  isOwn: boolean;
  /** Cells that are one. */
  merged?: Range[];
  /** The columns that are hidden, and have something. */
  hidden: string[];
  /** The cells whose program has left their value to Excel. */
  uncomputed: string[];
}

export interface File {
  /** The sheets of a workbook; of a text, its table by each separator that it may have. */
  sheets: Sheet[];
  isText: boolean;
  /** What a person does not see is not read. */
  leftOut: Told[];
}

const NO_SPREADSHEET =
  'The file is no spreadsheet. Open it in Excel, save it as .xlsx, and take that file.';
const UNREADABLE =
  'The characters of the file cannot be read. Save it in Excel as .xlsx or as “CSV UTF-8”.';

/** Two Chinese characters of which an old .xls says that they are of the West: ÀîÀ× is 李雷. */
const GARBLED = /(?!(.)\1)[\xb0-\xf7][\xa1-\xfe][\xb0-\xf7][\xa1-\xfe]/;

/**
 * The sheets of a file, with their values as Excel shows them in China.
 *
 * @throws NotRead if it is none
 */
export function fileOf(bytes: Uint8Array): File {
  const start = String.fromCharCode(...bytes.subarray(0, 4));
  if (start === 'PK\x03\x04' || start === '\xd0\xcf\x11\xe0') {
    const file = workbookOf(bytes);
    const cells = file.sheets.flatMap(({ rows }) => rows).flatMap((row) => row.cells);
    if (cells.some((cell) => GARBLED.test(cell))) throw new NotRead(UNREADABLE);
    return file;
  }
  const whole = start === '%PDF' ? '\0' : decoded(bytes);
  if (whole === undefined) throw new NotRead(UNREADABLE);
  const isOwn = whole.slice(0, HEAD).includes(OWN.line);
  const text = isOwn ? whole : whole.replace(/\r\n?/g, '\n');
  if (text.trim() === '') throw new NotRead('The file is empty.');
  const isOther = /[\0-\x08\x0e-\x1f]|^\s*(?:<[!?a-z]|\{\\rtf)/i.test(text);
  if (isOther && !isOwn) throw new NotRead(NO_SPREADSHEET);
  const lost = text.indexOf('\ufffd');
  if (lost === -1) return { sheets: tablesOf(text, isOwn), isText: true, leftOut: [] };
  const line = text.slice(0, lost).split('\n').length;
  throw new NotRead(
    'Line {line}: a character (�) was lost before. Write it again, and save the file as .xlsx.',
    { line },
  );
}

const isFilled = ({ cells }: Row) => cells.some((cell) => cell !== '');

/** The heading of the desk's own list stands in so many characters. */
const HEAD = 2_000;

const SEPARATORS = [',', '\t', ';', '|', '，'];

function tablesOf(text: string, isOwn: boolean): Sheet[] {
  const [first = '', named] = /^sep=(.)\n/i.exec(text) ?? [];
  const separators = SEPARATORS.filter((each, index) => index === 0 || text.includes(each));
  return (named ? [named] : separators).map((separator) => {
    const { data, errors } = parse<string[]>(text.slice(first.length), {
      // The desk's own list has the line breaks of its texts as they were.
      ...{ delimiter: separator, ...(!isOwn && { newline: '\n' as const }) },
    });
    let line = first ? 2 : 1;
    const rows = data.map((cells): Row => {
      const row = { line, cells: isOwn ? cells : cells.map(unguarded) };
      line += cells.join('').split('\n').length;
      return row;
    });
    const at = errors.find(({ type }) => type === 'Quotes')?.row;
    const open = rows[at ?? data.findIndex((cells) => !isOwn && cells.some(hasAnotherLine))]?.line;
    return { name: '', rows: rows.filter(isFilled), open, isOwn, hidden: [], uncomputed: [] };
  });
}

/** Whether a cell has a whole line of the table in it, because its quotation mark is closed there. */
function hasAnotherLine(cell: string): boolean {
  const parts = cell.includes('\n') ? cell.split('\n') : [];
  return parts.some((part) => /[,;\t|，]/.test(part) && part.split(/[,;\t|，]/).some(isMobile));
}

export function isMobile(cell: string): boolean {
  return parsePhoneNumbers(cell, 'mainlandMobile').valid.length > 0;
}

/** A text without what guards its digits from Excel: ="0012", or '0012; and 13800138000.0 as a number of 11 digits. */
function unguarded(cell: string): string {
  const text = cell.trim().replace(/^="(.*)"$|^'(?=[+\d])|(?<=^1\d{10})\.0$/s, '$1');
  return isNoValue(text) ? '' : text;
}

/** Formats that a workbook has by number alone, as Excel shows them in China. */
const FORMATS = {
  ...{ 14: 'yyyy/m/d', 22: 'yyyy/m/d h:mm', 31: 'yyyy"年"m"月"d"日"' },
  ...{ 27: 'yyyy"年"m"月"', 57: 'yyyy"年"m"月"', 28: 'm"月"d"日"', 58: 'm"月"d"日"' },
  ...{ 32: 'h"时"mm"分"', 33: 'h"时"mm"分"ss"秒"' },
};

/** Old workbooks of a Mac count days from then. */
const DAYS_TO_1904 = 1462;

const optionsOf = (): ParsingOptions => ({
  type: 'array',
  dense: true,
  cellNF: true,
  cellHTML: false,
  // Without it, no row is known to be hidden.
  cellStyles: true,
  /** SheetJS makes its list of formats anew for a workbook, and then looks for this. */
  get bookVBA() {
    SSF.load_table(FORMATS);
    return false;
  },
});

function workbookOf(bytes: Uint8Array): File {
  try {
    const { bookType, SheetNames, Sheets, Workbook } = read(bytes, optionsOf());
    // Of that, SheetJS does not say which rows are hidden.
    if (bookType === 'ods') throw new NotRead(NO_SPREADSHEET);
    const is1904 = Workbook?.WBProps?.date1904 ?? false;
    const isHidden = (_: unknown, index: number) => Boolean(Workbook?.Sheets?.[index]?.Hidden);
    const all = SheetNames.map((name) => sheetOf(name, Sheets[name] ?? {}, is1904));
    const sheets = all.filter((each, index) => !isHidden(each, index));
    const [cell] = sheets.flatMap(({ uncomputed }) => uncomputed);
    if (cell) {
      throw new NotRead(
        'Cell {cell} has a formula without a value. Open the file in Excel, save it, and take that file.',
        { cell },
      );
    }
    const leftOut = all
      .filter(isHidden)
      .filter(({ rows }) => rows.some(({ cells }) => cells.some(isMobile)))
      .map(({ name }): Told => ['The hidden sheet “{sheet}” is left out.', { sheet: name }]);
    return { sheets, isText: false, leftOut };
  } catch (error) {
    if (error instanceof NotRead) throw error;
    const hasPassword = /password/i.test(String(error));
    throw new NotRead(
      hasPassword
        ? 'The workbook has a password. Take it away in Excel, save the workbook, and take that file.'
        : NO_SPREADSHEET,
    );
  }
}

function sheetOf(name: string, sheet: WorkSheet, is1904: boolean): Sheet {
  const { '!data': data = [], '!rows': ways = [], '!cols': columns = [] } = sheet;
  const isOwn = Boolean(data[0]?.some((cell) => cell?.v === OWN.line));
  const hidden = new Set<string>();
  const uncomputed: string[] = [];
  const rows = Array.from(data, (cells = [], index): Row => {
    const { hidden: isHidden, hpt } = ways[index] ?? {};
    const texts = Array.from(cells, (cell, at) => {
      const text = textOf(cell, isOwn, is1904);
      if (cell?.t === 'z' && cell.f !== undefined) uncomputed.push(nameOf(index, at));
      if (!columns[at]?.hidden) return text;
      if (text !== '') hidden.add(columnOf(at));
      return '';
    });
    return { line: index + 1, cells: texts, isHidden: isHidden || hpt === 0 };
  }).filter(isFilled);
  return { name, rows, isOwn, merged: sheet['!merges'], hidden: [...hidden], uncomputed };
}

/** The name of a column, as Excel has it. */
const columnOf = (index: number): string =>
  `${index > 25 ? columnOf(Math.floor(index / 26) - 1) : ''}${String.fromCharCode(65 + (index % 26))}`;

/** The name of a cell. Row and column count from 0. */
export const nameOf = (row: number, column: number): string => `${columnOf(column)}${row + 1}`;

/** What a cell shows. Nothing, if that is no value of it. */
function textOf(cell: CellObject | undefined, isOwn: boolean, is1904: boolean): string {
  if (!cell || cell.t === 'e' || cell.t === 'z') return '';
  if (cell.t === 'n') return numberIn(cell, is1904);
  return isOwn ? String(cell.v) : unguarded(String((cell.t === 's' ? cell.v : cell.w) ?? ''));
}

/** How a cell shows its number. Nothing, if it has digits that are not known. */
function numberIn({ v, w = '', z = '' }: CellObject, is1904: boolean): string {
  const number = Number(v);
  // Excel keeps 15 digits of a number. SheetJS loses some if a point is written among them, as in 1.2万.
  if (Math.abs(number) >= 1e15 || /[0#?][\\!]\./.test(String(z))) return '';
  const local = localOf(String(z), number + (is1904 ? DAYS_TO_1904 : 0));
  const shown = local === z ? w : formatted(local, number, is1904);
  const isWhole = Number.isInteger(number);
  return isWhole && (isMobile(String(number)) || /\dE/.test(shown)) ? String(number) : shown.trim();
}

/** Nothing, if SheetJS does not know the format. */
function formatted(format: string, number: number, date1904: boolean): string {
  try {
    return SSF.format(format, number, { date1904 });
  } catch {
    return '';
  }
}

/** A format as China has it, where each country or computer has its own way. SheetJS needs quotes around its letters. */
function localOf(format: string, day: number): string {
  if (format.includes('[$-F800]')) return 'yyyy"年"m"月"d"日"';
  if (format.includes('[$-F400]')) return 'h:mm:ss';
  const weekday = '日一二三四五六'[Math.floor(day - 1) % 7] ?? '';
  return format
    .replace(/aaa(a?)/, (_, long) => `"${long && '星期'}${weekday}"`)
    .replace(/\[(\$-|DBNum)[^\]]*\]/gi, '')
    .replace(/"[^"]*"|\[[^\]]*\]|上午\/下午|[\\_*].|\.(?=[a-z])|[^\0-\x7f]/gis, (part) =>
      part.length === 1 ? `"${part}"` : part,
    );
}

/** How files without a byte order mark are encoded on a Chinese Windows, and the usual characters there. */
const ENCODINGS = {
  gb18030: /^[\xa1-\xf7][\xa1-\xfe]$/,
  big5: /^[\xa1-\xc6][\x40-\x7e\xa1-\xfe]$/,
};

/** So many bytes tell the encoding. */
const MOST = 50_000;

/**
 * The text of a file: by its byte order mark, as UTF-16 if it has zero bytes, as UTF-8 if all of it is, otherwise
 * in that encoding of a Chinese Windows in which it has more usual characters. Undefined: in none of them.
 */
function decoded(bytes: Uint8Array): string | undefined {
  const start = [...bytes.subarray(0, 2)].map((each) => each.toString(16)).join(' ');
  if (start === 'ff fe' || start === 'fe ff') {
    return as(start === 'ff fe' ? 'utf-16le' : 'utf-16be', bytes);
  }
  const head = String.fromCharCode(...bytes.subarray(0, MOST));
  // In UTF-16, digits and separators have one.
  const zeros = [...head.matchAll(/\0/g)].map(({ index }) => index);
  const behind = zeros.filter((index) => index % 2 === 1).length;
  if (zeros.length > 0) return as(behind * 2 > zeros.length ? 'utf-16le' : 'utf-16be', bytes);
  return as('utf-8', bytes) ?? chinese(bytes, head);
}

function chinese(bytes: Uint8Array, head: string): string | undefined {
  const wrong = new TextDecoder().decode(bytes.subarray(0, MOST)).match(/[^\0-\x7f]/g) ?? [];
  // UTF-8 with a broken byte is no other encoding.
  if (wrong.filter((each) => each !== '\ufffd').length > wrong.length / 2) return undefined;
  const pairs = head.match(/[\x81-\xfe][\x40-\xfe]/g) ?? [];
  const shares = Object.entries(ENCODINGS).map(([name, usual]) => ({
    name,
    share: pairs.filter((pair) => usual.test(pair)).length / pairs.length,
  }));
  const [best] = shares.sort((one, other) => other.share - one.share);
  return best && best.share >= 0.5 ? as(best.name, bytes) : undefined;
}

function as(encoding: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
