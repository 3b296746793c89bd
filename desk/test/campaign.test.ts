/** The Code nodes of the campaigns: what they make of their items. */
import fc from 'fast-check';
import { DateTime } from 'luxon';

import messages from '../src/campaign/messages';
import { listOf } from '../src/campaign-load/list';
import asARequest from '../src/campaign-load/as-a-request';
import choices from '../src/campaign-load/choices';
import readTheTable from '../src/campaign-load/read-the-table';
import type { Recipient } from '../src/common/messages/campaigns';
import type { Item } from '../../builder/code/n8n';
import { why } from '../src/common/messages/reasons';
import { settings } from '../../test/kit/search/settings';
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
  const load = (recipients: unknown) => {
    const { rows, numbers } = listOf({ recipients });
    expect(numbers).toBe(6);
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
      'Read the table': items({ rows: 0, leftOut: [] }),
    },
    ...{ 'Templates to choose': said, 'Signatures to choose': said },
  });
  expect(Object.values(offered?.templates ?? {})).toEqual(['1', '6']);
  expect(Object.values(offered?.signatures ?? {})).toEqual(['', '1', '6']);
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
  const running = {
    ...{ state: 'running', loaded_at: ago(60), served_at: null, tries: 0, template_id: '302' },
  };

  /** What the service says of each message. */
  type Says = (all: DeskRow[]) => DeskRow[];
  const accepts: Says = (all) => all.map(() => ({ status: 'accepted', batch_id: 'b' }));

  interface Around {
    set?: object;
    says?: Says;
    /** Other tables, and what other nodes put out. */
    tables?: Record<string, DeskRow[]>;
    given?: Record<string, DeskRow[] | Says>;
  }

  /** The send over campaigns and rows. Each look gives the campaign that was served. */
  function looks(campaigns: DeskRow[], rows: object[], around: Around = {}) {
    const recipients = rows.map((each, index): DeskRow => ({ ...each, id: index + 1 }));
    const { set, says = accepts, given: more } = around;
    const tables: Record<string, DeskRow[]> = {
      ...{ 'sms.campaigns': campaigns, 'sms.recipients': recipients, 'sms.outbox': [] },
      ...around.tables,
    };
    let execution = 100;
    const look = (at = now) => {
      jest.setSystemTime(at.toMillis());
      const world = () => ({ tables, now: at, execution: String((execution += 1)) });
      const given = {
        Settings: [{ ...fieldsOf('campaign', 'Settings', {}), portion_size: 2, ...set }],
        'Read the balance': [{ balance: 9_000 }],
        'Send through the outbox': (start: DeskRow[]) =>
          runDesk(
            'outbox',
            'Messages',
            {},
            { ...world(), start, given: { 'Send by template': says } },
          ).Results ?? [],
        ...more,
      };
      const done = runDesk('campaign', 'Every 10 seconds', {}, { ...world(), given });
      return done['Claim the portion']?.[0]?.campaign;
    };
    return Object.assign(look, { recipients, tables });
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
      settings(15),
    );
  });

  test('a portion begins while others are under way, if there may be more', () => {
    const rows = [
      ...due('A', 1, { ...sending, portion: '1' }),
      ...[...due('A', 1, { ...sending, portion: '2' }), ...due('A', 9)],
    ];
    const served = [1, 2, 3].map((portions_at_once) =>
      looks([{ id: 1, campaign: 'A', ...running }], rows, { set: { portions_at_once } })(),
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
    expect(looks(campaigns(), [...slow, ...rows], { set: { portions_at_once: 2 } })()).toBe('B');
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
      const look = looks(campaigns, due('A', 9), {
        says: (all) => all.map(() => ({ status })),
        given: {
          'Send through the outbox': (start) => {
            const world = { tables: look.tables, now, start, execution: '9' };
            const given = {
              'Send by template': () => start.map(() => ({ status, batch_id: 'b' })),
            };
            const { Results } = runDesk('outbox', 'Messages', {}, { ...world, given });
            Object.assign(campaigns[0] ?? {}, { tries: meanwhile });
            return Results ?? [];
          },
        },
      });
      look();
      expect(campaigns[0]?.tries).toBe(tries);
    },
  );

  test('a campaign is not done while a portion is under way, or a list may still be loaded', () => {
    const campaigns: DeskRow[] = [
      { id: 1, campaign: 'A', ...running },
      { id: 2, campaign: 'B', ...running },
      { id: 3, campaign: 'C', ...running, loaded_at: ago(1) },
    ];
    const set = { portions_at_once: 2 };
    looks(campaigns, due('A', 1, { ...sending, portion: '1' }), { set })();
    expect(campaigns.map(({ state }) => state)).toEqual(['running', 'done', 'running']);
  });

  test('a pause that comes while the balance is read holds', () => {
    const campaigns: DeskRow[] = [{ id: 1, campaign: 'A', ...running }];
    const given = {
      'Read the balance': () => {
        Object.assign(campaigns[0] ?? {}, { state: 'paused' });
        return [{ balance: 9_000 }];
      },
    };
    const look = looks(campaigns, due('A', 1), { given });
    expect(look()).toBeUndefined();
    expect(look.recipients).toMatchObject([{ status: 'pending' }]);
  });

  const PERSON = '13900000001';
  const key = { key: `A|${PERSON}`, class: 'marketing', phone_number: PERSON, run: '1:0' };
  const older = { sent_at: ago(90), createdAt: ago(90), template: '7', ...key };
  const ROOM = [{ class: 'marketing', per_hour: 0, per_day: 0 }];
  const full = {
    'sms.rules': [
      { class: 'all', per_day: 1 },
      { class: 'reserved', per_day: 1 },
    ],
  };

  /** What becomes of the one recipient of a portion. */
  const KINDS: [what: string, becomes: object, around: Around][] = [
    ['accepted', { status: 'accepted', batch_id: 'b', reason: '' }, {}],
    [
      'rejected',
      { status: 'rejected', reason: 'No' },
      { says: () => [{ status: 'rejected', msg: 'No' }] },
    ],
    ['unknown', { status: 'unknown', reason: '500' }, { says: () => [{ error: '500' }] }],
    [
      'opted out',
      { status: 'opted_out', reason_code: 'opted_out' },
      { tables: { 'sms.opt_outs': [{ phone_number: PERSON }] } },
    ],
    [
      'over its limit',
      { status: 'refused', reason_code: 'limit' },
      {
        tables: { 'sms.outbox': [{ ...older, key: 'other', status: 'accepted', sent_at: ago(5) }] },
      },
    ],
    ['refused to everybody', { status: 'pending', reason_code: 'days_limit' }, { tables: full }],
    [
      'sent under its key by others',
      { status: 'duplicate', reason_code: 'key_used' },
      { tables: { 'sms.outbox': [{ ...older, status: 'accepted' }], 'sms.rules': ROOM } },
    ],
    // An execution was interrupted, and its row was given back.
    ...(['accepted', 'unknown'] as const).map((status): [string, object, Around] => {
      const own = { ...older, status, phone_data: 'sms_recipients:1', batch_id: 'c' };
      const tables = { 'sms.outbox': [own], 'sms.rules': ROOM };
      return [`${status} at its own earlier try`, { status, batch_id: 'c' }, { tables }];
    }),
    [
      'under way at its own earlier try',
      { status: 'sending' },
      {
        tables: {
          'sms.outbox': [
            { ...older, status: 'claimed', sent_at: ago(5), phone_data: 'sms_recipients:1' },
          ],
          'sms.rules': ROOM,
        },
      },
    ],
    [
      'in an outbox that is away',
      { status: 'pending', reason_code: '' },
      { given: { 'Send through the outbox': () => [{ error: 'Workflow is not active' }] } },
    ],
  ];
  test.each(KINDS)('what is %s becomes %j', (_, becomes, around) => {
    const look = looks(
      [{ id: 1, campaign: 'A', ...running }],
      due('A', 1, { phone_number: PERSON }),
      around,
    );
    look();
    expect(look.recipients).toMatchObject([becomes]);
  });

  test('what is no number, typed by hand, is rejected, and another spelling is settled', () => {
    const rows = [
      ...due('A', 1, { phone_number: 'Li' }),
      ...due('A', 1, { phone_number: `+86 ${PERSON}` }),
    ];
    const look = looks([{ id: 1, campaign: 'A', ...running }], rows);
    look();
    expect(look.recipients).toMatchObject([
      { status: 'rejected', reason_code: 'not_a_number' },
      { status: 'accepted' },
    ]);
  });

  test('what was claimed and never became a message goes back, and what was under way is unknown', () => {
    const lost = { ...sending, portion: '1', changed: ago(11), sent_at: ago(11) };
    const rows = [...due('A', 1, lost), ...due('A', 1, { ...lost, phone_number: PERSON })];
    const message = {
      ...older,
      status: 'claimed',
      sent_at: ago(11),
      phone_data: 'sms_recipients:2',
    };
    const look = looks([{ id: 1, campaign: 'A', ...running, state: 'paused' }], rows, {
      tables: { 'sms.outbox': [message] },
    });
    look();
    runDesk('outbox', 'Every minute', {}, { tables: look.tables, now });
    expect(look.recipients).toMatchObject([
      { status: 'pending', portion: '' },
      { status: 'unknown', reason_code: 'interrupted' },
    ]);
  });

  test.each<[string[], number]>([
    [['rejected'], 1],
    [['unknown'], 1],
    // One accepted message is enough.
    [['unknown', 'accepted'], 0],
    [['accepted'], 0],
    // That is about its recipient.
    [['opted out'], 0],
    [['opted out', 'rejected'], 1],
  ])('a portion of %j has %i tries', (fates, tries) => {
    const campaigns: DeskRow[] = [{ id: 1, campaign: 'A', ...running }];
    const rows = due('A', fates.length);
    const out = rows.filter((_, index) => fates[index] === 'opted out');
    looks(campaigns, rows, {
      tables: { 'sms.opt_outs': out.map(({ phone_number }) => ({ phone_number })) },
      says: (all) =>
        all.map((_, index) => ({
          status: fates.filter((fate) => fate !== 'opted out')[index],
          msg: 'HTTP 500',
        })),
    })();
    expect(campaigns[0]).toMatchObject({ tries, cause: tries ? 'HTTP 500' : '' });
  });

  test('a pause takes 1 minute, then 2, 4, 8 and 16', () => {
    const minutes = [0, 1, 2, 3, 4, 5, 6].map((tries) => {
      const campaigns: DeskRow[] = [{ id: 1, campaign: 'A', ...running, tries }];
      looks(campaigns, due('A', 2), { says: (all) => all.map(() => ({ error: 'HTTP 500' })) })();
      expect(campaigns[0]).toMatchObject({ tries: tries + 1, cause: 'HTTP 500' });
      return (Date.parse(String(campaigns[0]?.until)) - now.toMillis()) / 60_000;
    });
    expect(minutes).toEqual([1, 2, 4, 8, 16, 16, 16]);
  });

  test('a pause at the limit of the day ends with the day, and is no fault', () => {
    const campaigns: DeskRow[] = [{ id: 1, campaign: 'A', ...running, tries: 3 }];
    looks(campaigns, due('A', 2), { tables: full })();
    expect(campaigns[0]).toMatchObject({ tries: 0, cause_code: 'days_limit' });
    expect(Date.parse(String(campaigns[0]?.until))).toBe(
      now.plus({ days: 1 }).startOf('day').toMillis(),
    );
  });

  test('an outbox that is away is a pause', () => {
    const campaigns: DeskRow[] = [{ id: 1, campaign: 'A', ...running }];
    const given = { 'Send through the outbox': () => [{ error: 'Workflow is not active' }] };
    looks(campaigns, due('A', 2), { given })();
    expect(campaigns[0]).toMatchObject({ tries: 1, cause_code: 'outbox_away' });
    expect(campaigns[0]?.cause_values).toContain('not active');
  });
});

test('Messages: what the outbox is called with', () => {
  const campaign = {
    campaign: 'Spring',
    template_id: '302',
    signature_id: '202',
    content: '${name}: ${order}, ${none}',
  };
  const claimed = {
    ...row(5, { line: 2, createdAt: '2026-12-01T09:00:00Z' }),
    phone_number: ' +86 138-0000 0005',
    parameters: '{"name":"Li","order":"A-1","other":"x"}',
  };
  const other = { ...claimed, id: 6, phone_number: '13800000006' };
  const portion = { ...campaign, packed: JSON.stringify([claimed, other]) };
  const sent = runCode(messages, items(portion), { $workflow: { name: 'Campaign' } });
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

describe('The page of a campaign', () => {
  const ATTACK = '<script>alert(1)</script>"><img src=x onerror=alert(2)>';
  const pending = (id: number) => ({ ...row(id), status: 'pending', sent_at: null });

  interface Given {
    campaign?: object;
    rows?: object[];
    rule?: object;
    balance?: object;
    others?: object[];
    /** What the service said last of them. */
    templates?: object;
    /** More rows of sms.rules, and how many messages went today. */
    rules?: DeskRow[];
    sent?: number;
  }

  /** The page of a campaign that runs well, but for what is given. */
  function open(given: Given, query: object = {}): string {
    const {
      campaign,
      rows = [pending(1)],
      rule,
      balance = { balance: 9_000, answered: now.toISO() },
      others = [],
      templates,
      rules = [],
      sent,
    } = given;
    const running = { state: 'running', portion_size: 10, keep_balance: 1_000 };
    const own = { id: 5, campaign: 'Spring', ...running, ticked_at: now.toISO(), ...campaign };
    const tables = {
      'sms.campaigns': [own, ...others] as object[] as DeskRow[],
      'sms.recipients': rows.map((each) => ({ ...each, campaign: own.campaign })),
      'sms.rules': [{ class: 'marketing', from_hour: 9, to_hour: 20, ...rule }, ...rules],
      'sms.service': [
        { what: 'balance', asked: now.toISO(), ...balance },
        ...(templates ? [{ what: 'template', asked: now.toISO(), ...templates }] : []),
      ],
      'sms.days': [{ day: '2026-11-30', sent: 9 }, ...(sent ? [{ day: '2026-12-01', sent }] : [])],
    };
    const asked = { query: { campaign: '5', ...query } };
    const { 'Show the page': page } = runDesk('campaign-page', 'Page is opened', asked, {
      tables,
      now,
    });
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
    ['stopped by the balance', { balance: { balance: 999, answered: now.toISO() } }, [byBalance]],
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
      return open({
        ...{ campaign: { ...campaign, loaded_at: loaded_at.toISO() }, balance, templates: said },
      });
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
    const { 'Show the page': shown } = runDesk(
      'campaign-page',
      'Page is opened',
      {},
      { tables, now },
    );
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
    'Read the table': items({ campaign: 'Spring', list: '{}', isStarted: false }),
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
    'Read the table': items({ rows: 2, leftOut: [] }),
    ...{ 'Templates to choose': items({}), 'Signatures to choose': items({}) },
  });
  const known = { ...form, 'Campaign stored before': items({ id: 1, state: 'paused' }) };
  const [adds] = run(choices, [], {
    ...{ ...known, 'Read the table': items({ rows: 2, leftOut: [], isStarted: true }) },
  });
  const stopped = { ...form, 'Campaign stored before': items({ id: 1, state: 'stopped' }) };
  const [read] = run(readTheTable, [], stopped);
  const texts = [choice, adds].flatMap((each) => [each?.title, each?.description, each?.button]);
  for (const text of [...first, ...texts, ...Object.keys(adds?.templates ?? {}), read?.problem])
    expect(/[\u4e00-\u9fff]/.test(String(text))).toBe(isChinese);
});
