import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { ExecuteResult, Harness } from '../engine';
import type { DeduplicationStore } from '../engine/deduplicationStore';
import { byId } from '../engine/locators';
import { phone } from '../engine/sends';
import type { Gateway } from '../../sandbox/gateway';
import { weighed } from './settings';
import type { Made } from './settings';

/**
 * Random texts in every field that a person or a join reads, sent over the real engine to the sandbox
 * gateway. The oracle is written from the table of the design, with nothing of the package in it: no broken text
 * is accepted, there are no gaps, a sound text arrives byte for byte, and a check says what the send then does.
 */

/** Items of one run: each has other values for the same expressions. */
const ITEMS = 8;

/** Fields of an item that expressions read: `f0`, `f1` … */
const FIELDS = 4;

// --- What a value becomes ---

/** What is expected of a part or of a whole field. */
type Verdict =
  | { is: 'text'; text: string; warns?: boolean }
  | { is: 'refused' }
  /** The table leaves it open, or n8n does: whatever happens, a check and the send agree. */
  | { is: 'open' }
  /** Either refused, or sent with a warning, but not in silence. */
  | { is: 'told' };

const REFUSED: Verdict = { is: 'refused' };
const OPEN: Verdict = { is: 'open' };
const TOLD: Verdict = { is: 'told' };

const INVALID = ['Invalid Date', 'Invalid DateTime', 'Invalid Duration', 'Invalid Interval'];
const WHOLE = new Set(['undefined', 'null', 'NaN', ...INVALID]);
const INSIDE = new RegExp(`\\b(?:undefined|NaN|null|Infinity|${INVALID.join('|')})\\b`);
/** Without a space beside it, it depends on what a word is. */
const GLUED =
  /[\p{L}\p{N}_](?:undefined|NaN|null|Infinity|Invalid)|(?:undefined|NaN|null|Infinity|Date|Time)[\p{L}\p{N}_]/u;

const isLossy = (text: string) => text.includes('\ufffd') || !text.isWellFormed();

interface Manner {
  /** The value of an expression that is more than an item path. */
  isComputed?: boolean;
  /** Whether the code gives an empty text on purpose, and the field may have one in this place. */
  mayBeEmpty?: boolean;
  isKey?: boolean;
  item: IDataObject;
}

function ofText(text: string, { isComputed = false, mayBeEmpty = false, item }: Manner): Verdict {
  if (isLossy(text) || WHOLE.has(text) || /\[object .*\]/.test(text)) return REFUSED;
  if (text.trim() === '') return mayBeEmpty ? { is: 'text', text } : REFUSED;
  if (WHOLE.has(text.trim())) return REFUSED;
  if (!INSIDE.test(text)) return /undefined/.test(text) ? OPEN : { is: 'text', text };
  if (isComputed && GLUED.test(text)) return TOLD;
  return !isComputed || isQuoted(text, item) ? { is: 'text', text, warns: true } : REFUSED;
}

/** Whether a text field of the item has each failed word of a text together with the word before or behind it. */
function isQuoted(text: string, item: IDataObject): boolean {
  const inOneWord = (each: string) =>
    each.replace(/Invalid (Date|Duration|Interval)/g, 'Invalid_$1');
  const own = Object.values(item)
    .filter((each) => typeof each === 'string')
    .map(inOneWord);
  const tokens = inOneWord(text).split(/([^\p{L}\p{N}_]+)/u);
  const has = (part: string[]) =>
    part.length === 3 && part.every(Boolean) && own.some((each) => each.includes(part.join('')));
  return tokens.every(
    (token, at) =>
      !/^(?:undefined|NaN|null|Infinity|Invalid_.*)$/.test(token) ||
      has(tokens.slice(Math.max(at - 2, 0), at + 1)) ||
      has(tokens.slice(at, at + 3)),
  );
}

function ofNumber(number: number): Verdict {
  const text = String(number);
  const isExact = Number.isInteger(number)
    ? Number.isSafeInteger(number)
    : text.replace(/\D/g, '').replace(/^0+/, '').length <= 15;
  return Number.isFinite(number) && isExact && !text.includes('e') ? { is: 'text', text } : REFUSED;
}

function ofValue(value: unknown, manner: Manner): Verdict {
  if (typeof value === 'string') return ofText(value, manner);
  if (typeof value === 'number') return ofNumber(value);
  if (manner.isKey && typeof value === 'boolean') return { is: 'text', text: String(value) };
  if (manner.isKey && value instanceof Date) return OPEN;
  return REFUSED;
}

/** A number of a JSON text, as it is written there. */
function ofToken(token: string): Verdict {
  const verdict = ofNumber(Number(token));
  if (/e/i.test(token) || token.replace(/\D/g, '').replace(/^0+/, '').length > 17) return REFUSED;
  return verdict.is === 'text' ? { is: 'text', text: token } : REFUSED;
}

// --- Values of items ---

const SOUND = [
  ...['4821', '张三', '0042', 'D:\\new', 'x", "code": "000000', 'a"b', "a'b", 'a\nb', 'a\tb'],
  'a\r\nb',
  ...['\u2028', 'a\u2028b\u2029c', '😀', '👨‍👩‍👧', 'e\u0301', '\u0000x\u001f', '\\', '\\\\'],
  ...['\\"', '\\u0041', '\\n'],
  ...['nullable', 'annulled', 'Nancy', 'Undefined', 'NULL', 'nan', 'object Object', '[object'],
  ...['{{ $json.f1 }}', '={{ 1 + 1 }}', '=', '=x', '$json.f1', '}}', '{{', '{"code": "1"}', '"'],
  ...['$&', '$1', '$$', '$`'],
  ...['`', '${x}', "','", '</script>', '\ue000', '\ue0000\ue001', '\uffff', '\u0001\u0002', '%s'],
  ...['123', 'true', '0'],
  ...[
    '  two spaces  ',
    ' x',
    '1e5',
    '[]',
    '{}',
    '[null]',
    '\u200bx',
    '字'.repeat(70),
    'x'.repeat(20_000),
  ],
  ...['"\\\n'.repeat(300), '[1, 2]', '__proto__', 'constructor', '//', '/* */', '\'"`', '\ufeffx'],
];

const BROKEN = [
  ...['undefined', 'null', 'NaN', ...INVALID, 'Infinity', '[object Object]'],
  ...['Dear [object Object]!', '[object Undefined]', 'x [object Promise]', '����', 'a\ufffdb'],
  ...['\ud800', 'a\udc00b', '\ude00\ud83d', 'x'.repeat(20_000) + '\ufffd'],
];

const WORDS = [
  ...["Cannot read properties of undefined (reading 'x')", 'a null value', 'null,'],
  '值undefined！',
  ...['Invalid Date: x', '"NaN"', 'x\nundefined', 'not-null'],
];

const value = weighed<[number, fc.Arbitrary<unknown>][]>(
  [24, fc.constantFrom(...SOUND)],
  [6, fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 })],
  [6, fc.string({ unit: 'binary', minLength: 1, maxLength: 12 })],
  [4, fc.constantFrom(0, -0, 7, -1, 123_456, 0.5, 1.25, 1e-6, 99.9, 2 ** 53 - 1, 123456789.123456)],
  [2, fc.oneof(fc.integer(), fc.double(), fc.double({ min: -1e6, max: 1e6 }))],
  [3, fc.constantFrom(...BROKEN)],
  [3, fc.constantFrom(...WORDS)],
  [1, fc.constantFrom(NaN, Infinity, 0.1 * 3, 1e21, 1e-7, 2 ** 53, 123456789.12345678)],
  [1, fc.constantFrom<unknown>(true, false, {}, { a: 1 }, [], ['x'], [1, 2], [[]])],
  [1, fc.constant(0).map(() => new Date(86_400_000))],
  [3, fc.constantFrom(undefined, null, '')],
);

// --- Parts ---

/** What stands between braces. */
interface Part {
  code: string;
  isComputed: boolean;
  /** Whether an empty text of it is meant. */
  isMeant?: boolean;
  /** What the code gives for an item. `throws` is open: n8n decides. */
  value: (item: Item) => unknown;
}

interface Item extends IDataObject {
  phone: string;
}

const fieldNo = fc.nat(FIELDS - 1);

/** A path as drag and drop writes it. */
const pathPart: fc.Arbitrary<Part> = fc
  .tuple(
    fieldNo,
    weighed(
      [4, fc.constant(' $json.FIELD ')],
      [4, fc.constantFrom('$json.FIELD', ' $json["FIELD"] ', ' $json.in.FIELD ')],
      [
        1,
        fc.constantFrom(
          ' $json.in?.FIELD ',
          ' $input.item.json.FIELD ',
          " $('Start').item.json.FIELD ",
        ),
      ],
    ),
  )
  .map(([nth, form]) => ({
    code: form.replace('FIELD', `f${nth}`),
    isComputed: false,
    value: (item) => item[`f${nth}`],
  }));

const isPlain = (given: unknown) => given === null || typeof given !== 'object';

/** What the rules do not tell. */
const AMBIGUOUS = Symbol();

/** Code around a field of an item, and the same in JavaScript. Objects differ by engine: they are open. */
const COMPUTED: [code: string, run: (given: string) => unknown, ofObjects?: boolean][] = [
  ['[FIELD][0]', (given) => given, true],
  ["$if(true, FIELD, '')", (given) => given, true],
  ['FIELD ?? undefined', (given) => given ?? undefined, true],
  ['(() => FIELD)()', (given) => given, true],
  ["FIELD ?? ''", (given) => given ?? '', true],
  ["FIELD || 'friend'", (given) => given || 'friend', true],
  ['String(FIELD)', String],
  ['`${FIELD}`', (given) => `${given}`],
  ["'Dear ' + FIELD", (given) => 'Dear ' + given],
  ['`尊敬的${FIELD}您好`', (given) => `尊敬的${given}您好`],
  ["[FIELD, 'x'].join('-')", (given) => [given, 'x'].join('-')],
  ['FIELD.trim()', (given) => (typeof given === 'string' ? given.trim() : AMBIGUOUS)],
  ['FIELD // as entered\n', (given) => given, true],
  ['FIELD * 1', (given) => Number(given)],
  ['FIELD === undefined', (given) => given === undefined],
  ['String(FIELD).length', (given) => String(given).length],
];

/** Code without a field. */
const CONSTANT: [code: string, value: unknown][] = [
  ['0.1 * 3', 0.1 * 3],
  ['NaN', NaN],
  ['1 / 0', Infinity],
  ['String(-1 / 0)', '-Infinity'],
  ["Duration.fromISO('nope').toFormat('m')", 'Invalid Duration'],
  ['1 + 1', 2],
  ['true', true],
  ['undefined', undefined],
  ['null', null],
  ["''", ''],
  ["'undefined'", 'undefined'],
  ["'nullable'", 'nullable'],
  ['({ a: 1 })', {}],
  ['[1, 2]', []],
  ['new Date(NaN)', new Date(NaN)],
  ['new Date(0)', new Date(0)],
  ['$now', new Date(0)],
  ["DateTime.fromISO('nope')", new Date(NaN)],
  ["DateTime.fromISO('nope').toFormat('yyyy')", 'Invalid DateTime'],
  ["DateTime.fromISO('2026-08-01').toFormat('yyyy')", '2026'],
  ['$json', {}],
];

const computedPart: fc.Arbitrary<Part> = weighed(
  [
    8,
    fc.tuple(fieldNo, fc.constantFrom(...COMPUTED)).map(([nth, [code, run, ofObjects]]) => ({
      code: ` ${code.replace('FIELD', `$json.f${nth}`)} `,
      isComputed: true,
      isMeant: code.endsWith("?? ''"),
      value: (item: Item) => {
        const given = item[`f${nth}`];
        // Said to be a text, because these codes take it for one.
        return ofObjects || isPlain(given) ? run(given as string) : AMBIGUOUS;
      },
    })),
  ],
  [
    2,
    // Whatever evaluates it is counted.
    fieldNo.map((nth) => ({
      code: ` [$json.count${nth}.next, $json.f${nth}][1] `,
      isComputed: true,
      value: (item: Item) => item[`f${nth}`],
    })),
  ],
  [
    2,
    fc
      .constantFrom(...CONSTANT)
      .map(([code, given]) => ({ code: ` ${code} `, isComputed: true, value: () => given })),
  ],
);

const part = weighed([5, pathPart], [4, computedPart]);

const ofPart = (each: Part, item: Item, manner: Partial<Manner> = {}): Verdict => {
  const given = each.value(item);
  if (given === AMBIGUOUS) return OPEN;
  const { isComputed, isMeant = false } = each;
  const mayBeEmpty = isMeant && manner.mayBeEmpty !== false && !manner.isKey;
  return ofValue(given, { ...manner, isComputed, mayBeEmpty, item });
};

// --- Fields ---

/** Text beside parts. It has no braces, and no backslash before a part. */
const beside = weighed(
  [5, fc.constantFrom('', '')],
  [
    5,
    fc.constantFrom(
      ...['Dear ', ', ', 'Room ', '尊敬的', ' 您好!\n', '"', "'", '😀', '\t', '`', '$&', '\\d '],
      'a\\b',
      ...['\u2028', ' null ', 'undefined:', '=', '//', '$x', "','", '{ ', '} ', '\r\n'],
    ),
  ],
  [1, fc.constantFrom('\ufffd', '\ud800x', 'a'.repeat(5_000))],
);

/** One field: what is saved with the node, and what an item makes of it. */
interface Field {
  raw: string;
  verdict: (item: Item, place?: Place) => Verdict;
}

type Place = 'required' | 'optional' | 'key';

interface Pieces {
  texts: string[];
  parts: Part[];
}

const pieces: fc.Arbitrary<Pieces> = fc
  .tuple(
    fc.array(part, { minLength: 1, maxLength: 3 }),
    fc.array(beside, { minLength: 4, maxLength: 4 }),
  )
  .chain(([parts, texts]) =>
    weighed([2, fc.constant(true)], [3, fc.constant(false)]).map((isWhole) =>
      isWhole
        ? { parts: parts.slice(0, 1), texts: ['', ''] }
        : { parts, texts: texts.slice(0, parts.length + 1) },
    ),
  );

const zip = ({ texts, parts }: Pieces, ofText: (text: string) => string) =>
  texts.map((text, nth) => ofText(text) + (parts[nth] ? `{{${parts[nth].code}}}` : '')).join('');

/** The texts with what their parts become. */
function ofPieces({ texts, parts }: Pieces, item: Item, place: Place = 'required'): Verdict {
  const isKey = place === 'key';
  const isWhole = parts.length === 1 && texts.join('') === '';
  const mayBeEmpty = !isKey && !(isWhole && place === 'required');
  const verdicts = parts.map((part) => ofPart(part, item, { isKey, mayBeEmpty }));
  const has = (is: Verdict['is']) => verdicts.some((verdict) => verdict.is === is);
  if (texts.some(isLossy) || has('refused')) return REFUSED;
  if (has('open')) return OPEN;
  if (has('told')) return TOLD;
  const made = texts
    .map((text, nth) => {
      const verdict = verdicts[nth];
      return text + (verdict?.is === 'text' ? verdict.text : '');
    })
    .join('');
  if (isKey && isWhole && /^(?:true|false)$/.test(made)) return OPEN;
  if (made.trim() === '' && place !== 'optional') return REFUSED;
  const warns = verdicts.some((verdict) => verdict.is === 'text' && verdict.warns);
  return { is: 'text', text: made, warns };
}

const expressionField: fc.Arbitrary<Field> = pieces.map((each) => ({
  raw: `=${zip(each, (text) => text)}`,
  verdict: (item, place) => ofPieces(each, item, place),
}));

/** A field that is not switched to Expression. */
const fixedField: fc.Arbitrary<Field> = weighed(
  [
    6,
    fc.constantFrom(...SOUND.filter((text) => !text.startsWith('=') && !/\{\{|\$json/.test(text))),
  ],
  [
    2,
    fc.constantFrom(
      'Dear {{ $json.f0 }}',
      '{{ $json.f0 }}',
      '$json.f0',
      'x {{ 1 }} y',
      'a\ufffd',
      '\ud800',
    ),
  ],
).map((raw) => ({
  raw,
  verdict: () =>
    isLossy(raw) || /\{\{.*\}\}|\$json/.test(raw)
      ? REFUSED
      : raw.trim() === ''
        ? OPEN
        : { is: 'text', text: raw },
}));

const safeField: fc.Arbitrary<Field> = fc.constant({
  raw: '5',
  verdict: () => ({ is: 'text', text: '5' }),
});

const field = weighed([7, expressionField], [2, fixedField], [1, safeField]);
const calmField = weighed([1, expressionField], [1, fixedField], [4, safeField]);

/** An optional field. */
const optionField = weighed<[number, fc.Arbitrary<Field | undefined>][]>(
  [4, fc.constant(undefined)],
  [1, expressionField],
  [1, fixedField],
);

// --- As JSON ---

/** The parameters of the template. */
const NAMES = ['code', 'minutes'] as const;

/** A way to give both parameters, and what an item makes of each. */
interface Parameters {
  node: IDataObject;
  verdicts: (item: Item) => Verdict[];
  /** The item's own fields for it. */
  item?: (item: Item) => IDataObject;
}

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);

const asJson = (parametersJson: string) => ({ parameterMode: 'json', parametersJson });

const quoted: fc.Arbitrary<Parameters> = fc
  .tuple(
    pieces,
    weighed([1, pieces], [2, fc.constant<Pieces>({ texts: ['5'], parts: [] })]),
    fc.boolean(),
  )
  .map(([code, minutes, isLong]) => {
    // Before a part, n8n takes two backslashes of text for one.
    const both = [code, minutes].map((each): Pieces => ({
      ...each,
      texts: each.texts.map((text) => text.replaceAll('\\', '/')),
    }));
    const [one, two] = both.map((each) => `"${zip(each, inJson)}"`);
    return {
      node: asJson(
        isLong
          ? `={\n  "code" : ${one},\n\t"minutes":${two}\n}\n`
          : `={"code": ${one}, "minutes": ${two}}`,
      ),
      verdicts: (item) =>
        both.map((each) => {
          // In quotes there is text beside each code; a parameter of which nothing is left is refused.
          const verdict = ofPieces(each, item, 'optional');
          return verdict.is === 'text' && verdict.text.trim() === '' ? REFUSED : verdict;
        }),
    };
  });

/** Escapes what people think of: a tab or another control character stays. */
const byHand = (text: string) =>
  text.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');

/** Code that escapes by itself. It is taken as it is. */
const escaping: fc.Arbitrary<Parameters> = fc
  .tuple(
    fieldNo,
    fc.constantFrom<[string, (text: string) => string]>(
      ['JSON.stringify(String(FIELD)).slice(1, -1)', inJson],
      [
        'String(FIELD).replace(/\\\\/g, "\\\\\\\\").replace(/"/g, "\\\\\\"").replace(/\\n/g, "\\\\n")',
        byHand,
      ],
      ['String(FIELD) + "\\\\n"', (text) => `${text}\\n`],
    ),
    beside.filter((text) => !text.includes('\\')),
  )
  .map(([nth, [code, escape], text]) => ({
    node: asJson(
      `={"code": "${inJson(text)}{{ ${code.replace('FIELD', `$json.f${nth}`)} }}", "minutes": "5"}`,
    ),
    verdicts: (item) => {
      const given = item[`f${nth}`];
      if (!isPlain(given)) return [OPEN, FIVE];
      const json = escape(String(given));
      const inside = ofText(json, { isComputed: true, item });
      if (isLossy(text) || inside.is === 'refused') return [REFUSED, FIVE];
      if (!isJson(`{"a": "${json}", "b": "5"}`)) return [REFUSED, FIVE];
      const parsed = (JSON.parse(`{"a": "${json}"}`) as Record<string, string>).a as string;
      const keys = Object.keys(JSON.parse(`{"a": "${json}"}`) as object);
      if (keys.length > 1) return [OPEN, OPEN];
      if (isLossy(parsed)) return [REFUSED, FIVE];
      if (WHOLE.has((text + parsed).trim()) || (text + parsed).trim() === '')
        return [REFUSED, FIVE];
      // Escaped, its words may stand together otherwise.
      if (inside.is !== 'text' || (inside.warns && json !== parsed)) return [TOLD, FIVE];
      return [{ ...inside, text: text + parsed }, FIVE];
    },
  }));

const FIVE: Verdict = { is: 'text', text: '5' };

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A value of JSON text: a text, the token of a number, or something else. */
function ofJson(json: string, item: IDataObject): Verdict {
  const parsed: unknown = JSON.parse(json);
  if (typeof parsed === 'number') return ofToken(json.trim());
  if (typeof parsed !== 'string') return REFUSED;
  return ofText(parsed, { isComputed: true, item });
}

const toldIfWarned = (verdict: Verdict): Verdict =>
  verdict.is === 'text' && verdict.warns ? TOLD : verdict;

const unquoted: fc.Arbitrary<Parameters> = fc
  .tuple(
    fieldNo,
    fc.constantFrom('FIELD', 'JSON.stringify(FIELD)', 'JSON.stringify(String(FIELD))'),
  )
  .map(([nth, code]) => ({
    node: asJson(`={"code": {{ ${code.replace('FIELD', `$json.f${nth}`)} }}, "minutes": "5"}`),
    verdicts: (item) => {
      const given = item[`f${nth}`];
      if (!isPlain(given))
        return code === 'JSON.stringify(FIELD)' && !(given instanceof Date)
          ? [REFUSED, FIVE]
          : [OPEN, FIVE];
      const made =
        code === 'FIELD'
          ? given
          : JSON.stringify(code === 'JSON.stringify(FIELD)' ? given : String(given));
      const text = String(made ?? '');
      if (isLossy(text)) return [REFUSED, FIVE];
      if (!isJson(`{"code": ${text}, "minutes": "5"}`)) return [REFUSED, FIVE];
      // Escaped, its words may stand together otherwise.
      return isJson(text) ? [toldIfWarned(ofJson(text, item)), FIVE] : [OPEN, OPEN];
    },
  }));

/** An object that is a field of the item. */
const byPath: fc.Arbitrary<Parameters> = fc
  .tuple(fieldNo, fieldNo, fc.constantFrom('={{ $json.p }}', '={{$json["p"]}}'))
  .map(([one, two, raw]) => ({
    node: asJson(raw),
    item: (item) => ({ p: { code: item[`f${one}`], minutes: item[`f${two}`] } }),
    verdicts: (item) =>
      [one, two].map((nth) => ofValue(item[`f${nth}`], { isComputed: true, item })),
  }));

/** An object that an expression makes. */
const literal: fc.Arbitrary<Parameters> = fc
  .tuple(fieldNo, weighed([2, fc.constant(undefined)], [1, computedPart]), fc.boolean())
  .map(([nth, other, isBare]) => {
    const object = `{ code: $json.f${nth}, minutes: ${other ? `(${other.code})` : "'5'"} }`;
    return {
      node: asJson(`={{ ${isBare ? object : `(${object})`} }}`),
      verdicts: (item) => {
        const minutes = other ? ofPart(other, item, { mayBeEmpty: false }) : FIVE;
        return [ofValue(item[`f${nth}`], { isComputed: true, item }), minutes];
      },
    };
  });

/** A text that one expression makes. Without `null`, only the service would know that a parameter is missing. */
const stringified: fc.Arbitrary<Parameters> = fieldNo.map((nth) => ({
  node: asJson(`={{ JSON.stringify({ code: $json.f${nth} ?? null, minutes: '5' }) }}`),
  verdicts: (item) => {
    const given = item[`f${nth}`];
    const json = JSON.stringify(given);
    if (given instanceof Date) return [OPEN, FIVE];
    return [json === undefined || isLossy(json) ? REFUSED : ofJson(json, item), FIVE];
  },
}));

/** Tokens of JSON that an item or a fixed field has. */
const token = fc.constantFrom(
  ...['"4821"', '1.50', '7', '-0', '0.5', '1e5', '12345678901234567890', '0.30000000000000004'],
  ...['"\\u00e9\\n"', '"\\ufffd"', '"\\ud800"', 'null', 'true', '{}', '[1]', '"undefined"', '007'],
  '"a\tb"',
  ...['"[object Object]"', '1.0', '100', '"\\\\"', '9007199254740993', '"x\\"y"'],
);

const ofTokens = (text: string, tokens: string[], item: IDataObject): Verdict[] =>
  tokens.map((each) => (isJson(text) ? ofJson(each, item) : REFUSED));

/** What a person has written is no failure. */
const asWritten = (verdict: Verdict, token: string): Verdict =>
  /undefined|object Object/.test(token) ? OPEN : verdict;

/** Each item has its JSON text. */
const textByPath: fc.Arbitrary<Parameters> = fc
  .array(token, { minLength: 3, maxLength: 7 })
  .map((tokens) => {
    const textOf = (item: Item) =>
      `{"code": ${tokens[Number(item.index) % tokens.length]}, "minutes": "5"}`;
    return {
      node: asJson('={{ $json.text }}'),
      item: (item) => ({ text: textOf(item) }),
      verdicts: (item) =>
        ofTokens(textOf(item), [tokens[Number(item.index) % tokens.length] as string, '"5"'], item),
    };
  });

const fixedJson: fc.Arbitrary<Parameters> = fc.tuple(token, token).map((tokens) => {
  const text = `{"code": ${tokens[0]}, "minutes": ${tokens[1]}}`;
  return {
    node: asJson(text),
    verdicts: (item) =>
      ofTokens(text, tokens, item).map((each, nth) => asWritten(each, tokens[nth] as string)),
  };
});

// --- The other modes ---

const schema = NAMES.map((id) => ({
  ...{ id, displayName: id, type: 'string', display: true },
  ...{ defaultMatch: false, required: true, canBeUsedToMatch: false },
}));

const optional = schema.map((each) => ({ ...each, required: false }));

const mapped: fc.Arbitrary<Parameters> = fc
  .tuple(field, calmField, fc.boolean())
  .map(([code, minutes, hasSchema]) => ({
    node: {
      parameterMode: 'fields',
      parameters: {
        mappingMode: 'defineBelow',
        value: { code: code.raw, minutes: minutes.raw },
        ...(hasSchema && { schema }),
      },
    },
    verdicts: (item) => [code.verdict(item), minutes.verdict(item)],
  }));

const fromInput: fc.Arbitrary<Parameters> = fc.tuple(fieldNo, fieldNo).map((both) => ({
  node: {
    parameterMode: 'input',
    inputParameters: { mappingMode: 'input', value: null, schema: optional },
  },
  item: (item) => ({ code: item[`f${both[0]}`], minutes: item[`f${both[1]}`] }),
  verdicts: (item) => both.map((nth) => ofValue(item[`f${nth}`], { item })),
}));

const parameters = weighed(
  [6, mapped],
  [3, fromInput],
  [6, quoted],
  [2, escaping],
  [2, unquoted],
  [2, byPath],
  [2, literal],
  [1, stringified],
  [1, textByPath],
  [1, fixedJson],
);

// --- A run ---

const OPTIONS = ['userData', 'phoneData', 'idempotencyKey'] as const;

const scenario = fc.record({
  parameters: weighed<[number, fc.Arbitrary<Parameters | undefined>][]>(
    [4, parameters],
    [1, fc.constant(undefined)],
  ),
  content: field,
  options: fc.record({
    userData: optionField,
    phoneData: optionField,
    idempotencyKey: optionField,
  }),
  values: fc.array(fc.array(value, { minLength: FIELDS, maxLength: FIELDS }), {
    ...{ minLength: ITEMS, maxLength: ITEMS },
  }),
  onError: fc.constantFrom(
    'continueRegularOutput',
    'continueRegularOutput',
    'continueErrorOutput',
    'stopWorkflow',
  ),
});

type Scenario = Made<typeof scenario>;

/** Where random texts are sent: the service, n8n, and its store of keys. */
export interface TextWorld {
  gateway: Gateway;
  execute: Harness['execute'];
  store: DeduplicationStore;
}

/** By object, how often its field `next` was read. Not in the object: n8n's engine copies data, and no functions. */
const reads = new WeakMap<object, number>();

/** An object whose field `next` is counted when it is read. */
function counter(): object {
  const counted = {};
  const get = () => {
    reads.set(counted, (reads.get(counted) ?? 0) + 1);
    return reads.get(counted);
  };
  return Object.defineProperty(counted, 'next', { get });
}

function itemsOf({ values, parameters }: Scenario): Item[] {
  return values.map((fields, index) => {
    const item: Item = { phone: phone(index), index };
    fields.forEach((each, nth) => {
      // No field is not the same as a field with undefined, but means the same.
      if (each !== undefined || index % 2 === 0) item[`f${nth}`] = each as never;
    });
    item.in = Object.fromEntries(fields.map((each, nth) => [`f${nth}`, each as never]));
    return { ...item, ...parameters?.item?.(item) };
  });
}

function nodeOf(
  { parameters, content, options }: Scenario,
  more: IDataObject = {},
): INodeParameters {
  const given = Object.entries(options).flatMap(([name, each]) => (each ? [[name, each.raw]] : []));
  return {
    resource: 'message',
    operation: parameters ? 'sendTemplate' : 'sendCustom',
    signatureId: byId(201),
    phoneNumbers: '={{ $json.phone }}',
    ...(parameters ? { templateId: byId(301), ...parameters.node } : { content: content.raw }),
    options: { ...Object.fromEntries(given), ...more },
  } as INodeParameters;
}

/** The expected text of each field of an item. */
function verdictsOf(
  { parameters, content, options }: Scenario,
  item: Item,
): Record<string, Verdict> {
  const optional = OPTIONS.flatMap((name): [string, Verdict][] => {
    const each = options[name];
    return each ? [[name, each.verdict(item, name === 'idempotencyKey' ? 'key' : 'optional')]] : [];
  });
  const texts = parameters
    ? parameters.verdicts(item).map((each, nth): [string, Verdict] => [NAMES[nth] as string, each])
    : [['content', content.verdict(item)] as [string, Verdict]];
  return Object.fromEntries([...texts, ...optional]);
}

/** The body of either send. */
interface SendBody {
  messages: { phone_number: string; params: IDataObject; phone_data?: string }[];
  phone_numbers: string[];
  content: string;
  user_data: string;
  phone_data: string;
}

/** What arrived for each phone number. */
function arrivedIn(gateway: Gateway): Map<string, Record<string, unknown>> {
  const arrived = new Map<string, Record<string, unknown>>();
  for (const { path, body, outcome } of gateway.requests) {
    if (!path.endsWith('/send') || outcome !== 'ok') continue;
    const { messages = [], phone_numbers = [], ...shared } = body as Partial<SendBody>;
    const { content, user_data: userData, phone_data: phoneData } = shared;
    for (const number of phone_numbers) arrived.set(number, { content, userData, phoneData });
    for (const { phone_number: number, params, phone_data } of messages)
      arrived.set(number, { ...params, userData, phoneData: phone_data });
  }
  return arrived;
}

interface Outcome {
  status: string;
  msg: string;
  warning: string;
  json: IDataObject;
}

/** The outcomes in the order of the input: failures may be on the error branch. */
function outcomesOf({ output }: ExecuteResult): Outcome[] {
  return (output ?? [])
    .flatMap((branch) => branch ?? [])
    .sort((one, other) => placeOf(one) - placeOf(other))
    .map(({ json }) => {
      const { status, msg = '', warning = '' } = (json.details ?? json) as IDataObject;
      return { status: String(status), msg: String(msg), warning: String(warning), json };
    });
}

const placeOf = ({ pairedItem }: { pairedItem?: unknown }) => (pairedItem as { item: number }).item;

const LABELS: Record<string, string> = {
  content: 'Content',
  userData: 'User Data',
  phoneData: 'Phone Data',
  idempotencyKey: 'Idempotency Key',
};

const isNamed = (name: string, text: string) =>
  [LABELS[name] ?? `'${name}'`, 'Parameters (JSON)'].some((label) => text.includes(label));

/** @throws when an item breaks a rule */
function judge(
  each: Scenario,
  item: Item,
  {
    checked,
    sent,
    arrived,
  }: { checked: Outcome; sent: Outcome; arrived: Record<string, unknown> | undefined },
): void {
  const verdicts = verdictsOf(each, item);
  const all = Object.entries(verdicts);
  const refused = all.filter(([, { is }]) => is === 'refused').map(([name]) => name);
  const isSent = sent.status === 'accepted' || sent.status === 'skipped';
  assert.equal(checked.status, isSent ? 'checked' : 'rejected', 'the check and the send differ');
  if (!isSent) {
    assert.equal(sent.status, 'rejected');
    assert.equal(arrived, undefined, 'a rejected item was sent');
    assert.equal(checked.msg, sent.msg, 'the check gives another reason');
    const maybe = all.filter(([, { is }]) => is !== 'text').map(([name]) => name);
    assert.notDeepEqual(maybe, [], `a sound item was rejected: ${sent.msg}`);
    if (refused.length > 0 && maybe.length === refused.length)
      assert.ok(
        refused.some((name) => isNamed(name, sent.msg)),
        `the reason does not name ${refused.join(' or ')}: ${sent.msg}`,
      );
    return;
  }
  assert.deepEqual(refused, [], 'a broken text was accepted');
  if (sent.status === 'skipped') return;
  if (sent.warning)
    assert.ok(checked.warning.includes(sent.warning), `the check does not warn: ${sent.warning}`);
  const told = all.filter(
    ([, verdict]) => verdict.is === 'told' || (verdict.is === 'text' && verdict.warns),
  );
  if (told.length > 0)
    assert.notEqual(sent.warning, '', `no warning for ${told.map(([name]) => name).join()}`);
  for (const [name, verdict] of all) {
    if (verdict.is !== 'text') continue;
    if (name === 'idempotencyKey') continue;
    const got = arrived?.[name];
    if (verdict.text !== '' || got !== undefined)
      assert.equal(got, verdict.text, `${name} arrived changed`);
  }
  const isClean = all.every(([, verdict]) => verdict.is === 'text' && !verdict.warns);
  if (isClean) assert.equal(sent.warning, '', 'a warning without a reason');
}

async function play(each: Scenario, { gateway, execute, store }: TextWorld): Promise<void> {
  const { onError } = each;
  const node = { node: { onError } } as const;
  const items = itemsOf(each);
  const counted = () =>
    items.map((item) => ({
      ...item,
      ...Object.fromEntries(Array.from({ length: FIELDS }, (_, nth) => [`count${nth}`, counter()])),
    })) as (Item & Record<`count${number}`, object>)[];

  const check = await execute(nodeOf(each, { checkOnly: true }), counted() as IDataObject[], node);
  assert.equal(check.error, undefined);
  assert.deepEqual([...gateway.deliveries()], []);
  const checks = outcomesOf(check);
  assert.equal(checks.length, items.length);

  const input = counted();
  const send = await execute(nodeOf(each), input as IDataObject[], node);
  const arrived = arrivedIn(gateway);
  if (send.error) {
    assert.equal(onError, 'stopWorkflow');
    assert.equal(arrived.size, 0, 'a run that stopped has sent');
    assert.ok(
      checks.some(({ status }) => status === 'rejected'),
      `the run stopped: ${send.error.message}`,
    );
    return;
  }
  const outcomes = outcomesOf(send);
  assert.equal(outcomes.length, items.length);
  const keys = new Set(store.values());
  let asked = 0;
  let most = 0;
  items.forEach((item, nth) => {
    const sent = outcomes[nth] as Outcome;
    try {
      judge(each, item, {
        checked: checks[nth] as Outcome,
        sent,
        arrived: arrived.get(item.phone),
      });
      const key = each.options.idempotencyKey?.verdict(item, 'key');
      if (key?.is === 'text' && sent.status === 'accepted')
        assert.ok(
          keys.has(`smsMessagingService:${key.text}`),
          `the key arrived changed: ${inspect([...keys])}`,
        );
      if (onError === 'continueErrorOutput' && sent.status === 'rejected')
        for (const [name, own] of Object.entries(item))
          assert.deepEqual(sent.json[name], own, `the failed item has another ${name}`);
      for (let at = 0; at < FIELDS; at++) {
        const read = reads.get(input[nth]?.[`count${at}`] as object) ?? 0;
        const uses = JSON.stringify(nodeOf(each)).split(`count${at}.next`).length - 1;
        asked += read;
        most += uses;
        if (sent.status === 'accepted') assert.ok(read >= uses, 'an expression was not evaluated');
      }
    } catch (error) {
      const shown = {
        node: nodeOf(each),
        item,
        verdicts: verdictsOf(each, item),
        checked: checks[nth],
        sent,
      };
      throw new Error(
        `${(error as Error).message}\n${inspect(shown, { depth: 6, maxStringLength: 300 })}`,
      );
    }
  });
  assert.ok(asked <= most, `expressions were evaluated ${asked} times instead of ${most}`);
}

/**
 * Sends random texts, each run once checked and once for real.
 *
 * @throws when a text breaks a rule
 */
export async function searchTexts(
  { gateway, execute, store }: TextWorld,
  search: fc.Parameters<[Scenario]>,
): Promise<void> {
  const property = fc.asyncProperty(scenario, async (each) => {
    gateway.reset();
    gateway.state.balance = 1e9;
    store.clear();
    await play(each, { gateway, execute, store });
    assert.deepEqual(gateway.violations, []);
  });
  await fc.assert(property, search);
}
