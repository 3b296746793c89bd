/** The Code nodes of the campaigns: what they make of their items. */
import fc from 'fast-check';
import { DateTime } from 'luxon';

import messages from '../src/campaign/messages';
import { listOf } from '../src/campaign-load/list';
import readTheRequest from '../src/campaign-load/read-the-request';
import outcomes from '../src/campaign/outcomes';
import asARequest from '../src/campaign-load/as-a-request';
import choices from '../src/campaign-load/choices';
import readTheTable from '../src/campaign-load/read-the-table';
import type { Recipient } from '../src/common/messages/campaigns';
import type { Item } from '../../builder/code/n8n';
import { why } from '../src/common/messages/reasons';
import { settings } from '../../test/kit/search/settings';
import { foundBy, ran } from './database';
import { evaluate, fieldsOf, parametersOf } from '../../test/kit/workflows/expression';
import { items, runCode, type Surroundings } from '../../test/kit/workflows/codeNode';
import { runDesk, type Row as DeskRow } from './workflow';

const now = DateTime.fromISO('2026-12-01T10:00:00', { zone: 'Asia/Shanghai' }) as DateTime<true>;

type Module<Json> = Parameters<typeof runCode<Json>>[0];

/** The fields of what a Code node puts out. */
function run<Json>(node: Module<Json>, input: Item[], nodes: Surroundings['nodes'] = {}): Json[] {
  return runCode(node, input, { nodes, $now: now, $execution: { id: '7' } }).map(
    ({ json }) => json,
  );
}

const row = (id: number, change: Partial<Recipient> = {}) =>
  ({
    id,
    phone_number: `138${String(id).padStart(8, '0')}`,
    status: 'sending',
    portion: '7',
    batch_id: '',
    reason: '',
    sent_at: '2026-12-01T10:00:00Z',
    ...change,
  }) as Recipient;

test('a list: each number is one row of 11 digits, and what is no number is kept', () => {
  const load = (recipients: unknown, campaign = 'Spring') => {
    const body = { campaign, recipients };
    const [read] = run(readTheRequest, items({ body }));
    const { rows } = listOf(body, '7');
    expect(read).toMatchObject({ numbers: 6, recipients: 6 });
    return rows.map(({ status, phone_number, parameters }) => [status, phone_number, parameters]);
  };
  const several = ['13810000014', '13810000010'];
  const recipients = [
    { phone: '+86 138 1000 0010', name: 'Li', order: 7 },
    { phone: '138-1000-0012, 0086 13810000013' },
    ...[{ phone: 13810000010 }, { phone: several }, { phone: 'ask him' }, null],
  ];
  expect(load(recipients)).toEqual([
    ['pending', '13810000010', '{"name":"Li","order":"7"}'],
    ...['13810000012', '13810000013', '13810000014'].map((phone) => ['pending', phone, '{}']),
    ['invalid', 'ask him', '{}'],
    ['invalid', '', '{}'],
  ]);
});

test('the form offers no template or signature that is disabled', () => {
  const templates = [true, false, 0, '0', 'false', undefined].map((status, id) => ({
    ...{ id: id + 1, status },
  }));
  const said = items({ records: JSON.stringify(templates) });
  const [offered] = run(choices, [], {
    ...{
      'Spreadsheet and name': items({}),
      'Read the table': items({ rows: 0, hidden: 0 }),
    },
    ...{ 'Templates to choose': said, 'Signatures to choose': said },
  });
  expect(Object.values(offered?.templates ?? {})).toEqual(['1', '6']);
  expect(Object.values(offered?.signatures ?? {})).toEqual(['', '1', '6']);
});

test('a campaign is not done while a list may still be loaded', () => {
  const rows = [1, 3].map((minutes) => ({
    ...{ id: 1, state: 'running', loaded_at: now.minus({ minutes }).toISO() },
  }));
  const sight = { $json: { id: 1, served_at: null }, $now: now };
  const found = rows.map((row) => foundBy('campaign', 'Mark it as done', [row], sight).length);
  expect(found).toEqual([0, 1]);
});

describe('Portions', () => {
  beforeEach(() => jest.useFakeTimers({ now: now.toMillis() }));
  afterEach(() => jest.useRealTimers());

  const ago = (minutes: number) => now.minus({ minutes }).toISO();
  let numbers = 13_800_000_000;
  const due = (campaign: string, count: number, change: object = {}) =>
    Array.from({ length: count }, () => ({
      ...{ campaign, phone_number: String((numbers += 1)), parameters: '{}', status: 'pending' },
      ...{ portion: '', batch_id: '', reason: '', sent_at: null, changed: ago(9), ...change },
    }));
  const sending = { status: 'sending', changed: now.toISO() };
  const running = { state: 'running', loaded_at: ago(60), served_at: null, tries: 0 };

  /** The send over campaigns and rows. Each look gives the campaign that was served. */
  function looks(
    campaigns: DeskRow[],
    rows: object[],
    set: object = {},
    outbox = (all: DeskRow[]): DeskRow[] =>
      all.map(({ phone_data }) => ({ phone_data, status: 'accepted' })),
  ) {
    const tables = {
      'sms.campaigns': campaigns,
      'sms.recipients': rows.map((each, index): DeskRow => ({ ...each, id: index + 1 })),
    };
    const given = {
      Settings: [{ ...fieldsOf('campaign', 'Settings', {}), portion_size: 2, ...set }],
      'Read the balance': [{ balance: 9_000 }],
      'Send through the outbox': outbox,
    };
    let execution = 100;
    return (at = now) => {
      jest.setSystemTime(at.toMillis());
      const world = { tables, given, now: at, execution: String((execution += 1)) };
      return runDesk('campaign', 'Every 10 seconds', {}, world)['Claim the portion']?.[0]?.campaign;
    };
  }

  test('running campaigns take turns: each is served within as many as have something to send', () => {
    const kinds = {
      ...{ running: {}, 'without a row': {}, 'loaded just now': {} },
      pausing: { until: now.plus({ days: 1 }).toISO(), tries: 1 },
      ...{ paused: { state: 'paused' }, draft: { state: 'draft' } },
    };
    const one = fc.record({
      kind: fc.constantFrom('running', 'running', 'running', ...Object.keys(kinds)),
      served: fc.option(fc.integer({ min: 1, max: 99 })),
      rows: fc.integer({ min: 1, max: 12 }),
    });
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 7 }), (all) => {
        const campaigns: DeskRow[] = all.map(({ kind, served }, id) => ({
          ...{ id: id + 1, campaign: String(id), ...running, ...kinds[kind as keyof typeof kinds] },
          served_at: served && ago(served),
        }));
        const rows = all.map(({ kind, rows }, id) => {
          if (kind === 'without a row') return [];
          return due(String(id), rows, kind === 'loaded just now' ? { changed: ago(-60) } : {});
        });
        // Rows of all campaigns are mixed.
        const look = looks(
          campaigns,
          [0, 1, 2].flatMap((part) =>
            rows.flatMap((each) => each.filter((_, index) => index % 3 === part)),
          ),
        );
        const left = new Map(
          all.flatMap(({ kind, rows }, id) => (kind === 'running' ? [[String(id), rows]] : [])),
        );
        /** When each must be served at the latest. */
        const until = new Map<string, number>();
        for (let turn = 0; left.size > 0; turn += 1) {
          for (const name of left.keys())
            if (!until.has(name)) until.set(name, turn + left.size - 1);
          const served = String(look(now.plus({ seconds: 10 * turn })));
          expect([...left.keys()]).toContain(served);
          left.set(served, (left.get(served) ?? 0) - 2);
          if ((left.get(served) ?? 0) <= 0) left.delete(served);
          until.delete(served);
          for (const name of left.keys()) expect(until.get(name) ?? turn + 1).toBeGreaterThan(turn);
        }
        expect(look(now.plus({ minutes: 10 }))).toBeUndefined();
        for (const [id, { kind }] of all.entries()) {
          const isDone = kind === 'running' || kind === 'without a row';
          expect(campaigns[id]?.state === 'done').toBe(isDone);
        }
      }),
      settings(50),
    );
  });

  test('a portion begins while others are under way, if there may be more', () => {
    const rows = [
      ...due('A', 1, { ...sending, portion: '1' }),
      ...[...due('A', 1, { ...sending, portion: '2' }), ...due('A', 9)],
    ];
    const served = [1, 2, 3].map((portions_at_once) =>
      looks([{ id: 1, campaign: 'A', ...running }], rows, { portions_at_once })(),
    );
    expect(served).toEqual([undefined, undefined, 'A']);
  });

  test('the ten after a pause wait for what is under way, and other campaigns do not', () => {
    const campaigns = () => [
      { ...running, id: 1, campaign: 'A', tries: 2, until: ago(1) },
      { ...running, id: 2, campaign: 'B', served_at: ago(1) },
    ];
    const rows = [...due('A', 9), ...due('B', 9)];
    const slow = due('A', 1, { ...sending, portion: '1' });
    expect(looks(campaigns(), rows)()).toBe('A');
    expect(looks(campaigns(), [...slow, ...rows], { portions_at_once: 2 })()).toBe('B');
  });

  test.each([
    ['rejected', null, 1],
    ['accepted', null, 0],
    // Another portion has failed meanwhile, and this one went before.
    ['accepted', 1, 1],
    ['rejected', 1, 1],
  ])(
    'after a portion that was %s, with %j tries meanwhile, there are %i',
    (status, meanwhile, tries) => {
      const campaigns: DeskRow[] = [{ ...running, id: 1, campaign: 'A', tries: null }];
      const answer = (all: DeskRow[]) => {
        Object.assign(campaigns[0] ?? {}, { tries: meanwhile });
        return all.map(({ phone_data }) => ({ phone_data, status }));
      };
      looks(campaigns, due('A', 9), {}, answer)();
      expect(campaigns[0]?.tries).toBe(tries);
    },
  );

  test('a campaign is not done while a portion is under way, or if it had a turn since', () => {
    const campaigns: DeskRow[] = [
      { id: 1, campaign: 'A', ...running },
      { id: 2, campaign: 'B', ...running },
    ];
    looks(campaigns, due('A', 1, { ...sending, portion: '1' }), { portions_at_once: 2 })();
    expect(campaigns.map(({ state }) => state)).toEqual(['running', 'done']);
    const row = { ...running, id: 1, served_at: ago(0) };
    const doneIf = (served_at: string) =>
      foundBy('campaign', 'Mark it as done', [row], { $json: { id: 1, served_at }, $now: now });
    expect([doneIf(row.served_at), doneIf(ago(1))]).toEqual([[row], []]);
  });

  test('a pause that comes while the balance is read holds', () => {
    const nodes = { 'First row of each': [{ campaign: 'A' }] };
    const rows = ['running', 'paused'].map((state, id) => ({ id, campaign: 'A', state }));
    const sight = { nodes, $now: now };
    const found = rows.map(
      (row) => foundBy('campaign', 'Choose the campaign', [row], sight).length,
    );
    expect(found).toEqual([1, 0]);
  });
});

describe('rows', () => {
  const found = new Map<string, boolean>();

  /** What the update of a node does to the rows in these ranges, if its conditions find them. */
  function applied(
    [workflow, node]: [workflow: string, node: string],
    rows: Recipient[],
    ranges: { from: number; to: number }[],
  ): Recipient[] {
    const isFound = (each: Recipient) => {
      const key = [node, each.status, each.portion, each.sent_at !== null].join();
      const rows = JSON.stringify([{ from: each.id, to: each.id }]);
      const sight = { $json: { rows }, $execution: { id: '7' }, $now: now };
      if (!found.has(key)) found.set(key, Number(ran(workflow, node, [each], sight)[0]?.count) > 0);
      return found.get(key);
    };
    const table = rows.map((each) => ({ ...each }));
    for (const { from, to, ...values } of ranges) {
      for (const each of table) {
        if (each.id >= from && each.id <= to && isFound(each)) Object.assign(each, values);
      }
    }
    return table;
  }

  /** Rows whose IDs have gaps, each with what happens to it. */
  const rowsWith = <Fate extends object>(fate: fc.Arbitrary<Fate>, most: number) =>
    fc
      .array(fc.tuple(fc.constantFrom(1, 1, 1, 1, 2, 3, 150), fate), {
        maxLength: most,
        size: 'max',
      })
      .map((all) => {
        let id = 0;
        return all.map(([step, each]) => ({ id: (id += step), ...each }));
      });

  test('Messages: what the outbox is called with', () => {
    const campaign = {
      template_id: '302',
      signature_id: '202',
      content: '${name}: ${order}, ${none}',
    };
    const claimed = {
      ...row(5, { line: 2, createdAt: '2026-12-01T09:00:00Z' }),
      campaign: 'Spring',
      phone_number: ' +86 138-0000 0005',
      parameters: '{"name":"Li","order":"A-1","other":"x"}',
    };
    const other = { ...claimed, id: 6, phone_number: '13800000006' };
    const sent = runCode(messages, [], {
      nodes: {
        'Choose the campaign': items(campaign),
        'Claim the portion': items(claimed, other),
      },
      $workflow: { name: 'Campaign' },
    });
    expect(sent.map(({ json }) => json)).toEqual([
      {
        class: 'marketing',
        phone: ' +86 138-0000 0005',
        template_id: '302',
        signature_id: '202',
        parameters: { name: 'Li', order: 'A-1', none: '' },
        key: 'Spring|13800000005',
        source: 'Campaign',
        reference: 'A-1',
        phone_data: 'sms_recipients:5',
      },
      expect.objectContaining({ phone: '13800000006', phone_data: 'sms_recipients:6' }),
    ]);
  });

  describe('Outcomes', () => {
    /** What the outbox says, and what becomes of the row. */
    const kind = (status: string, reason: string, becomes: object = { status, reason }) =>
      [{ status, reason, batch_id: 'a' }, becomes] as const;
    /** The code decides, whatever the words are. */
    const refused = (reason_code: string, becomes: string) => {
      const [reason, status] = [`why: ${reason_code}`, 'refused'];
      return [
        { status, reason_code, reason, batch_id: 'a' },
        { status: becomes, reason },
      ] as const;
    };
    const often = "The day's limit is 2, and it is 20 o'clock. He opted out";
    const KINDS = [
      kind('accepted', '', { status: 'accepted', batch_id: 'a', reason: '' }),
      kind('rejected', 'no'),
      kind('unknown', '500'),
      // It goes at its hour.
      [
        { status: 'waiting', reason_code: 'hours', reason: 'It waits' },
        { status: 'unknown', reason: 'It waits' },
      ] as const,
      kind('skipped', 'Not again', { status: 'duplicate', reason: 'Not again' }),
      refused('opted_out', 'opted_out'),
      kind('refused', often),
      refused('days_limit', 'pending'),
      refused('hours', 'pending'),
      refused('limit', 'refused'),
    ];
    const answerTo = ({ id }: { id: number }, answer: object) => ({
      ...answer,
      phone_data: `sms_recipients:${id}`,
    });
    const outcomesOf = (
      claimed: Recipient[],
      answers: object[],
      { pause = {} }: { pause?: object } = {},
    ) =>
      run(outcomes, items(...answers), {
        'Claim the portion': items(...claimed),
        'Choose the campaign': items(pause),
      });

    test('the ranges do what an update of each row would do, and leave other rows alone', () => {
      const fate = fc.record({
        kind: fc.constantFrom(0, 0, 0, ...KINDS.keys()),
        portion: fc.constantFrom('7', '7', '7', '8'),
        status: fc.constantFrom('sending', 'sending', 'sending', 'sending', 'delivered'),
        // PostgreSQL gives the claimed rows back in any order.
        order: fc.nat(),
      });
      fc.assert(
        fc.property(rowsWith(fate, 40), (fates) => {
          const table = fates.map(({ id, portion, status }) => row(id, { portion, status }));
          const mine = fates.filter(({ portion }) => portion === '7');
          const claimed = mine.sort((a, b) => a.order - b.order);
          const answers = claimed.map((each) => answerTo(each, KINDS[each.kind]?.[0] ?? {}));
          const ranges = outcomesOf(
            claimed.map(({ id }) => row(id)),
            answers,
          );
          const settled = applied(['campaign', 'Settle the portion'], table, ranges);
          for (const [index, { kind, portion, status }] of fates.entries()) {
            const isOpen = portion === '7' && status === 'sending';
            expect(settled[index]).toMatchObject((isOpen ? KINDS[kind]?.[1] : table[index]) ?? {});
          }
        }),
        settings(500),
      );
    });

    test('what its own earlier try may have sent is unknown, not a duplicate', () => {
      const answers = [answerTo(row(1), { status: 'skipped', reason: 'Not again' })];
      expect(outcomesOf([{ ...row(1), tried: true } as Recipient], answers)).toMatchObject([
        { status: 'unknown', reason: 'An earlier try may have sent it' },
      ]);
      // Without an answer it stays as it is, and becomes unknown with time.
      expect(outcomesOf([row(1)], [])).toEqual([]);
    });

    test('if the outbox could not be asked, the rows are pending again', () => {
      const claimed = [row(1), row(2)];
      expect(outcomesOf(claimed, [{ error: 'Workflow is not active' }])).toMatchObject([
        {
          from: 1,
          to: 2,
          status: 'pending',
          tries: 1,
          cause: expect.stringContaining('not active') as unknown,
        },
      ]);
    });

    test.each([
      [[1], 1],
      [[2], 1],
      [[8, 5], 1],
      // One accepted message is enough.
      [[2, 0], 0],
      [[0], 0],
      // These are about their recipients.
      [[4, 5, 6, 3, 9], 0],
    ])('a portion of %j has %i tries', (found, tries) => {
      const claimed = found.map((_, index) => row(index + 1));
      const answers = claimed.map((each, index) =>
        answerTo(each, KINDS[found[index] ?? 0]?.[0] ?? {}),
      );
      const [outcome] = outcomesOf(claimed, answers);
      expect(outcome).toMatchObject({ tries });
      expect(outcome?.cause === '').toBe(tries === 0);
    });

    test('a pause takes 1 minute, then 2, 4, 8 and 16', () => {
      const minutes = [0, 1, 2, 3, 4, 5, 6].map((tries) => {
        const answers = [answerTo(row(1), { status: 'unknown', reason: 'HTTP 500' })];
        const [outcome] = outcomesOf([row(1)], answers, { pause: { tries } });
        expect(outcome).toMatchObject({ tries: tries + 1, cause: 'HTTP 500' });
        return (Date.parse(String(outcome?.until)) - now.toMillis()) / 60_000;
      });
      expect(minutes).toEqual([1, 2, 4, 8, 16, 16, 16]);
    });

    test('a pause at the limit of the day ends with the day', () => {
      const full = { status: 'refused', reason_code: 'days_limit', reason: 'Full' };
      const rejected = { status: 'rejected', reason: 'No' };
      const answers = [rejected, full].map((each, index) => answerTo(row(index + 1), each));
      const [pause] = outcomesOf([row(1), row(2)], answers, { pause: { tries: 3 } });
      expect(pause).toMatchObject({ tries: 0, until: '2026-12-02T00:00:00.000+08:00' });
      expect(pause?.cause).toBe('Full');
      // One that was accepted shows that it is not reached for all.
      const more = [...answers, answerTo(row(3), { status: 'accepted' })];
      expect(outcomesOf([row(1), row(2), row(3)], more)).toMatchObject([{ tries: 0 }, {}, {}]);
    });
  });
});

describe('The page of a campaign', () => {
  const ATTACK = '<script>alert(1)</script>"><img src=x onerror=alert(2)>';
  const pending = (id: number) => ({ ...row(id), status: 'pending', sent_at: null });

  interface Given {
    campaign?: object;
    rows?: object[];
    rule?: object;
    balance?: object;
    others?: object[];
    /** More rows of sms.rules, and how many messages went today. */
    rules?: DeskRow[];
    sent?: number;
  }

  /** The page of a campaign that runs well, but for what is given. */
  function open(given: Given, query: object = {}, more: Record<string, DeskRow[]> = {}): string {
    const {
      campaign,
      rows = [pending(1)],
      rule,
      balance = { balance: 9_000, answered: now.toISO() },
      others = [],
      rules = [],
      sent,
    } = given;
    const running = { state: 'running', portion_size: 10, keep_balance: 1_000 };
    const own = { id: 5, campaign: 'Spring', ...running, ticked_at: now.toISO(), ...campaign };
    const tables = {
      'sms.campaigns': [own, ...others] as object[] as DeskRow[],
      'sms.recipients': rows.map((each) => ({ ...each, campaign: own.campaign })),
      'sms.rules': [{ class: 'marketing', from_hour: 9, to_hour: 20, ...rule }, ...rules],
      'sms.days': [{ day: '2026-11-30', sent: 9 }, ...(sent ? [{ day: '2026-12-01', sent }] : [])],
    };
    const world = { tables, given: { Balance: [{ ...balance }], ...more }, now };
    const asked = { query: { campaign: '5', ...query } };
    const { Page: page } = runDesk('campaign-page', 'Page is opened', asked, world);
    return String(page?.[0]?.page);
  }

  /** The lines of the table of a page, as texts. */
  const linesOf = (html: string) =>
    [...html.matchAll(/<tr>.*?<\/tr>/gs)].map(([line]) =>
      line
        .replaceAll(/<[^>]*>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    );

  beforeEach(() => jest.useFakeTimers({ now: now.toMillis() }));
  afterEach(() => jest.useRealTimers());

  const ticked_at = now.minus({ minutes: 3 }).toISO();
  const at = now.minus({ minutes: 9 }).toISO();
  const paused = { until: now.plus({ minutes: 4 }).toISO(), tries: 3, cause: ATTACK };
  const many = (count: number) => Array.from({ length: count }, (_, id) => pending(id + 1));
  const all = (per_day: number) => [{ class: 'all', per_day }];
  const older = { id: 4, campaign: 'Older', state: 'running' };
  const [hours, away] = [{ from_hour: 12 }, { balance: { error: 'HTTP 500' } }];
  const isAway = 'The service does not answer: HTTP 500. It goes on by itself when it does.';
  const byBalance = 'The balance is 999; nothing is sent below 1,000.';
  const goesOn = 'Ten are tried at 10:04; it goes on by itself when they are accepted.';
  const limit = "The day's limit of 7 messages is reached: see the table sms.rules.";
  const fullDay = { until: now.plus({ days: 1 }).startOf('day').toISO(), tries: 0, cause: limit };
  const tomorrow = 'waits until 12-02 08:00';

  test.each<[string, Given, string[]]>([
    ['running', {}, ['Expected to end at 10:00']],
    // At 60 a minute, 600 are over in ten minutes, and 40,000 not before 20 o'clock.
    ['running', { rows: many(600) }, ['Expected to end at 10:10']],
    ['running', { rows: many(40_000), rules: all(0) }, ['Expected to end at 12-02 10:06']],
    // Of 10,000 a day, 1,000 are for codes and alarms.
    ['running', { rows: many(9_060) }, ['Expected to end at 12-02 09:01']],
    ['running', { rows: many(600), sent: 8_460 }, ['Expected to end at 12-02 09:01']],
    ['waits until 12-02 09:00', { campaign: fullDay }, ['The day&#39;s limit of 7']],
    ['stopped by a failure', { campaign: paused }, [goesOn, '>Resume<']],
    // The pause is over, and nothing was accepted yet. At night nothing is tried.
    ['stopped by a failure', { campaign: { ...paused, until: null } }, ['Ten are tried at 10:00']],
    ['stopped by a failure', { campaign: paused, rule: hours }, ['Ten are tried at 12:00']],
    ['waits until 12:00', { rule: hours }, ['Expected to end at 12:00']],
    [tomorrow, { rule: { from_hour: 8, to_hour: 10 } }, ['Expected to end at 12-02 08:00']],
    ['stopped by the balance', { balance: { balance: 999 } }, [byBalance]],
    // Nothing is left that could fail.
    ['running', { campaign: paused, rows: [{ ...row(1), status: 'refused' }] }, []],
    ['stopped by a failure', away, [isAway]],
    ['not running: publish “SMS · Campaign: send”', { campaign: { ticked_at } }, []],
    // Two take turns, but not with one that pauses.
    ['running', { rows: many(600), others: [older] }, ['Expected to end at 10:20']],
    [
      'running',
      { rows: many(600), others: [{ ...older, ...paused }] },
      ['Expected to end at 10:10'],
    ],
    ['paused by you', { campaign: { state: 'paused' } }, ['>Resume<', '>Stop<']],
    ['stopped', { campaign: { state: 'stopped' } }, []],
    [
      'done',
      { campaign: { state: 'done' }, rows: [{ ...row(1), status: 'delivered' }] },
      ['Reports may still come in.'],
    ],
    ['being loaded', { campaign: { state: null, loaded_at: at } }, []],
    [
      'the load broke off',
      { campaign: { state: null, loaded_at: now.minus({ minutes: 11 }).toISO() } },
      ['Load the list again under the same name'],
    ],
    ['done, but for 1 to be sent', { campaign: { state: 'done' } }, ['>Resume<']],
  ])('says "%s"', (state, given, texts) => {
    const html = open(given);
    expect(/<p><span class="mark \w+">([^<]*)</.exec(html)?.[1]).toBe(state);
    for (const text of texts) expect(html).toContain(text);
    expect(html).not.toMatch(/NaN|undefined|Invalid/);
    // Nobody knows when a failure ends, or when somebody does something.
    if (!/^(running|waits)/.test(state)) expect(html).not.toContain('Expected to end');
    if (['stopped', 'done'].includes(state)) expect(html).not.toContain('<button');
  });

  const draft = (given: Given, query = {}) =>
    open(
      { campaign: { state: 'draft', content: 'Hello', loaded_at: now.toISO() }, ...given },
      query,
    );

  test('a draft says when the limit of the day is reached', () => {
    expect(draft({ rows: many(600), sent: 8_000 })).not.toContain('limit');
    const limited = { rows: many(1_000), rules: all(1_000), sent: 500 };
    const html = draft(limited);
    expect(html).toContain(
      'Because of the day’s limit in sms.rules, so many go on each day: 12-01: 400; 12-02: 600.',
    );
    expect(html).toContain('>12-02 09:10<');
    expect(draft(limited, { lang: 'zh' })).toContain('12-01: 400; 12-02: 600');
    const never = draft({ rules: [...all(10), { class: 'reserved', per_day: 10 }] });
    expect(never).toContain('The day’s limit in sms.rules leaves nothing for campaigns.');
    expect(never).toContain('>never<');
    const long = draft({ rows: many(700), rules: all(110) });
    expect(long).toContain('day: 12-01: 99; 12-02: 99; 12-03: 99; ….');
    expect(long).toContain('>12-08 09:00<');
    // Without hours, too.
    expect(draft({ rule: { from_hour: 9, to_hour: 9 } })).not.toContain('limit');
  });

  test('one of a thing is said in the singular', () => {
    const unknown = { ...row(1), status: 'unknown', batch_id: '', changed: now.toISO() };
    expect(open({ rows: [unknown] }, { ask: 'unknown' })).toContain(
      '1 message may have been sent already. Up to 1 person gets it a second time, and you pay up to 1 message twice.',
    );
    const html = draft({
      campaign: { state: 'draft', content: 'Hello ${name}' },
      rows: [{ ...pending(1), blank: 'name' }],
    });
    expect(html).toContain('1 person has nothing in “name”.');
    expect(html).toContain('>gets a message<');
  });

  test('a draft shows what the service said last, and from when that is', () => {
    const campaign = { state: 'draft', template_id: '302', content: 'Hello' };
    const draft = (balance: object, templates: object[], loaded_at = now.minus({ hours: 1 })) => {
      const said = {
        records: JSON.stringify(templates),
        answered: now.minus({ minutes: 4 }).toISO(),
      };
      const given = { campaign: { ...campaign, loaded_at: loaded_at.toISO() }, balance };
      return open(given, {}, { Templates: [said] });
    };
    const gone = 'The template is not in your account any more, or is disabled.';
    const answered = now.minus({ minutes: 7 }).toISO();
    const away = draft({ balance: 9_000, answered, error: 'HTTP 500' }, [{ id: 302 }]);
    expect(away).toContain('The service does not answer.');
    expect(away).toMatch(/>9,000<.*?>as of 09:53</s);
    expect(away).not.toContain(gone);
    expect(draft({}, [])).toContain('The balance could not be read.');
    expect(draft({}, [{ id: 302, status: false }])).toContain(gone);
    // It was chosen from a list that is newer than the stored one.
    expect(draft({}, [], now)).not.toContain(gone);
  });

  test('a Chinese page says in Chinese what the desk has written', () => {
    const rows = [
      { ...row(1), status: 'opted_out', ...why('opted_out') },
      { ...row(2), status: 'unknown', ...why('interrupted') },
      { ...row(3), status: 'invalid', ...why('invalid') },
      { ...row(4), status: 'rejected', reason: 'Rejected: HTTP 400' },
      pending(5),
    ];
    const full = why('days_limit', { limit: '9' });
    const cause = {
      cause: full.reason,
      cause_code: full.reason_code,
      cause_values: full.reason_values,
    };
    const html = open({ campaign: { ...paused, ...cause }, rows }, { lang: 'zh' });
    for (const text of [
      '客户已退订。',
      '之前的执行中断：可能已发出。',
      '不是手机号',
      '已达到每日限额 9 条',
    ]) {
      expect(html).toContain(text);
    }
    expect(html).toContain('Rejected: HTTP 400');
    expect(html).not.toMatch(/opted out\.|interrupted|Not a phone|day.s limit/);
  });

  test('counts each status, with the latest reason, and escapes every text', () => {
    const rows = [
      ...[1, 2, 3].map((id) => ({ ...row(id), status: 'delivered' })),
      ...[4, 5].map((id) => ({ ...row(id), status: 'failed', reason: ATTACK })),
      ...[{ ...row(6), status: 'duplicate' }, pending(7)],
    ];
    const html = open({ campaign: { campaign: ATTACK, cause: ATTACK }, rows });
    expect(linesOf(html)).toEqual([
      expect.stringMatching(/^Status/),
      'Delivered 3 50.0 %',
      expect.stringMatching(/^Not delivered 2 33.3 % .*script/),
      'To be sent 1 16.7 %',
    ]);
    expect(html).toContain('Download the failed rows (2)');
    expect(html).not.toMatch(/<script|<img/);
  });

  test('the list has the figures of each campaign', () => {
    const names = [ATTACK, 'Failing', 'Draft'];
    const all = [
      { id: 1, campaign: ATTACK, state: 'done', template: 'T' },
      { id: 2, campaign: 'Failing', state: 'running', ...paused },
      { id: 3, campaign: 'Draft', state: 'draft', loaded_at: now.toISO() },
    ].map((campaign) => ({ ticked_at: now.toISO(), portion_size: 10, ...campaign }));
    const statuses = ['delivered', 'failed', 'unknown', 'pending', 'invalid', 'duplicate'];
    const rows = names.slice(0, 2).flatMap((campaign, at) =>
      statuses.map((status, id) => ({
        ...row(10 * at + id + 1, { status, sent_at: id < 3 ? now.toISO() : null }),
        campaign,
      })),
    );
    const tables = {
      ...{ 'sms.campaigns': all, 'sms.recipients': rows as object[] as DeskRow[] },
      'sms.rules': [{ class: 'marketing', to_hour: 20 }],
    };
    const { List: shown } = runDesk('campaign-page', 'Page is opened', {}, { tables, now });
    const html = String(shown?.[0]?.page);
    expect(linesOf(html).slice(1)).toEqual([
      'Failing stopped by a failure 1 4 2 1 10:00 –',
      'Draft draft 0 0 0 0 – –',
      expect.stringMatching(/T done, but for 1 to be sent 1 4 2 1 10:00 10:00$/) as unknown,
    ]);
    expect(html).not.toMatch(/<script|<img|NaN|undefined|Invalid/);
  });
});

test('a form that was left loads nothing: after its hour, n8n goes on with what it got', () => {
  const offered = { templates: { T: '302' }, signatures: { S: '' } };
  const nodes = {
    Choices: items(offered),
    'Read the table': items({ campaign: 'Spring', list: '{}' }),
    'Spreadsheet and name': items({ file: { filename: 'May.xlsx' } }),
  };
  const loaded = (given: object) =>
    runCode(asARequest, [], { nodes: { ...nodes, 'Template and signature': items(given) } });
  expect(loaded({ template: 'T', signature: 'S' })[0]?.json).toMatchObject({
    ...{ template_id: '302', file: 'May.xlsx' },
  });
  expect(loaded(offered)).toEqual([]);
});

test.each([
  [{}, 'zh-CN,en', true],
  [{ lang: 'en' }, 'zh', false],
])('the form of %j and a browser with %s is in one language', (query, accepted, isChinese) => {
  const $json = { query, headers: { 'accept-language': accepted } };
  const parameters = parametersOf('campaign-load', 'Spreadsheet and name');
  const { formTitle, formFields, options } = parameters as {
    formTitle: string;
    formFields: { values: { fieldLabel?: string; fieldValue?: string }[] };
    options: { buttonLabel: string };
  };
  const { values } = formFields;
  const shown = [formTitle, ...values.flatMap(({ fieldLabel }) => fieldLabel ?? [])];
  const first = [...shown, options.buttonLabel].map((text) => evaluate(text, { $json }));
  const lang = evaluate(String(values.at(-1)?.fieldValue), { $json });
  const form = { 'Spreadsheet and name': items({ name: '7', lang }) };
  const [choice] = run(choices, [], {
    ...form,
    'Read the table': items({ rows: 2, hidden: 2 }),
    ...{ 'Templates to choose': items({}), 'Signatures to choose': items({}) },
  });
  const known = { ...form, 'Campaign stored before': items({ id: 1, state: 'done' }) };
  const [read] = run(readTheTable, [], known);
  for (const text of [...first, choice?.title, choice?.description, choice?.button, read?.problem])
    expect(/[\u4e00-\u9fff]/.test(String(text))).toBe(isChinese);
});
