/** Rows as people, shops and models write them: what may stand in a cell, and what becomes of the row then. */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { MIXED, MOBILE, NO_MOBILES, SPELLINGS } from '../kit/phoneCells';
import { settings, type Made } from '../kit/search/settings';
import { has, orderOf, OTHER } from './run';

const TEXTS = ['name', 'order', 'date'] as const;

type Field = 'phone' | (typeof TEXTS)[number] | 'status';

type Why = string | RegExp;

/** A kind of cell. */
interface Kind {
  field: Field;
  /** A function writes the row's own order otherwise. */
  cell: unknown;
  /** Why its row is refused, in the words of a table. */
  why?: Why;
  /** Elsewhere it is a text like others. */
  isOfTable?: boolean;
  /** A table compares the row with others as if it were right: only the send refuses it. */
  isUnseen?: boolean;
}

const wide = (text: string) =>
  text.replace(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0));

const HYPHENS = ['\u200b-', '\u2011', '−', '\u2011\u200b'];

/** The same phone and the same order, in other writing. */
const SAME: Kind[] = [
  ...SPELLINGS.map(([, [cell]]): Kind => ({ field: 'phone', cell })),
  ...[
    ...HYPHENS.map((hyphen) => (order: string) => order.replace('-', hyphen)),
    (order: string) => ` ${wide(order)} `,
    (order: string) => `\u00a0${order}\u3164`,
  ].map((cell): Kind => ({ field: 'order', cell })),
];

/** What is not one number. */
const NO_PHONES: [cells: unknown[], why: string][] = [
  [NO_MOBILES.map(([, [cell]]) => cell), 'is no mobile number.'],
  [MIXED.filter(([, valid]) => valid.length === 1).map(([cell]) => cell), 'is no mobile number.'],
  [MIXED.filter(([, valid]) => valid.length > 1).map(([cell]) => cell), 'several phone numbers.'],
  [[`${MOBILE}\n${MOBILE}`], 'It has several phone numbers.'],
  [['', '待补', '-', '[]', undefined], 'It has no phone number.'],
];

/** What Excel, Google and LibreOffice show instead of a value. */
const ERRORS = [
  ...['1.23457E+17', '#DIV/0!', '#NAME?', '########', '#N/A', '#GETTING_DATA', 'Loading...'],
  'Err:502',
];

const GOOD = ['点'.repeat(1200), `${'a'.repeat(19)}😀😀`, '{{ $json.order }}', '<b>Li</b>'];

const KINDS: Kind[] = [
  ...SAME,
  { field: 'phone', cell: OTHER },
  ...NO_PHONES.flatMap(([cells, why]) =>
    cells.map((cell): Kind => ({ field: 'phone', cell, why })),
  ),
  ...['#1001', '#A1001', '0012'].map((cell): Kind => ({ field: 'order', cell })),
  ...TEXTS.flatMap((field): Kind[] => [
    ...(field === 'order' ? [] : GOOD).map((cell) => ({ field, cell })),
    ...['', undefined].map((cell) => ({ field, cell, why: `It has no ${field}.` })),
    {
      ...{ field, cell: '\u200b\u3164', isUnseen: field !== 'order' },
      why: field === 'order' ? 'It has no order.' : `'${field}' has no value`,
    },
    { field, cell: 'Invalid Date', isUnseen: true, why: `'${field}' has ` },
  ]),
  ...(['phone', ...TEXTS] as const).flatMap((field) =>
    ERRORS.map((cell): Kind => {
      const why = `Its ${field} is ${cell}: enter the whole value again`;
      return { field, cell, isOfTable: true, why };
    }),
  ),
  ...['不发', 'done', 'accepted?', 'true'].map((cell): Kind => {
    const why = `tatus is ${cell}, and only a row without a status is sent`;
    return { field: 'status', cell, isOfTable: true, why };
  }),
];

/** A row that a template is given, and what it means. */
interface Row {
  given: IDataObject;
  phone: string;
  order: string;
  kind: Kind | undefined;
}

function rowOf(order: string, kind?: Kind): Row {
  const { field, cell } = kind ?? {};
  const written = typeof cell === 'function' ? (cell as (order: string) => string)(order) : cell;
  const isOther = field === 'order' && written === cell;
  return {
    given: orderOf(order, { phone: MOBILE, ...(field && { [field]: written }) }),
    phone: cell === OTHER ? OTHER : MOBILE,
    order: isOther ? String(cell ?? '').replace('\u200b\u3164', '') : order,
    kind,
  };
}

/** How rows come into a template, and what it says of them. */
interface Door {
  gateway: { deliveries: () => Map<string, number> };
  /** Begins again: nothing was sent. */
  forget: () => void;
  /** Hands in rows, and says of each its status and the reason. */
  handIn: (rows: IDataObject[]) => Promise<string[]>;
  /** Whether such a cell can come in. */
  holds: (cell: unknown) => boolean;
  /** What is sent once. */
  keyOf: (row: Row) => string;
  /** What it says of a row with the key of another one. */
  again: RegExp;
  /** What it says of a row because of the others, before it looks at its cells. */
  saysFirst?: (row: Row, rows: Row[]) => RegExp | undefined;
  /** What it says of a field that is refused, if it is no table. */
  refusal?: (field: Field) => RegExp;
  /** A number gets no more in a day. */
  most?: number;
}

/** Each kind of cell in a row of its own, one row in all writings, and random rows: each is sent once, or it says why not. */
export function testRows(door: Door): void {
  const { gateway, handIn, most = Infinity, refusal } = door;
  const isTable = refusal === undefined;
  const isIn = (kind: Kind) => {
    const cell = rowOf('A-1', kind).given[kind.field];
    return door.holds(cell) && (isTable || !kind.isOfTable);
  };
  const kinds = KINDS.filter(isIn);

  /** What it is to say of each row, and how many each number is to get. */
  function expected(rows: Row[]) {
    const seen = new Set<string>();
    const sent = new Map<string, number>();
    const says = rows.map((row): Why => {
      const { kind, phone } = row;
      const why = kind?.why && (refusal?.(kind.field) ?? kind.why);
      const first = door.saysFirst?.(row, rows);
      if (first) return first;
      if (why && !(isTable && kind.isUnseen)) return why;
      const key = door.keyOf(row);
      if (seen.has(key)) return door.again;
      seen.add(key);
      if (why) return why;
      sent.set(phone, (sent.get(phone) ?? 0) + 1);
      return /^accepted/;
    });
    return { says, sent };
  }

  async function check(rows: Row[]): Promise<void> {
    door.forget();
    const given = rows.map((row) => row.given);
    const { says, sent } = expected(rows);
    const said = await handIn(given);
    expect(said.map((each, index) => [given[index], each])).toEqual(
      says.map((each, index) => [given[index], has(each)]),
    );
    expect(gateway.deliveries()).toEqual(sent);
  }

  test('rows with each kind of cell', async () => {
    const rows = kinds.map((kind, index) => rowOf(`A-${index}`, kind));
    while (rows.length > 0) await check(rows.splice(0, most));
  });

  test('random rows, and one in all writings: handed in again, nobody gets another one', async () => {
    const kind = fc.option(fc.constantFrom(...kinds), { nil: undefined, freq: 2 });
    const row = fc.tuple(fc.constantFrom('A-1', 'A-2', 'A-3'), kind);
    const rows = fc.array(row, { minLength: 1, maxLength: Math.min(most, 6) });
    const property = fc.asyncProperty(rows, async (made) => {
      const list = made.map(([order, kind]) => rowOf(order, kind));
      await check(list);
      const sent = gateway.deliveries();
      await handIn(list.map(({ given }) => given));
      expect(gateway.deliveries()).toEqual(sent);
    });
    const writings = [undefined, ...SAME.filter(isIn)].map((kind): Made<typeof row> => [
      'A-1',
      kind,
    ]);
    await fc.assert(property, { ...settings(20), examples: [[writings]] });
  });
}

const MEANINGS: [means: string, headers: string[]][] = [
  ['phone', ['Phone Number', 'mobile', '手机号', '联系电话', '收件人电话', '*手机号码（必填）']],
  ['status', ['狀態', '是否發送', 'SMS status', '发送状态：', 'Sent', '发短信？', "Don't send"]],
  ['status', ['别发', '勿发', '不用发', '需要发送', '要不要发', '已发送过', '短信已发']],
  ['status', ['Already sent', 'Message sent', 'Not sent', 'Don’t send', 'No SMS']],
  ['', ['订单状态', 'Payment Status', '是否发货', '发送人', 'No', 'constructor']],
  ['', ['短信', 'SMS', '简讯', '簡訊', 'Message', 'SMS (text)']],
];

/** What a column may be called, and what it means: a table has one of each. */
export const HEADERS = MEANINGS.flatMap(([means, headers]) =>
  headers.map((header): [header: string, means: string] => [header, means]),
);
