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
import { itemOf, outcomeOf } from './outcomes';
import { weighed } from './settings';
import type { Made, Search } from './settings';

/**
 * Random texts in every field that a person or a join reads, sent over the real engine to the sandbox
 * gateway. The oracle is written from the table of the design, with nothing of the package in it: no broken text
 * is accepted, there are no gaps, a sound text arrives byte for byte, and a check says what the send then does.
 */

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
  if (isLossy(text) || WHOLE.has(text.trim()) || /\[object .*\]/.test(text)) return REFUSED;
  if (isBlank(text)) return mayBeEmpty ? { is: 'text', text } : REFUSED;
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
function ofDigits(token: string): Verdict {
  const verdict = ofNumber(Number(token));
  if (/e/i.test(token) || token.replace(/\D/g, '').replace(/^0+/, '').length > 17) return REFUSED;
  return verdict.is === 'text' ? { is: 'text', text: token } : REFUSED;
}

// --- Values of items ---

const SOUND = [
  ...['4821', '张三', '0042', 'D:\\new', 'a"b', "a'b", 'a\nb', 'a\tb'],
  ...['a\r\nb', '\u2028', 'a\u2028b\u2029c', '😀', '👨‍👩‍👧', 'e\u0301', '\u0000x\u001f', '\\', '\\\\'],
  ...['\\"', '\\u0041', '\\n', '$&', '$1', '$$', '$`', '123', 'true', '0', ' x', '1e5', '[]', '{}'],
  ...['nullable', 'annulled', 'Nancy', 'Undefined', 'NULL', 'nan', 'object Object', '[object'],
  ...['{{ $json.f1 }}', '={{ 1 + 1 }}', '=', '=x', '$json.f1', '}}', '{{', '{"code": "1"}', '"'],
  ...['`', '${x}', "','", '</script>', '\ue000', '\ue0000\ue001', '\uffff', '\u0001\u0002', '%s'],
  ...['  two spaces  ', '4821, "x": 1', '[null]', '\u200bx', '字'.repeat(70), 'x'.repeat(20_000)],
  ...['[1, 2]', '__proto__', 'constructor', '//', '/* */', '\'"`', '\ufeffx', '"\\\n'.repeat(300)],
];

/** Sound too, but it would end a text in JSON, and begin another one. */
const INJECTED = ['x", "code": "000000'];

const FAILED = ['undefined', 'null', 'NaN', ...INVALID, 'Infinity'];

const OBJECTS = ['[object Object]', 'a [object Object]!', '[object Undefined]', 'x [object Map]'];

const LOSSY = [
  '����',
  'a\ufffdb',
  '\ud800',
  'a\udc00b',
  '\ude00\ud83d',
  'x'.repeat(9_000) + '\ufffd',
];

const WORDS = [
  ...["Cannot read properties of undefined (reading 'x')", 'a null value', 'null,', 'not-null'],
  ...['Invalid Date: x', '"NaN"', 'x\nundefined', '值undefined！'],
];

const sound = fc.constantFrom(...SOUND);

/** By kind. Each item of a run has values of another kind, beside sound ones: so every run has all of them. */
const VALUES: fc.Arbitrary<unknown>[] = [
  sound,
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }),
  fc.constantFrom(0, -0, 7, -1, 123_456, 0.5, 1.25, 1e-6, 99.9, 2 ** 53 - 1, 123456789.123456),
  fc.oneof(fc.integer(), fc.double(), fc.double({ min: -1e6, max: 1e6 })),
  fc.constantFrom(NaN, Infinity, 0.1 * 3, 1e21, 1e-7, 2 ** 53, 123456789.12345678),
  ...[INJECTED, FAILED, OBJECTS, LOSSY].map((texts) => fc.constantFrom(...texts)),
  fc.constantFrom(...WORDS),
  fc.constantFrom<unknown>(true, {}, { a: 1 }, [], ['x'], [1, 2], [[]], new Date(86_400_000)),
  fc.constantFrom(undefined, null, '', ' ', '\u200b'),
];

const values = fc.tuple(
  ...VALUES.map((kind) =>
    fc.array(weighed([9, kind], [1, sound]), { minLength: FIELDS, maxLength: FIELDS }),
  ),
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
  index: number;
}

const nameOfField = fc.nat(FIELDS - 1).map((nth) => `f${nth}`);

/** As drag and drop writes it. */
const PATHS = [
  ...[' $json.FIELD ', '$json.FIELD', ' $json["FIELD"] ', ' $json.in.FIELD '],
  ...[' $json.in?.FIELD ', ' $input.item.json.FIELD ', " $('Start').item.json.FIELD "],
];

/** What the rules do not tell. */
const AMBIGUOUS = Symbol();

/** Objects in a code differ by engine. */
const isPlain = (given: unknown) => given === null || typeof given !== 'object';

/** Code around a field of an item, and the same in JavaScript: a text, because it takes the field for one. */
type Computed = [code: string, run: (given: string) => unknown];

const COMPUTED: Computed[] = [
  ['[FIELD][0]', (given) => given],
  ["$if(true, FIELD, '')", (given) => given],
  ['FIELD ?? undefined', (given) => given ?? undefined],
  ['(() => FIELD)()', (given) => given],
  ["FIELD || 'friend'", (given) => given || 'friend'],
  ['String(FIELD)', String],
  ['`${FIELD}`', (given) => `${given}`],
  ['FIELD.trim()', (given) => (typeof given === 'string' ? given.trim() : AMBIGUOUS)],
  ['FIELD // as entered\n', (given) => given],
  ['FIELD * 1', (given) => Number(given)],
  ['FIELD === undefined', (given) => given === undefined],
  ['String(FIELD).length', (given) => String(given).length],
];

/** Code that puts other text beside the field. */
const BESIDE: Computed[] = [
  ["'Dear ' + FIELD", (given) => 'Dear ' + given],
  ['`尊敬的${FIELD}您好`', (given) => `尊敬的${given}您好`],
  ["[FIELD, 'x'].join('-')", (given) => [given, 'x'].join('-')],
];

/** An empty text of it is meant. */
const MEANT: Computed[] = [
  ["FIELD ?? ''", (given) => given ?? ''],
  ["FIELD || ''", (given) => given || ''],
  ["FIELD ? FIELD : ''", (given) => given || ''],
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

const computed = (codes: Computed[], isMeant = false): fc.Arbitrary<Part> =>
  fc.tuple(nameOfField, fc.constantFrom(...codes)).map(([name, [code, run]]) => ({
    code: ` ${code.replaceAll('FIELD', `$json.${name}`)} `,
    isComputed: true,
    isMeant,
    value: (item) => (isPlain(item[name]) ? run(item[name] as string) : AMBIGUOUS),
  }));

const path: fc.Arbitrary<Part> = fc
  .tuple(nameOfField, fc.constantFrom(...PATHS))
  .map(([name, form]) => ({
    code: form.replace('FIELD', name),
    isComputed: false,
    value: (item) => item[name],
  }));

const constant: fc.Arbitrary<Part> = fc
  .constantFrom(...CONSTANT)
  .map(([code, given]) => ({ code: ` ${code} `, isComputed: true, value: () => given }));

// --- Fields ---

/** Text beside parts. It has no braces, and no backslash before a part. */
const beside = weighed(
  [10, fc.constant('')],
  [
    10,
    fc.constantFrom(
      ...['Dear ', ', ', 'Room ', '尊敬的', ' 您好!\n', '"', "'", '😀', '\t', '`', '$&', '\\d '],
      ...['a\\b', '\u2028', ' null ', 'undefined:', '=', '//', '$x', "','", '{ ', '} ', '\r\n'],
    ),
  ],
  [1, fc.constantFrom('\ufffd', '\ud800x', 'a'.repeat(5_000))],
);

/** In quotes there is text beside each code, and a parameter of which nothing is left is refused. */
type Demand = 'required' | 'quoted' | 'optional' | 'key';

interface Pieces {
  texts: string[];
  parts: Part[];
}

/** A part alone, or beside text and perhaps others. */
const pieces = (kind: fc.Arbitrary<Part>): fc.Arbitrary<Pieces> =>
  fc
    .tuple(
      kind,
      weighed([2, fc.constant([])], [1, fc.array(fc.oneof(path, kind), { maxLength: 2 })]),
      fc.array(beside, { minLength: 4, maxLength: 4 }),
      fc.boolean(),
    )
    .map(([part, others, texts, isWhole]) =>
      isWhole
        ? { parts: [part], texts: ['', ''] }
        : { parts: [part, ...others], texts: texts.slice(0, others.length + 2) },
    );

/** A text that is meant to be empty is refused whole in some places, and in a key beside text, too. */
const KINDS: fc.Arbitrary<Pieces>[] = [
  ...[path, computed(COMPUTED), computed(BESIDE), constant].map(pieces),
  ...['', 'Room '].map((text) =>
    computed(MEANT, true).map((part) => ({ parts: [part], texts: [text, ''] })),
  ),
];

const zip = ({ texts, parts }: Pieces, ofText: (text: string) => string) =>
  texts.map((text, nth) => ofText(text) + (parts[nth] ? `{{${parts[nth].code}}}` : '')).join('');

/** The texts with what their parts become. */
function ofPieces({ texts, parts }: Pieces, item: Item, place: Demand): Verdict {
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

/** A field that is not switched to Expression. */
const FIXED = [...SOUND.filter((text) => !text.startsWith('=')), 'a\ufffd', '\ud800'];
const WITH_CODE = ['Dear {{ $json.f0 }}', '{{ $json.f0 }}', 'x {{ 1 }} y'];

function ofFixed(raw: string): Verdict {
  if (isLossy(raw) || /\{\{.*\}\}|\$json/.test(raw)) return REFUSED;
  return isBlank(raw) ? OPEN : { is: 'text', text: raw };
}

// --- Ways to send ---

/** A node that sends one text which is searched, and beside it only sound ones. */
interface Sent {
  node: IDataObject;
  /** What an item has for it beside its fields. */
  item?: (item: Item) => IDataObject;
  /** The name of the text: where it arrives, and in errors. */
  name: string;
  verdict: (item: Item) => Verdict;
}

/** Of a template with the parameters `code` and `minutes`. */
const ofTemplate = (parameters: IDataObject) => ({
  ...{ operation: 'sendTemplate', templateId: byId(301) },
  ...parameters,
});

const schema = ['code', 'minutes'].map((id) => ({
  ...{ id, displayName: id, type: 'string', display: true },
  ...{ defaultMatch: false, required: false, canBeUsedToMatch: false },
}));

const custom = (content: string) => ({ operation: 'sendCustom', content });

const mapped = (code: string) => {
  const value = { code, minutes: '5' };
  const parameters = { mappingMode: 'defineBelow', value, schema };
  return ofTemplate({ parameterMode: 'fields', parameters });
};

type Place = [name: string, demand: Demand, nodeOf: (raw: string) => IDataObject];

const PLACES: Place[] = [
  ['content', 'required', custom],
  ['code', 'required', mapped],
  ['userData', 'optional', (userData) => ({ ...custom('5'), options: { userData } })],
  ['phoneData', 'optional', (phoneData) => ({ ...mapped('5'), options: { phoneData } })],
  ['idempotencyKey', 'key', (idempotencyKey) => ({ ...custom('5'), options: { idempotencyKey } })],
];

const expressionIn = (
  [name, demand, nodeOf]: Place,
  kind: fc.Arbitrary<Pieces>,
): fc.Arbitrary<Sent> =>
  kind.map((each) => ({
    name,
    node: nodeOf(`=${zip(each, (text) => text)}`),
    verdict: (item) => ofPieces(each, item, demand),
  }));

const fixedIn = ([name, , nodeOf]: Place, texts: string[]): fc.Arbitrary<Sent> =>
  fc
    .constantFrom(...texts)
    .map((raw) => ({ name, node: nodeOf(raw), verdict: () => ofFixed(raw) }));

const asJson = (parametersJson: string) => ofTemplate({ parameterMode: 'json', parametersJson });

const FROM_INPUT = ofTemplate({
  parameterMode: 'input',
  inputParameters: { mappingMode: 'input', value: null, schema },
});

/** Fields of the same names, an object that is a field, and one that an expression makes. */
const OBJECTS_OF_TEXTS = [
  ...[FROM_INPUT, asJson('={{ $json.p }}'), asJson('={{$json["p"]}}')],
  asJson('={{ { code: $json.p.code, minutes: $json.p.minutes } }}'),
  asJson('={{ ({ code: $json.p.code, minutes: $json.p.minutes }) }}'),
];

const objects = (node: IDataObject): fc.Arbitrary<Sent> =>
  nameOfField.map((field) => {
    const given = (item: Item) => ({ code: item[field], minutes: '5' });
    return {
      node,
      item: (item) => ({ ...given(item), p: given(item) }),
      name: 'code',
      verdict: (item) => ofValue(item[field], { isComputed: node !== FROM_INPUT, item }),
    };
  });

// --- As JSON ---

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);

/** Before a part, n8n takes two backslashes of text for one. */
const quoted = (kind: fc.Arbitrary<Pieces>): fc.Arbitrary<Sent> =>
  fc
    .tuple(
      kind,
      fc.constantFrom(
        ['={"code": "', '", "minutes": "5"}'],
        ['={\n "code" : "', '",\n\t"minutes":"5"\n}\n'],
      ),
    )
    .map(([{ parts, texts }, [before, behind]]) => {
      const each = { parts, texts: texts.map((text) => text.replaceAll('\\', '/')) };
      return {
        node: asJson(`${before}${zip(each, inJson)}${behind}`),
        name: 'code',
        verdict: (item) => ofPieces(each, item, 'quoted'),
      };
    });

/**
 * Code that writes JSON by itself, and what it writes for `code`. What people write forgets a tab or a quotation mark.
 * Without `null`, only the service would miss a parameter.
 */
const JSON_CODES: [raw: string, json: (given: unknown) => string][] = [
  ['{"code": {{ FIELD }}, "minutes": "5"}', (given) => String(given ?? '')],
  ['{"code": {{ JSON.stringify(FIELD) }}, "minutes": "5"}', (given) => JSON.stringify(given) ?? ''],
  [
    '{"code": {{ JSON.stringify(String(FIELD)) }}, "minutes": "5"}',
    (given) => JSON.stringify(String(given)),
  ],
  [
    "{{ JSON.stringify({ code: FIELD ?? null, minutes: '5' }) }}",
    (given) => JSON.stringify(given ?? null),
  ],
  [
    '{"code": "{{ JSON.stringify(String(FIELD)).slice(1, -1) }}", "minutes": "5"}',
    (given) => JSON.stringify(String(given)),
  ],
  [
    String.raw`{"code": "{{ String(FIELD).replace(/\\/g, "\\\\").replace(/"/g, "\\\"").replace(/\n/g, "\\n") }}", "minutes": "5"}`,
    (given) =>
      `"${String(given).replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n')}"`,
  ],
  [
    String.raw`{"code": "{{ String(FIELD) + "\\n" }}", "minutes": "5"}`,
    (given) => `"${String(given)}\\n"`,
  ],
];

const written = ([raw, jsonOf]: (typeof JSON_CODES)[number]): fc.Arbitrary<Sent> =>
  nameOfField.map((field) => ({
    node: asJson(`=${raw.replace('FIELD', `$json.${field}`)}`),
    name: 'code',
    verdict: (item) => {
      if (!isPlain(item[field])) return OPEN;
      const json = jsonOf(item[field]);
      if (isLossy(json) || !isJson(`{"code": ${json}, "minutes": "5"}`)) return REFUSED;
      // In quotes, the code ends its text. Outside of them it may give more than one value.
      if (!isJson(json)) return raw.includes('"{{') ? REFUSED : OPEN;
      const verdict = ofJson(json, item);
      // Escaped, its words may stand together otherwise.
      return verdict.is === 'text' && verdict.warns ? TOLD : verdict;
    },
  }));

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
  if (typeof parsed === 'number') return ofDigits(json.trim());
  return typeof parsed === 'string' ? ofText(parsed, { isComputed: true, item }) : REFUSED;
}

const TOKENS = [
  ...['"4821"', '1.50', '7', '-0', '0.5', '1e5', '12345678901234567890', '0.30000000000000004'],
  ...['"\\u00e9\\n"', '"\\ufffd"', '"\\ud800"', 'null', 'true', '{}', '[1]', '"undefined"', '007'],
  ...['"a\tb"', '"[object Object]"', '1.0', '100', '"\\\\"', '9007199254740993', '"x\\"y"'],
];

const withToken = (token: string) => `{"code": "1", "minutes": ${token}}`;

function ofToken(token: string, item: Item): Verdict {
  return isJson(token) ? ofJson(token, item) : REFUSED;
}

/** JSON that an item has as a text: each item of a run has another one. */
const tokens = (first: number): Sent => {
  const tokenOf = ({ index }: Item) => TOKENS[(first + index) % TOKENS.length] ?? '';
  return {
    node: asJson('={{ $json.text }}'),
    item: (item) => ({ text: withToken(tokenOf(item)) }),
    name: 'minutes',
    verdict: (item) => ofToken(tokenOf(item), item),
  };
};

/** What somebody has written is no failure. */
const typed: fc.Arbitrary<Sent> = fc.constantFrom(...TOKENS).map((token) => ({
  node: asJson(withToken(token)),
  name: 'minutes',
  verdict: (item) => (/undefined|object Object/.test(token) ? OPEN : ofToken(token, item)),
}));

// --- A run ---

/** Each way to send a text, and each kind of code in each place. */
const WAYS: fc.Arbitrary<Sent>[] = [
  ...KINDS.flatMap((kind) => [...PLACES.map((place) => expressionIn(place, kind)), quoted(kind)]),
  ...PLACES.map((place) => fixedIn(place, FIXED)),
  fc.oneof(...PLACES.map((place) => fixedIn(place, WITH_CODE))),
  ...[...OBJECTS_OF_TEXTS.map(objects), ...JSON_CODES.map(written)],
  ...[fc.constant(tokens(0)), fc.constant(tokens(VALUES.length)), typed],
];

const scenarioOf = (sent: fc.Arbitrary<Sent>) =>
  fc.record({
    sent,
    values,
    onError: weighed(
      [19, fc.constantFrom('continueRegularOutput' as const, 'continueErrorOutput')],
      [1, fc.constant('stopWorkflow')],
    ),
  });

type Scenario = Made<ReturnType<typeof scenarioOf>>;

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

function nodeOf({ sent }: Scenario, more: IDataObject = {}): INodeParameters {
  return {
    resource: 'message',
    signatureId: byId(201),
    phoneNumbers: '={{ $json.phone }}',
    ...sent.node,
    options: { ...(sent.node.options as IDataObject), ...more },
  } as INodeParameters;
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
const outcomesOf = ({ output }: ExecuteResult): Outcome[] =>
  (output ?? [])
    .flatMap((branch) => branch ?? [])
    .sort((one, other) => itemOf(one) - itemOf(other))
    .map((item) => {
      const { status, msg, warning } = outcomeOf(item);
      return {
        status: String(status),
        msg: String(msg ?? ''),
        warning: String(warning ?? ''),
        json: item.json,
      };
    });

const LABELS: Record<string, string> = {
  ...{ content: 'Content', userData: 'User Data', phoneData: 'Phone Data' },
  idempotencyKey: 'Idempotency Key',
};

const isNamed = (name: string, text: string) =>
  [LABELS[name] ?? `'${name}'`, 'Parameters (JSON)'].some((label) => text.includes(label));

/** What became of an item: in the check, in the send, and at the service, with the keys that were recorded. */
interface Fate {
  checked: Outcome;
  sent: Outcome;
  arrived: Arrived | undefined;
  keys: string[];
}

/** @throws when an item breaks a rule */
function judge({ name }: Sent, verdict: Verdict, { checked, sent, arrived, keys }: Fate): void {
  if (sent.status === 'rejected') {
    assert.deepEqual([checked.status, checked.msg], ['rejected', sent.msg], 'the check differs');
    assert.equal(arrived, undefined, 'a rejected item was sent');
    assert.notEqual(verdict.is, 'text', 'a sound text was rejected');
    assert.ok(verdict.is !== 'refused' || isNamed(name, sent.msg), `it does not name ${name}`);
    return;
  }
  assert.equal(checked.status, 'checked', 'the check differs');
  assert.ok(verdict.is !== 'refused', 'a broken text was accepted');
  if (sent.status === 'skipped' || verdict.is === 'open') return;
  assert.equal(sent.status, 'accepted');
  assert.ok(checked.warning.includes(sent.warning), 'the check does not warn');
  const isWarned = sent.warning !== '';
  assert.equal(isWarned, verdict.is !== 'text' || verdict.warns === true, 'the warning');
  if (verdict.is !== 'text') return;
  const { text } = verdict;
  if (name === 'idempotencyKey') assert.ok(keys.includes(`smsMessagingService:${text}`), 'the key');
  else assert.equal(arrived?.[name] ?? '', text, 'it arrived changed');
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
      const verdict = each.sent.verdict(item);
      try {
        judge(each.sent, verdict, { checked, sent, arrived: arrived.get(item.phone), keys });
        if (onError === 'continueErrorOutput' && sent.status === 'rejected')
          for (const [name, own] of Object.entries(item))
            assert.deepEqual(sent.json[name], own, `the failed item has another ${name}`);
      } catch (error) {
        const shown = { node: nodeOf(each), item, verdict, checked, sent };
        throw new Error(
          `${(error as Error).message}\n${inspect(shown, { depth: 6, maxStringLength: 300 })}`,
        );
      }
    }
  }

  try {
    const { seed } = search;
    // Each way once, and then any.
    const round = WAYS.flatMap((way, nth) =>
      fc.sample(scenarioOf(way), { seed: seed + nth, numRuns: 1 }),
    );
    await fc.assert(fc.asyncProperty(scenarioOf(fc.oneof(...WAYS)), play), {
      ...{ ...search, timeout: 60_000 },
      examples: round.map((each): [Scenario] => [each]),
    });
  } finally {
    await gateway.close();
  }
}
