import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { createHarness } from '../engine';
import type { ExecuteResult } from '../engine';
import { DeduplicationStore } from '../engine/deduplicationStore';
import { byId } from '../engine/locators';
import { phone } from '../engine/sends';
import { startGateway } from '../../sandbox/gateway';
import type { Gateway } from '../../sandbox/gateway';
import { weighed } from './settings';
import type { Made, Search } from './settings';

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

/** What nobody sees is no text. */
const isBlank = (text: string) => /^[\s\p{Cf}\p{DI}]*$/u.test(text);

const isLossy = (text: string) => text.includes('\ufffd') || !text.isWellFormed();

/** In JSON, null is a value. In a text, it is a failure. */
const isJsonList = (text: string) => /^[[{].*\bnull\b/s.test(text) && isJson(text);

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
  if (isBlank(text)) return mayBeEmpty ? { is: 'text', text } : REFUSED;
  if (WHOLE.has(text.trim())) return REFUSED;
  if (isJsonList(text)) return OPEN;
  if (!INSIDE.test(text)) return /undefined/.test(text) ? OPEN : { is: 'text', text };
  if (isComputed && GLUED.test(text)) return TOLD;
  return !isComputed || isQuoted(text, item) ? { is: 'text', text, warns: true } : REFUSED;
}

/**
 * Whether a text field of the item has each failed word of a text together with the word before or behind it. A
 * Chinese character is a word.
 */
function isQuoted(text: string, item: IDataObject): boolean {
  const inOneWord = (each: string) =>
    each
      .replace(/Invalid (Date|Duration|Interval)/g, 'Invalid_$1')
      .replace(/\p{Script=Han}/gu, ' $& ');
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
  ['String(-1 / 0)', '-Infinity'],
  ["Duration.fromISO('nope').toFormat('m')", 'Invalid Duration'],
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
    4,
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
    1,
    fc
      .constantFrom(...CONSTANT)
      .map(([code, given]) => ({ code: ` ${code} `, isComputed: true, value: () => given })),
  ],
);

const part = weighed([5, pathPart], [4, computedPart]);

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

/** In quotes there is text beside each code, and a parameter of which nothing is left is refused. */
type Place = 'required' | 'quoted' | 'optional' | 'key';

interface Pieces {
  texts: string[];
  parts: Part[];
}

const pieces: fc.Arbitrary<Pieces> = fc
  .tuple(
    fc.array(part, { minLength: 1, maxLength: 3 }),
    fc.array(beside, { minLength: 4, maxLength: 4 }),
    fc.constantFrom(true, true, false, false, false),
  )
  .map(([parts, texts, isWhole]) =>
    isWhole
      ? { parts: parts.slice(0, 1), texts: ['', ''] }
      : { parts, texts: texts.slice(0, parts.length + 1) },
  );

const zip = ({ texts, parts }: Pieces, ofText: (text: string) => string) =>
  texts.map((text, nth) => ofText(text) + (parts[nth] ? `{{${parts[nth].code}}}` : '')).join('');

/** The texts with what their parts become. */
function ofPieces({ texts, parts }: Pieces, item: Item, place: Place = 'required'): Verdict {
  const isKey = place === 'key';
  const isWhole = parts.length === 1 && texts.join('') === '';
  const mayBeEmpty = !isKey && !(isWhole && place === 'required');
  const verdicts = parts.map(({ value, isComputed, isMeant = false }) => {
    const given = value(item);
    const manner = { isComputed, isKey, mayBeEmpty: isMeant && mayBeEmpty, item };
    return given === AMBIGUOUS ? OPEN : ofValue(given, manner);
  });
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
  if (isBlank(made) && place !== 'optional') return REFUSED;
  const warns = verdicts.some((verdict) => verdict.is === 'text' && verdict.warns);
  return { is: 'text', text: made, warns };
}

const expressionField: fc.Arbitrary<Field> = pieces.map((each) => ({
  raw: `=${zip(each, (text) => text)}`,
  verdict: (item, place) => ofPieces(each, item, place),
}));

/** A field that is not switched to Expression. */
const fixedField: fc.Arbitrary<Field> = fc
  .constantFrom(
    ...SOUND.filter((text) => !text.startsWith('=')),
    ...['Dear {{ $json.f0 }}', '{{ $json.f0 }}', 'x {{ 1 }} y', 'a\ufffd', '\ud800'],
  )
  .map((raw) => ({ raw, verdict: () => ofFixed(raw) }));

function ofFixed(raw: string): Verdict {
  if (isLossy(raw) || /\{\{.*\}\}|\$json/.test(raw)) return REFUSED;
  return isBlank(raw) ? OPEN : { is: 'text', text: raw };
}

const FIVE: Verdict = { is: 'text', text: '5' };
const safeField: fc.Arbitrary<Field> = fc.constant({ raw: '5', verdict: () => FIVE });

const field = weighed([7, expressionField], [2, fixedField], [1, safeField]);
const calmField = weighed([1, expressionField], [1, fixedField], [4, safeField]);

/** An optional field. */
const optionField = weighed<[number, fc.Arbitrary<Field | undefined>][]>(
  [4, fc.constant(undefined)],
  [1, expressionField],
  [1, fixedField],
);

// --- Ways to send ---

/** What a node sends: its parameters, what an item has for them, and what is expected of each text. */
interface Sent {
  node: IDataObject;
  item?: (item: Item) => IDataObject;
  verdicts: (item: Item) => Record<string, Verdict>;
}

const custom: fc.Arbitrary<Sent> = field.map(({ raw, verdict }) => ({
  node: { operation: 'sendCustom', content: raw },
  verdicts: (item) => ({ content: verdict(item) }),
}));

/** Of a template with the parameters `code` and `minutes`. */
const ofTemplate = (parameters: IDataObject) => ({
  ...{ operation: 'sendTemplate', templateId: byId(301) },
  ...parameters,
});

const schema = ['code', 'minutes'].map((id) => ({
  ...{ id, displayName: id, type: 'string', display: true },
  ...{ defaultMatch: false, required: true, canBeUsedToMatch: false },
}));

const mapped: fc.Arbitrary<Sent> = fc
  .tuple(field, calmField, fc.boolean())
  .map(([code, minutes, hasSchema]) => ({
    node: ofTemplate({
      parameterMode: 'fields',
      parameters: {
        mappingMode: 'defineBelow',
        value: { code: code.raw, minutes: minutes.raw },
        ...(hasSchema && { schema }),
      },
    }),
    verdicts: (item) => ({ code: code.verdict(item), minutes: minutes.verdict(item) }),
  }));

const asJson = (parametersJson: string) => ofTemplate({ parameterMode: 'json', parametersJson });

const FROM_INPUT = ofTemplate({
  parameterMode: 'input',
  inputParameters: {
    ...{ mappingMode: 'input', value: null },
    schema: schema.map((each) => ({ ...each, required: false })),
  },
});

/** Fields of the same names, an object that is a field, and one that an expression makes. */
const objects: fc.Arbitrary<Sent> = fc
  .tuple(
    fieldNo,
    fieldNo,
    fc.constantFrom(
      ...[FROM_INPUT, FROM_INPUT, asJson('={{ $json.p }}'), asJson('={{$json["p"]}}')],
      asJson('={{ { code: $json.p.code, minutes: $json.p.minutes } }}'),
      asJson('={{ ({ code: $json.p.code, minutes: $json.p.minutes }) }}'),
    ),
  )
  .map(([one, two, node]) => {
    const given = (item: Item) => ({ code: item[`f${one}`], minutes: item[`f${two}`] });
    return {
      node,
      item: (item) => ({ ...given(item), p: given(item) }),
      verdicts: (item) => {
        const { code, minutes } = given(item);
        const manner = { isComputed: node !== FROM_INPUT, item };
        return { code: ofValue(code, manner), minutes: ofValue(minutes, manner) };
      },
    };
  });

// --- As JSON ---

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);

/** Before a part, n8n takes two backslashes of text for one. */
const inQuotes = pieces.map(({ texts, parts }) => ({
  parts,
  texts: texts.map((text) => text.replaceAll('\\', '/')),
}));

const quoted: fc.Arbitrary<Sent> = fc
  .tuple(
    inQuotes,
    weighed([1, inQuotes], [2, fc.constant<Pieces>({ texts: ['5'], parts: [] })]),
    fc.constantFrom(
      ['={"code": "', '", "minutes": "', '"}'],
      ['={\n "code" : "', '",\n\t"minutes":"', '"\n}\n'],
    ),
  )
  .map(([code, minutes, [before, between, behind]]) => ({
    node: asJson(`${before}${zip(code, inJson)}${between}${zip(minutes, inJson)}${behind}`),
    verdicts: (item) => ({
      code: ofPieces(code, item, 'quoted'),
      minutes: ofPieces(minutes, item, 'quoted'),
    }),
  }));

/** Code that escapes by itself, and how. What people write forgets a tab or a quotation mark. */
const ESCAPING: [code: string, escape: (text: string) => string][] = [
  ['JSON.stringify(String(FIELD)).slice(1, -1)', inJson],
  [
    'String(FIELD).replace(/\\\\/g, "\\\\\\\\").replace(/"/g, "\\\\\\"").replace(/\\n/g, "\\\\n")',
    (text) => text.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n'),
  ],
  ['String(FIELD) + "\\\\n"', (text) => `${text}\\n`],
];

const escaping: fc.Arbitrary<Sent> = fc
  .tuple(
    fieldNo,
    fc.constantFrom(...ESCAPING),
    beside.filter((text) => !text.includes('\\')),
  )
  .map(([nth, [code, escape], text]) => ({
    node: asJson(
      `={"code": "${inJson(text)}{{ ${code.replace('FIELD', `$json.f${nth}`)} }}", "minutes": "5"}`,
    ),
    verdicts: (item) => {
      const given = item[`f${nth}`];
      return {
        code: isPlain(given) ? ofEscaped(text, escape(String(given)), item) : OPEN,
        minutes: FIVE,
      };
    },
  }));

/** A text, and what a code has escaped behind it. */
function ofEscaped(text: string, json: string, item: Item): Verdict {
  const inside = ofText(json, { isComputed: true, item });
  if (inside.is === 'refused' || !isJson(`"${json}"`)) return REFUSED;
  const parsed = JSON.parse(`"${json}"`) as string;
  const made = text + parsed;
  if (isLossy(made) || WHOLE.has(made.trim()) || isBlank(made)) return REFUSED;
  // Escaped, its words may stand together otherwise.
  if (inside.is !== 'text' || (inside.warns && json !== parsed)) return TOLD;
  return { ...inside, text: made };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A value of JSON text: a text, the token of a number, or something else. */
function ofJson(json: string, item: Item): Verdict {
  const parsed: unknown = JSON.parse(json);
  if (typeof parsed === 'number') return ofToken(json.trim());
  if (typeof parsed !== 'string') return REFUSED;
  return ofText(parsed, { isComputed: true, item });
}

/** JSON with code outside of quotes, and what the code gives. Without `null`, only the service would miss a parameter. */
const UNQUOTED: [raw: string, json: (given: unknown) => string, ofObjects?: boolean][] = [
  ['{"code": {{ FIELD }}, "minutes": "5"}', (given) => String((given as string) ?? '')],
  [
    '{"code": {{ JSON.stringify(FIELD) }}, "minutes": "5"}',
    (given) => JSON.stringify(given) ?? '',
    true,
  ],
  [
    '{"code": {{ JSON.stringify(String(FIELD)) }}, "minutes": "5"}',
    (given) => JSON.stringify(String(given)),
  ],
  [
    "{{ JSON.stringify({ code: FIELD ?? null, minutes: '5' }) }}",
    (given) => JSON.stringify(given ?? null),
    true,
  ],
];

const unquoted: fc.Arbitrary<Sent> = fc
  .tuple(fieldNo, fc.constantFrom(...UNQUOTED))
  .map(([nth, [raw, jsonOf, ofObjects]]) => ({
    node: asJson(`=${raw.replace('FIELD', `$json.f${nth}`)}`),
    verdicts: (item): Record<string, Verdict> => {
      const given = item[`f${nth}`];
      if (given instanceof Date || !(ofObjects || isPlain(given))) return { code: OPEN };
      const json = jsonOf(given);
      if (isLossy(json) || !isJson(`{"code": ${json}, "minutes": "5"}`)) return { code: REFUSED };
      if (!isJson(json)) return { code: OPEN };
      const code = ofJson(json, item);
      // Escaped, its words may stand together otherwise.
      return { code: code.is === 'text' && code.warns ? TOLD : code, minutes: FIVE };
    },
  }));

const token = fc.constantFrom(
  ...['"4821"', '1.50', '7', '-0', '0.5', '1e5', '12345678901234567890', '0.30000000000000004'],
  ...['"\\u00e9\\n"', '"\\ufffd"', '"\\ud800"', 'null', 'true', '{}', '[1]', '"undefined"', '007'],
  ...['"a\tb"', '"[object Object]"', '1.0', '100', '"\\\\"', '9007199254740993', '"x\\"y"'],
);

/** JSON that an item has as a text, or that somebody has typed. What somebody has written is no failure. */
const tokens: fc.Arbitrary<Sent> = fc
  .tuple(token, token, fc.boolean())
  .map(([code, minutes, isTyped]) => {
    const text = `{"code": ${code}, "minutes": ${minutes}}`;
    const verdictOf = (each: string, item: Item) => {
      if (!isJson(text)) return REFUSED;
      return isTyped && /undefined|object Object/.test(each) ? OPEN : ofJson(each, item);
    };
    return {
      node: asJson(isTyped ? text : '={{ $json.text }}'),
      item: () => ({ text }),
      verdicts: (item) => ({ code: verdictOf(code, item), minutes: verdictOf(minutes, item) }),
    };
  });

// --- A run ---

const scenario = fc.record({
  sent: weighed(
    [7, custom],
    [6, mapped],
    [6, objects],
    [6, quoted],
    [2, escaping],
    [3, unquoted],
    [2, tokens],
  ),
  options: fc.record({
    userData: optionField,
    phoneData: optionField,
    idempotencyKey: optionField,
  }),
  values: fc.array(fc.array(value, { minLength: FIELDS, maxLength: FIELDS }), {
    ...{ minLength: ITEMS, maxLength: ITEMS },
  }),
  onError: weighed(
    [2, fc.constant('continueRegularOutput' as const)],
    [2, fc.constantFrom('continueErrorOutput', 'stopWorkflow')],
  ),
});

type Scenario = Made<typeof scenario>;

function itemsOf({ values, sent }: Scenario): Item[] {
  return values.map((fields, index) => {
    const item: Item = { phone: phone(index), index };
    fields.forEach((each, nth) => {
      // No field is not the same as a field with undefined, but means the same.
      if (each !== undefined || index % 2 === 0) item[`f${nth}`] = each as never;
    });
    item.in = Object.fromEntries(fields.map((each, nth) => [`f${nth}`, each as never]));
    return { ...item, ...sent.item?.(item) };
  });
}

function nodeOf({ sent, options }: Scenario, more: IDataObject = {}): INodeParameters {
  const given = Object.entries(options).flatMap(([name, each]) => (each ? [[name, each.raw]] : []));
  return {
    resource: 'message',
    signatureId: byId(201),
    phoneNumbers: '={{ $json.phone }}',
    ...sent.node,
    options: { ...Object.fromEntries(given), ...more },
  } as INodeParameters;
}

/** What is expected of each text of an item. */
function verdictsOf({ sent, options }: Scenario, item: Item): [name: string, verdict: Verdict][] {
  const ofOptions = Object.entries(options).flatMap(([name, each]): [string, Verdict][] => {
    const place = name === 'idempotencyKey' ? 'key' : 'optional';
    return each ? [[name, each.verdict(item, place)]] : [];
  });
  return [...Object.entries(sent.verdicts(item)), ...ofOptions];
}

/** The body of either send. */
interface SendBody {
  messages: { phone_number: string; params: IDataObject; phone_data?: string }[];
  phone_numbers: string[];
  content: string;
  user_data: string;
  phone_data: string;
}

type Arrived = Record<string, unknown>;

/** What arrived for each phone number. */
function arrivedIn(gateway: Gateway): Map<string, Arrived> {
  const arrived = new Map<string, Arrived>();
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
  const placeOf = ({ pairedItem }: { pairedItem?: unknown }) =>
    (pairedItem as { item: number }).item;
  return (output ?? [])
    .flatMap((branch) => branch ?? [])
    .sort((one, other) => placeOf(one) - placeOf(other))
    .map(({ json }) => {
      const { status, msg = '', warning = '' } = (json.details ?? json) as IDataObject;
      return { status: String(status), msg: String(msg), warning: String(warning), json };
    });
}

const LABELS: Record<string, string> = {
  content: 'Content',
  userData: 'User Data',
  phoneData: 'Phone Data',
  idempotencyKey: 'Idempotency Key',
};

const isNamed = (name: string, text: string) =>
  [LABELS[name] ?? `'${name}'`, 'Parameters (JSON)'].some((label) => text.includes(label));

/** What became of an item: in the check, in the send, at the service, and under its key. */
interface Fate {
  checked: Outcome;
  sent: Outcome;
  arrived: Arrived | undefined;
  /** The keys that were recorded. */
  keys: string[];
}

/** @throws when an item breaks a rule */
function judge(verdicts: [string, Verdict][], { checked, sent, arrived, keys }: Fate): void {
  const namesOf = (is: (verdict: Verdict) => boolean) =>
    verdicts.filter(([, verdict]) => is(verdict)).map(([name]) => name);
  const refused = namesOf(({ is }) => is === 'refused');
  const isSent = sent.status === 'accepted' || sent.status === 'skipped';
  assert.equal(checked.status, isSent ? 'checked' : 'rejected', 'the check and the send differ');
  if (!isSent) {
    assert.equal(sent.status, 'rejected');
    assert.equal(arrived, undefined, 'a rejected item was sent');
    assert.equal(checked.msg, sent.msg, 'the check gives another reason');
    const maybe = namesOf(({ is }) => is !== 'text');
    assert.notDeepEqual(maybe, [], `a sound item was rejected: ${sent.msg}`);
    const mayBeNamed =
      maybe.length > refused.length || refused.some((name) => isNamed(name, sent.msg));
    assert.ok(mayBeNamed, `the reason does not name ${refused.join(' or ')}: ${sent.msg}`);
    return;
  }
  assert.deepEqual(refused, [], 'a broken text was accepted');
  if (sent.status === 'skipped') return;
  assert.ok(checked.warning.includes(sent.warning), `the check does not warn: ${sent.warning}`);
  const told = namesOf(
    ({ is, ...verdict }) => is === 'told' || ('warns' in verdict && verdict.warns === true),
  );
  if (told.length > 0) assert.notEqual(sent.warning, '', `no warning for ${told.join()}`);
  else if (verdicts.every(([, { is }]) => is === 'text'))
    assert.equal(sent.warning, '', 'a warning without a reason');
  for (const [name, verdict] of verdicts) {
    if (verdict.is !== 'text') continue;
    const { text } = verdict;
    if (name === 'idempotencyKey') {
      assert.ok(
        keys.includes(`smsMessagingService:${text}`),
        `the key arrived changed: ${inspect(keys)}`,
      );
    } else {
      assert.equal(arrived?.[name] ?? '', text, `${name} arrived changed`);
    }
  }
}

/**
 * Sends random texts, each run once checked and once for real.
 *
 * @throws when a text breaks a rule
 */
export async function searchTexts(search: Search): Promise<void> {
  const gateway = await startGateway({ balance: 1e9 });
  const { execute } = await createHarness(gateway.credential());
  const store = DeduplicationStore.install();

  async function play(each: Scenario): Promise<void> {
    gateway.reset();
    store.clear();
    const { onError } = each;
    const items = itemsOf(each);
    const check = await execute(nodeOf(each, { checkOnly: true }), items, { node: { onError } });
    assert.equal(check.error, undefined);
    assert.deepEqual([...gateway.deliveries()], []);
    const checks = outcomesOf(check);
    assert.equal(checks.length, items.length);

    const send = await execute(nodeOf(each), items, { node: { onError } });
    const arrived = arrivedIn(gateway);
    assert.deepEqual(gateway.violations, []);
    if (send.error) {
      assert.equal(onError, 'stopWorkflow');
      assert.equal(arrived.size, 0, 'a run that stopped has sent');
      const isRejected = checks.some(({ status }) => status === 'rejected');
      assert.ok(isRejected, `the run stopped: ${send.error.message}`);
      return;
    }
    const outcomes = outcomesOf(send);
    assert.equal(outcomes.length, items.length);
    const keys = store.values();
    for (const [nth, item] of items.entries()) {
      const [checked, sent] = [checks[nth], outcomes[nth]] as [Outcome, Outcome];
      const verdicts = verdictsOf(each, item);
      try {
        judge(verdicts, { checked, sent, arrived: arrived.get(item.phone), keys });
        if (onError === 'continueErrorOutput' && sent.status === 'rejected')
          for (const [name, own] of Object.entries(item))
            assert.deepEqual(sent.json[name], own, `the failed item has another ${name}`);
      } catch (error) {
        const shown = { node: nodeOf(each), item, verdicts, checked, sent };
        throw new Error(
          `${(error as Error).message}\n${inspect(shown, { depth: 6, maxStringLength: 300 })}`,
        );
      }
    }
  }

  try {
    await fc.assert(fc.asyncProperty(scenario, play), { ...search, timeout: 60_000 });
  } finally {
    await gateway.close();
  }
}
