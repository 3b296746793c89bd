/** The Code nodes of examples/verification-code.json: who gets a code, and who does not. */
import readEntry from '../../examples/code/verification-code/Read the entry';
import readRequest from '../../examples/code/verification-code/Read the request';
import withinLimits, {
  type Limits,
  type Row,
  type Verdict,
} from '../../examples/code/verification-code/Within the limits';
import { items, runCode } from './node';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const NOW = Date.parse('2026-06-03T10:00:00Z');

const LIMITS: Limits = {
  pause_seconds: 60,
  phone_per_hour: 5,
  phone_per_day: 10,
  caller_per_hour: 20,
  all_per_hour: 30,
};

let nextId = 1;
const PHONE = '13810000501';

function row(change: Partial<Row> = {}): Row {
  nextId += 1;
  return { id: nextId, phone_number: PHONE, asked_by: 'a', at: NOW, state: 'taken', ...change };
}

/** The verdict on a request, which is among the rows. */
function verdict(own: Row, rows: Row[], limits: Partial<Limits> = {}): Verdict | undefined {
  const nodes = {
    Limits: items({ ...LIMITS, ...limits }),
    'Read the request': items(own),
    'Count this request': items(own),
  };
  return runCode(withinLimits, items(...rows), { nodes })[0]?.json.verdict;
}

/** The verdict on a request after so many others. */
function verdictAfter(
  count: number,
  other: Partial<Row>,
  limits?: Partial<Limits>,
): Verdict | undefined {
  const others = Array.from({ length: count }, () => row(other));
  const own = row({ state: 'asked' });
  return verdict(own, [...others, own], limits);
}

const otherPhone = { phone_number: '13899999999' };
const other = { ...otherPhone, asked_by: 'b' };

test.each([
  ['the pause', 1, { at: NOW - 59 * SECOND }, 'pause'],
  ['after the pause', 1, { at: NOW - 60 * SECOND }, 'take'],
  ['four of a phone in an hour', 4, { at: NOW - HOUR + 1 }, 'take'],
  ['five of a phone in an hour', 5, { at: NOW - HOUR + 1 }, 'limit'],
  ['five of a phone, an hour ago', 5, { at: NOW - HOUR }, 'take'],
  ['nine of a phone in a day', 9, { at: NOW - 2 * HOUR }, 'take'],
  ['ten of a phone in a day', 10, { at: NOW - 24 * HOUR + 1 }, 'limit'],
  ['ten of a phone, a day ago', 10, { at: NOW - 24 * HOUR }, 'take'],
  ['19 of a caller in an hour', 19, otherPhone, 'take'],
  ['20 of a caller in an hour', 20, otherPhone, 'limit'],
  ['20 of a caller, an hour ago', 20, { ...otherPhone, at: NOW - HOUR }, 'take'],
  ['29 in an hour', 29, other, 'take'],
  ['30 in an hour', 30, other, 'limit'],
  ['refused sends, which need no pause', 4, { state: 'refused' }, 'take'],
  ['refused sends, which count', 5, { state: 'refused' }, 'limit'],
] as const)('%s: %j', (_, count, change, expected) => {
  expect(verdictAfter(count, change)).toBe(expected);
});

test('a code on its way is no news, also when a limit is reached', () => {
  expect(verdictAfter(5, { at: NOW - SECOND })).toBe('pause');
});

test('a request that has its place sends', () => {
  const own = row();
  expect(verdict(own, [own])).toBe('send');
});

/** A request on its way through the nodes, as a database with many connections shows it to others. */
interface Run {
  row: Row;
  isVisible: boolean;
  step: 'insert' | 'count' | 'take' | 'count again' | 'sent' | 'refused';
}

function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/**
 * When rows are stored. SQLite shows a row with a lower id before one with a higher id. PostgreSQL may
 * show them in any order. `at once`: no request counts before all are stored.
 */
type Order = 'by id' | 'any' | 'at once';

/** Lets requests for one phone run in a random order of their steps. Returns how many have sent. */
function race(seed: number, limit: number, order: Order): number {
  const random = randomNumbers(seed);
  const limits = { phone_per_hour: limit, pause_seconds: 0 };
  const runs: Run[] = Array.from({ length: 8 }, () => ({
    row: row({ state: 'asked' }),
    isVisible: order === 'at once',
    step: order === 'at once' ? 'count' : 'insert',
  }));
  const pending = () => runs.filter(({ step }) => step !== 'sent' && step !== 'refused');
  while (pending().length > 0) {
    const choice = pending()[random(pending().length)];
    const isByID = choice?.step === 'insert' && order === 'by id';
    const run = isByID ? runs.find(({ step }) => step === 'insert') : choice;
    if (!run) break;
    const visible = runs.filter(({ isVisible }) => isVisible).map((each) => each.row);
    if (run.step === 'insert') {
      run.isVisible = true;
      run.step = 'count';
    } else if (run.step === 'take') {
      run.row.state = 'taken';
      run.step = 'count again';
    } else {
      const next = verdict(run.row, visible, limits);
      if (next === 'take') run.step = 'take';
      else run.step = next === 'send' ? 'sent' : 'refused';
      // "Do not count it" removes the row.
      if (run.step === 'refused') run.isVisible = false;
    }
  }
  return runs.filter(({ step }) => step === 'sent').length;
}

test.each([1, 2, 3])('of many requests at the same moment, not more than %d send', (limit) => {
  for (let seed = 1; seed <= 60; seed += 1) {
    const sent = (order: Order) => race(seed, limit, order);
    expect([seed, sent('any') <= limit]).toEqual([seed, true]);
    expect([seed, sent('by id') <= limit, sent('by id') >= 1]).toEqual([seed, true, true]);
    expect([seed, sent('at once')]).toEqual([seed, limit]);
  }
});

const read = (body: unknown) =>
  runCode(readRequest, [], { nodes: { 'Code wanted': items({ body }) } })[0]?.json;

test.each(['13810000501', 13810000501, '+86 138 1000 0501', '138-1000-0501', '0086 13810000501'])(
  'the phone %p is the same phone',
  (phone) => {
    expect(read({ phone, caller: ' 2001:DB8::1 ' })).toMatchObject({
      phone_number: PHONE,
      asked_by: '2001:db8::1',
      reason: '',
    });
  },
);

const LONG = '1'.repeat(101);

test('a caller of 100 characters is taken', () => {
  expect(read({ phone: PHONE, caller: 'a'.repeat(100) })).toMatchObject({ reason: '' });
});

test.each([
  [undefined, 'phone must hold one mobile number.'],
  [{}, 'phone must hold one mobile number.'],
  [{ phone: '1381', caller: 'a' }, 'phone must hold one mobile number.'],
  [{ phone: `${PHONE},13810000502`, caller: 'a' }, 'phone must hold one mobile number.'],
  [{ phone: { $ne: '' }, caller: 'a' }, 'phone must hold one mobile number.'],
  [{ phone: PHONE }, 'caller is missing: who asks, such as an IP address.'],
  [{ phone: PHONE, caller: ' ' }, 'caller is missing: who asks, such as an IP address.'],
  [{ phone: PHONE, caller: LONG }, 'caller is longer than 100 characters.'],
  [{ phone: PHONE, caller: [LONG] }, 'caller is longer than 100 characters.'],
  [{ phone: LONG, caller: 'a' }, 'phone is longer than 100 characters.'],
  [{ phone: [`${PHONE}${' '.repeat(100)}`], caller: 'a' }, 'phone is longer than 100 characters.'],
])('the request %j is refused', (body, reason) => {
  expect(read(body)).toMatchObject({ reason });
});

test.each([
  [{ phone: '+86 13810000501', code: ' 012345 ' }, PHONE, '012345'],
  [{ phone: PHONE, code: '０１２３４５' }, PHONE, '012345'],
  [{ phone: PHONE, code: 123456 }, PHONE, '123456'],
  [{ phone: `${PHONE} ${PHONE}`, code: '1' }, '', '1'],
  [{ phone: `${PHONE}${' '.repeat(100)}`, code: '1' }, '', '1'],
  [{ code: '1' }, '', '1'],
  [undefined, '', ''],
])('the entry %j is read', (body, phone_number, code) => {
  const nodes = { 'Code entered': items({ body }) };
  const [entry] = runCode(readEntry, [], { nodes });
  expect(entry?.json).toEqual({ phone_number, code });
});
