/** Every page, and the watchdog, says the same of the same rows: the oracle is the README. */
import fc from 'fast-check';
import { DateTime } from 'luxon';

import { said, why, type Why } from '../src/common/messages/reasons';
import { settings } from '../../test/kit/search/settings';
import { open } from './dashboardCode';
import { runDesk, type Row } from './workflow';

const NOW = DateTime.fromISO('2026-06-03T10:00:00', { zone: 'Asia/Shanghai' });
const ago = (minutes: number) => NOW.minus({ minutes }).toUTC().toISO();

/** A kind and how each place says it. */
const SAID = {
  rejected: /(\d+) messages? (?:was|were) rejected/,
  refused: /(\d+) messages? (?:was|were) refused/,
  overdue: /(\d+) messages? should have gone/,
  unknown: /(\d+) messages? may have been sent/,
  waiting: /(\d+) messages? waits? for/,
};
type Kind = keyof typeof SAID;
const KINDS = Object.keys(SAID) as Kind[];

const REASONS = [
  ...['', 'busy', '<script>"', '\u202Eabc'].map((each) => said(each)),
  ...[{ reason: null }, why('opted_out', { day: '2026-06-01' })],
  why('key_used', { key: 'a', reason: why('first_waiting') }),
  why('days_limit', { limit: '10,000' }),
];
const group = fc.record({
  status: fc.constantFrom('accepted', 'rejected', 'refused', 'unknown', 'claimed', 'waiting'),
  age: fc.constantFrom(1, 4, 6, 9, 11, 59, 61, 300, 1_380),
  reason: fc.constantFrom(...REASONS),
  report: fc.constantFrom('', 'DELIVRD', 'EXPIRED'),
  times: fc.constantFrom(1, 3, 12),
});
/** What the status page asks of others. */
const SERVED = {
  'Does the inbox answer?': [{}],
  Heartbeats: ['Inbox: serve', 'Outbox', 'Upkeep', 'Watchdog'].map((name, id) => ({
    ...{ id, name: `SMS · ${name}`, minutes: 60, updatedAt: NOW.toISO() },
  })),
  'Does the service answer?': [{ balance: 1234 }],
};
const threshold = fc.record({
  name: fc.constantFrom('not_sent', 'late_minutes', 'late_percent', 'late_of', 'x'),
  value: fc.constantFrom(0, -1, 3, 1e9, null),
});

function kindOf({ status, age, reason }: Row): Kind | undefined {
  const { reason_code: code } = reason as Partial<Why>;
  if (status === 'refused' && /opted_out|key_used/.test(String(code))) return undefined;
  if (status === 'claimed') return Number(age) > 10 ? 'unknown' : undefined;
  if (status === 'waiting') return Number(age) > 5 ? 'overdue' : 'waiting';
  return KINDS.find((kind) => kind === status);
}

test('all pages say each message that was not sent once, under its kind', () => {
  fc.assert(
    fc.property(
      fc.array(group, { maxLength: 10 }),
      fc.uniqueArray(threshold, { maxLength: 3, selector: ({ name }) => name }),
      check,
    ),
    settings(60),
  );
});

function check(groups: (Row & { times: number })[], set: Row[]): void {
  const rows = groups.flatMap((each) => Array<Row>(each.times).fill(each));
  const outbox = rows.map(({ status, reason, age }, index) => ({
    ...{ id: index + 1, phone_number: `138${10_000_000 + index}`, template: '7', status },
    ...(reason as object),
    ...{ batch_id: status === 'accepted' ? `b${index}` : '', class: 'notice' },
    ...{ sent_at: ago(Number(age)), createdAt: ago(Number(age)) },
  }));
  const inbox = outbox.flatMap(({ id, batch_id, phone_number, sent_at: time }, index) => {
    const status = rows[index]?.report;
    const report = { id, event: 'deliveryReport', status, batch_id, phone_number };
    return batch_id && status ? [{ ...report, time, createdAt: time }] : [];
  });
  const thresholds = set.map((each, index) => ({ id: index + 1, ...each }));
  const thresholdOf = (name: string, otherwise: number) =>
    Number(
      set.findLast((each) => each.name === name && typeof each.value === 'number')?.value ??
        otherwise,
    );
  const notSent = thresholdOf('not_sent', 10);
  const expected = KINDS.map((kind) => {
    const count = rows.filter((each) => kindOf(each) === kind).length;
    return [kind, count > 0 ? String(count) : undefined] as const;
  });
  const saidIn = (text: unknown) =>
    KINDS.map((kind) => [kind, SAID[kind].exec(String(text))?.[1]] as const);
  const isBad = expected.some(([kind, count]) => kind !== 'waiting' && count);
  const world = () => ({
    now: NOW,
    tables: structuredClone({
      'sms.outbox': outbox,
      'sms.inbox': inbox,
      'sms.thresholds': thresholds,
    }) as Record<string, Row[]>,
  });

  const dashboard = open({
    ...{ now: String(ago(0)), sends: outbox, events: inbox, thresholds },
  });
  expect(saidIn(dashboard.html)).toEqual(expected);
  const unsent = expected.reduce((sum, [, count]) => sum + Number(count ?? 0), 0);
  const accepted = rows.filter(({ status }) => status === 'accepted');
  const isLate = ({ age, report }: Row) => !report && Number(age) > thresholdOf('late_minutes', 60);
  const late = accepted.filter(isLate).length;
  expect(dashboard.figures).toMatchObject({ unsent, sent: accepted.length, late });
  const due = accepted.filter(({ age }) => Number(age) > thresholdOf('late_minutes', 60)).length;
  const isBadlyLate =
    due >= thresholdOf('late_of', 5) && late * 100 > due * thresholdOf('late_percent', 20);
  const levels = expected.map(([kind, count = 0]) => {
    const level = Number(count) >= notSent ? 'red' : 'yellow';
    return { kind, messages: Number(count), level: kind === 'waiting' ? 'plain' : level };
  });
  levels.splice(4, 0, {
    ...{ kind: 'late' as Kind, messages: late, level: isBadlyLate ? 'red' : 'plain' },
  });
  expect(dashboard.unsent).toMatchObject(levels.filter(({ messages }) => messages > 0));

  const [status, chinese] = ['en', 'zh'].map((lang) => {
    const opened = { executionMode: 'production', query: { lang } };
    const nodes = runDesk('dashboard', 'Status page is opened', opened, {
      ...world(),
      given: SERVED,
    });
    return String(nodes['Status page']?.[0]?.html);
  });
  expect(saidIn(status)).toEqual(expected);
  if (isBad) expect(`${dashboard.html}${status}`).not.toMatch(/mark green">(?!OK)|<title>OK/);
  const isRed = expected.some(
    ([kind, count]) => kind !== 'waiting' && count && Number(count) >= notSent,
  );
  if (isRed) expect(status).toContain('<title>Action needed');

  // The day is ten hours old.
  const isFull = rows.some(
    (row) =>
      kindOf(row) &&
      (row.reason as Partial<Why>).reason_code === 'days_limit' &&
      Number(row.age) < 600,
  );
  const [, limit] = /"mark (\w+)">[^<]*<\/span><b><bdi>Daily limit/.exec(String(status)) ?? [];
  expect(limit).toBe(isFull ? 'red' : 'green');
  expect(status).toContain('of 10,000 that the rules allow a day');

  const token = { Token: [{ token: 'f'.repeat(32) }] };
  const query = { query: {} };
  const listed = runDesk('conversations', 'Page is opened', query, { ...world(), given: token });
  const conversations = String(listed.Page?.[0]?.html);
  const [, counted = '0'] = /(\d+) messages? of the last 24 hours/.exec(conversations) ?? [];
  const bad = expected.filter(([kind]) => kind !== 'waiting');
  expect(Number(counted)).toBe(bad.reduce((sum, [, count]) => sum + Number(count ?? 0), 0));

  const toSet = { Settings: [{ hours: 6, status_page: 'https://x/webhook/sms-status' }] };
  const looked = runDesk('watchdog', 'Every hour', {}, { ...world(), given: toSet });
  const mailed = expected.map(([kind, count]) => {
    const isTold = kind === 'unknown' || (kind !== 'waiting' && Number(count) >= notSent);
    return [kind, isTold ? count : undefined];
  });
  expect(saidIn(looked['Find what is wrong']?.[0]?.subject)).toEqual(mailed);

  for (const page of [dashboard.html, status, chinese, conversations]) {
    expect(page).not.toMatch(/NaN|undefined|Infinity|\[object|<script>|href="[^"]*1381000/);
  }
  const words = String(chinese)
    .replace(/<style>.*?<\/style>|<[^>]*>|&#?\w+;/gs, ' ')
    .replace(/sms[._]\w+|SMS|· \w+|not_sent|late_\w+|per_day|busy|script|abc|Asia\/Shanghai/g, '')
    .replace(/English|“all”/g, '');
  expect(words).not.toMatch(/[A-Za-z]{3,}/);
}

test.each([
  ...(['Not sent', 'Days', 'Sizes', 'Rules'] as const).map((node) => ['Status page', node]),
  ...[
    ['Page', 'Count them'],
    ['Page', 'Opened message'],
    ['Page', 'What was said'],
  ],
] as [string, string][])(
  '%s: that “%s” could not be read is told, and nothing is called right',
  (page, node) => {
    const given = { ...SERVED, [node]: [{ error: 'database is locked' }] };
    const workflow = /said|Opened/.test(node) ? 'conversations' : 'dashboard';
    const opened = { executionMode: 'production', query: { waits: '1' } };
    const world = { tables: {}, given, now: NOW };
    const html = String(runDesk(workflow, `${page} is opened`, opened, world)[page]?.[0]?.html);
    expect(html).toMatch(/could not be read: (<bdi>)?database is locked/);
    const wrong: Record<string, RegExp> = {
      'Not sent': /<title>OK|Nothing is unsent/,
      'Count them': /mark green|No message was sent/,
      'What was said': /Nobody|Needs a reply <b>/,
    };
    expect(html).not.toMatch(wrong[node] ?? /<title>OK/);
  },
);

describe('a campaign with 110 of 300 refused', () => {
  beforeEach(() => jest.useFakeTimers({ now: NOW.toMillis() }));
  afterEach(() => jest.useRealTimers());

  test.each<[string, Row, number, RegExp, ...RegExp[]]>([
    ['done', { campaign: '5' }, 0, /done, 110 not sent/, /^red 110 messages were refused.* busy/],
    [
      ...(['running', { campaign: '5' }, 5, /mark yellow">running/] as const),
      ...[/^red 110 messages were refused/, /^plain 5 messages are still to be sent/],
    ],
    ['done', {}, 0, /done, 110 not sent/, /^red Spring: 110 messages were refused.* busy/],
    // It ended days ago.
    ['done', { old: '1' }, 0, /Spring/],
  ])('that is %s is not green on the page of %j', (state, query, pending, text, ...lines) => {
    const sent_at = query.old ? '2026-05-01T00:00:00Z' : ago(30);
    const recipients = (
      [
        [190, 'delivered', ''],
        [110, 'refused', 'busy'],
        [pending, 'pending', ''],
      ] as const
    ).flatMap(([count, status, reason]) =>
      Array.from({ length: count }, (_, index): Row => ({
        ...{ campaign: 'Spring', phone_number: `${status}${index}`, parameters: '{}' },
        ...{ status, reason, batch_id: '', changed: ago(9), sent_at },
      })),
    );
    const campaigns = [{ id: 5, campaign: 'Spring', state, ticked_at: ago(0) }];
    const tables = { 'sms.campaigns': campaigns, 'sms.recipients': recipients };
    const world = { tables, given: { Balance: [{ balance: 9_000 }] }, now: NOW };
    const nodes = runDesk('campaign-page', 'Page is opened', { query }, world);
    const html = String(nodes['Show the page']?.[0]?.page);
    expect(html).not.toMatch(/mark green|Nothing is unsent/);
    expect(html).toMatch(text);
    // What was not sent comes before everything else of the page.
    const [, first = ''] = /<main[^>]*>(.*?)<\/section>/s.exec(html) ?? [];
    const shown = [...first.matchAll(/<li class="notice (\w+)">(.*?)<\/li>/gs)].map(
      ([, color, line = '']) => `${color} ${line.replaceAll(/<[^>]*>|\s+/g, ' ').trim()}`,
    );
    expect(shown).toEqual(lines.map((line) => expect.stringMatching(line) as unknown));
  });
});
