import { RecordMemory } from '../../../nodes/SmsMessagingService/receiving/recordMemory';
import { numbered } from '../../kit/engine/pulls';

/** How the trigger recognises records that the service returns again. */

const pagesOf = (records: unknown[], size: number) =>
  Array.from({ length: Math.ceil(records.length / size) }, (_, page) =>
    records.slice(page * size, (page + 1) * size),
  );

/** The new records of a page. They count as seen from then on. */
const takeNew = (memory: RecordMemory, page: unknown[]) => memory.see({ kind: 'page', page }).fresh;

const sizeOf = (memory: RecordMemory) => JSON.stringify(memory.stored).length;

/** The memory of the next process, which has static data only. */
function restart(memory: RecordMemory): RecordMemory {
  const next = new RecordMemory();
  next.merge(JSON.parse(JSON.stringify(memory.stored)));
  return next;
}

test.each([100, 500, 3_000])(
  '3,000 records that come again in pages of %d are recognised',
  (size) => {
    const memory = new RecordMemory();
    const pages = pagesOf(numbered(3_000), size);
    for (const page of pages) expect(takeNew(memory, page)).toHaveLength(page.length);
    for (const page of pages) expect(takeNew(memory, page)).toEqual([]);
    // Also after a restart.
    const again = restart(memory);
    for (const page of pages) expect(takeNew(again, page)).toEqual([]);
  },
);

test('one large page is recognised whole, and the memory becomes small again', () => {
  const memory = new RecordMemory();
  const large = numbered(50_000);
  expect(takeNew(memory, large)).toHaveLength(50_000);
  expect(takeNew(memory, numbered(1, 200_000))).toHaveLength(1);
  expect(takeNew(memory, large)).toEqual([]);
  expect(takeNew(restart(memory), large)).toEqual([]);
  // Also with another one of its size between, and behind an empty one.
  expect(takeNew(memory, numbered(50_000, 50_000))).toHaveLength(50_000);
  expect(takeNew(memory, [])).toEqual([]);
  expect(takeNew(memory, large)).toEqual([]);
  expect(sizeOf(memory)).toBeGreaterThan(400_000);
  for (let page = 0; page < 400; page++) takeNew(memory, numbered(10, 100_000 + page * 10));
  expect(sizeOf(memory)).toBeLessThan(3_000 * 8 + 100);
});

test.each<[string, (memory: RecordMemory, latest: unknown[]) => void]>([
  [
    'when another process has gone on with what this one has stored',
    (memory, latest) => {
      const other = restart(memory);
      takeNew(other, latest);
      memory.merge(other.stored);
    },
  ],
  [
    'when static data is older than what this process has seen',
    (memory, latest) => {
      const { stored } = memory;
      takeNew(memory, latest);
      memory.merge(stored);
    },
  ],
])('of the latest records, none is forgotten %s', (_, see) => {
  const memory = new RecordMemory();
  takeNew(memory, numbered(3_000));
  // Some of them came long ago, and come again.
  const latest = [...numbered(100), ...numbered(100, 3_000)];
  see(memory, latest);
  expect(takeNew(memory, latest)).toEqual([]);
});

test('equal records are counted: one more of them is one new record', () => {
  const [record] = numbered(1);
  const page = (count: number) => Array(count).fill(record) as unknown[];
  const before = new RecordMemory();
  expect(takeNew(before, page(2))).toHaveLength(2);
  const memory = restart(before);
  expect(takeNew(memory, page(2))).toHaveLength(0);
  expect(takeNew(memory, page(3))).toHaveLength(1);
  // What the service shows of them meanwhile, or static data has, forgets none.
  expect(takeNew(memory, page(1))).toHaveLength(0);
  memory.merge(before.stored);
  expect(takeNew(memory, page(3))).toHaveLength(0);
});

describe('a record without a time', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const MINUTE = 60_000;
  let now = 1_767_225_600_000;

  const pass = (minutes: number) => {
    now += minutes * MINUTE;
    jest.spyOn(Date, 'now').mockReturnValue(now);
  };

  const ONE = { mobile: '13800138000', content: '1' };

  const isNew = (memory: RecordMemory, ...page: object[]) => {
    // No two answers come in one millisecond.
    pass(1 / MINUTE);
    return takeNew(memory, page).length === page.length;
  };

  test.each([
    ['no time', ONE],
    ['an empty time', { ...ONE, time: '', reply_time: 0 }],
    ['a date alone', { ...ONE, time: '2026-01-31' }],
    ['a date of digits', { ...ONE, time: 20_260_131 }],
    // What services write for a time that they do not have, and what only has the word in its name.
    ...[
      '0000-00-00 00:00:00',
      '0001-01-01T00:00:00Z',
      '1970-01-01 08:00:00',
      '-',
      '09:15',
      28_800,
    ].map((time): [string, object] => [`${time}`, { ...ONE, time }]),
    ['other fields', { ...ONE, timezone: '+08:00', receive_times: 1 }],
  ])('is a new one after an hour: %s', (_, record) => {
    const memory = new RecordMemory();
    pass(0);
    expect(isNew(memory, record)).toBe(true);
    expect(isNew(memory)).toBe(true);
    pass(59);
    expect(isNew(memory, record)).toBe(false);
    expect(isNew(memory)).toBe(true);
    // The service has given it meanwhile.
    pass(59);
    expect(isNew(memory, record)).toBe(false);
    expect(isNew(memory)).toBe(true);
    pass(60);
    expect(isNew(restart(memory), record)).toBe(true);
    expect(isNew(memory, record)).toBe(true);
  });

  test('is an old one for an hour behind a clock that was set back', () => {
    const memory = new RecordMemory();
    pass(0);
    expect(isNew(memory, ONE)).toBe(true);
    expect(isNew(memory)).toBe(true);
    pass(-24 * 60);
    expect(isNew(memory)).toBe(true);
    expect(isNew(restart(memory), ONE)).toBe(false);
    pass(61);
    expect(isNew(memory, ONE)).toBe(true);
  });

  test('is an old one as long as each answer has it', () => {
    const memory = new RecordMemory();
    for (let polls = 0; polls < 3; polls++) {
      pass(120);
      expect(isNew(memory, ONE)).toBe(polls === 0);
      expect(isNew(restart(memory), ONE)).toBe(false);
    }
  });

  test.each([
    ['seconds', { ...ONE, time: 1_767_225_600 }],
    ['milliseconds', { ...ONE, time: '1767225600123' }],
    ['a clock', { ...ONE, time: '01-31 10:00' }],
    ['words', { ...ONE, time: '2026年1月31日 10时00分' }],
    ['a zone', { ...ONE, time: 'Sat, 31 Jan 2026 10:00:00 +0000' }],
    ['another name', { ...ONE, receiveTime: '20260131100000' }],
  ])('is none if it says when: %s', (_, record) => {
    const memory = new RecordMemory();
    pass(0);
    expect(isNew(memory, record)).toBe(true);
    expect(isNew(memory)).toBe(true);
    pass(7 * 24 * 60);
    expect(isNew(memory, record)).toBe(false);
  });
});
