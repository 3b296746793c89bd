import {
  parsePhoneNumbers,
  type PhoneNumberFormat,
} from '../../nodes/SmsMessagingService/parameters/phoneNumbers';
import { isNoValue } from '../../builder/code/cells';
import type { Fields } from '../../builder/code/n8n';
import { plain } from './plain';

/** The headers that mean the phone number, as people write them. */
const PHONE =
  /^((mobile|cell|tele)?phone|mobile|cell|tel)(no|number)?$|^(客户|顾客|会员|用户|买家|收件人|收货人|联系人|联系|移动)?(手机|电话|手機|電話)(号码|号|號碼)?$/;

const OTHERS = new Map([
  ...['name', '姓名'].map((header) => [header, 'name'] as const),
  ...['order', '订单号'].map((header) => [header, 'order'] as const),
  ...['date', '日期'].map((header) => [header, 'date'] as const),
  ['reason', 'reason'],
]);

/**
 * A status of the send: these words and no others, with "status" or without. 订单状态 or Payment Status is no such one,
 * and SMS or 短信 alone is the text.
 */
const STATUS =
  /^(?!(sms|message|短信|简讯|簡訊)*$)((no|not|don['’]?t|donot|already)?(sms|message|send(ing)?|sent)|(是否|[已要未不别別勿需用])*[发發][送出]?[过過]?|短信|简讯|簡訊)*(status|[状狀][态態])?$/;

/** The name of a column: one of the template's if its header means that, otherwise its header. */
export function nameOf(header: unknown): string {
  const text = String(header ?? '').trim();
  const bare = bareOf(text);
  if (PHONE.test(bare)) return 'phone';
  return STATUS.test(bare) ? 'status' : (OTHERS.get(bare) ?? text);
}

/** A header without what stands around its words. */
export const bareOf = (header: string): string =>
  header
    .normalize('NFKC')
    .replace(/\(.*?\)|[\s*:._?-]/g, '')
    .toLowerCase();

/** Why a table with these headers is refused: of two columns that mean one thing, nobody knows which. */
export function problemOfColumns(headers: unknown[]): string | undefined {
  const names = headers.map(nameOf);
  const second = names.findIndex((name, column) => name && names.indexOf(name) < column);
  const name = names[second];
  if (name === undefined) return undefined;
  return `Two columns mean ${name}: ${String(headers[names.indexOf(name)])}, ${String(headers[second])}`;
}

/** Whether there is something in a cell. */
export const isFilled = (cell: unknown): boolean => /\S/.test(String(cell ?? ''));

/** What Excel shows of a long number. */
const CUT = /^[-+]?\d+(\.\d+)?E[-+]\d+$/i;

/** Excel keeps a day as the number of days since 1900: these are 2000 to 2049. */
const [FIRST_DAY, LAST_DAY] = [36_526, 54_788];

/** What the send takes of a row. */
export interface Taken {
  format: PhoneNumberFormat;
  /** The columns that it mentions. */
  used: string[];
  /** Those of which it takes the whole cell: without it, it refuses the row. */
  whole: string[];
}

/** A column in an expression: $json.name, $json["name"]. */
const COLUMN = /\$json(?:\.([\p{L}\p{N}_$]+)|\[\s*["']([^"']+)["']\s*\])/gu;
const WHOLE = new RegExp(String.raw`^=\{\{\s*${COLUMN.source}\s*\}\}$`, 'u');

/** Reads it in the parameters of the send. */
export function takenBy(params: Fields): Taken {
  const texts = textsIn(params);
  const { phoneNumberFormat } = (params.options ?? {}) as { phoneNumberFormat?: PhoneNumberFormat };
  return {
    format: phoneNumberFormat ?? 'mainlandMobile',
    used: [
      ...new Set(
        texts.flatMap((text) =>
          [...text.matchAll(COLUMN)].map(([, name, quoted = '']) => name ?? quoted),
        ),
      ),
    ],
    whole: texts.flatMap((text) => {
      const [, name, quoted = ''] = WHOLE.exec(text) ?? [];
      return [name ?? quoted].filter(Boolean);
    }),
  };
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** A row as it is sent, and why it is not. */
export interface Read {
  /** With one phone number as its digits, each number as its digits, and the order in one form, for its key. */
  fields: Fields;
  problem: string | undefined;
}

/** Reads a row, by the names of its columns. Only a cell that is sent can be refused. */
export function readRow(row: Fields, { format, used, whole }: Taken): Read {
  const cells = Object.entries(row).map(([name, cell]) => [
    name,
    Number.isSafeInteger(cell) ? String(cell) : cell,
  ]);
  const fields: Fields = { ...Object.fromEntries(cells), order: plain(row.order) };
  const { valid, invalid } = parsePhoneNumbers(fields.phone, format);
  const [phone] = valid;
  const problem =
    Object.entries(row)
      .filter(([name]) => used.includes(name))
      .map(([name, cell]) => problemOfCell(name, cell))
      .find(Boolean) ??
    problemOfPhone(fields.phone, valid.length, invalid.length) ??
    [...new Set(['order', ...whole])]
      .filter((name) => name !== 'phone' && !isFilled(fields[name]))
      .map((name) => `It has no ${name}.`)[0];
  return { fields: { ...fields, ...(phone !== undefined && { phone }) }, problem };
}

function problemOfCell(name: string, cell: unknown): string | undefined {
  const shown = String(cell).trim();
  if (CUT.test(shown) || isNoValue(shown))
    return `Its ${name} is ${shown}: enter the whole value again, in a cell that has the format Text.`;
  if (typeof cell === 'string' || name === 'phone') return undefined;
  const isDigits =
    Number.isSafeInteger(cell) && !(Number(cell) >= FIRST_DAY && Number(cell) <= LAST_DAY);
  return isDigits
    ? undefined
    : `Its ${name} is the number ${String(cell)} in the file, and Excel may show a date, a time or a percentage: save the sheet as CSV UTF-8, and send that file.`;
}

function problemOfPhone(phone: unknown, valid: number, invalid: number): string | undefined {
  if (!/\p{Nd}/u.test(String(phone ?? ''))) return 'It has no phone number.';
  if (valid > 1) return 'It has several phone numbers.';
  return valid === 1 && invalid === 0
    ? undefined
    : `Its phone ${String(phone)} is no mobile number.`;
}
