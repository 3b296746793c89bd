/** What becomes of the rows of a campaign, and what its page says of them. */
import fc from 'fast-check';

import { listOf } from '../src/campaign-load/list';
import type { Recipient } from '../src/common/messages/campaigns';
import { why } from '../src/common/messages/reasons';
import { settings } from '../../test/kit/search/settings';
import { ago, Desk, NOW as now, readPage, type Look } from './campaigns';
import type { Row as DeskRow } from './workflow';

const row = (id: number, change: Partial<Recipient> = {}) =>
  ({
    id,
    phone_number: `138${String(id).padStart(8, '0')}`,
    ...{ status: 'sending', portion: '7', batch_id: '', reason: '' },
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
  const NO_NAME = '{"name":"","order":"9007199254740991"}';
  const recipients = [
    { phone: '+86 138 1000 0010', name: 'Li', order: 7 },
    // A number has all its digits.
    { phone: '138-1000-0012, 0086 13810000013', name: null, order: 2 ** 53 - 1 },
    ...[{ phone: 13810000010 }, { phone: several }, { phone: 'ask him' }, null],
  ];
  expect(load(recipients)).toEqual([
    ['pending', '13810000010', '{"name":"Li","order":"7"}'],
    ...['13810000012', '13810000013'].map((phone) => ['pending', phone, NO_NAME]),
    ['pending', '13810000014', '{}'],
    ['invalid', 'ask him', '{}'],
    ['invalid', '', '{}'],
  ]);
});

describe('Portions', () => {
  let numbers = 13_800_000_000;
  const due = (campaign: string, count: number, change: object = {}): DeskRow[] =>
    Array.from({ length: count }, () => ({
      ...{ campaign, phone_number: String((numbers += 1)), parameters: '{}', status: 'pending' },
      ...{ portion: '', batch_id: '', reason: '', sent_at: null, changed: ago(9), ...change },
    }));
  const sending = { status: 'sending', changed: now.toISO(), portion: '1' };
  /** A campaign that runs. */
  const running = (campaign: string, change: object = {}): DeskRow => ({
    ...{ campaign, state: 'running', loaded_at: ago(60), served_at: null, tries: 0 },
    ...{ template_id: '302', ...change },
  });
  const deskOf = (campaigns: DeskRow[], rows: DeskRow[], tables: Record<string, DeskRow[]> = {}) =>
    new Desk({
      ...{ 'sms.campaigns': campaigns, 'sms.recipients': rows, 'sms.outbox': [], ...tables },
    });
  /** Looks once, and gives the campaign that was served, and how many of its rows. */
  const look = async (desk: Desk, { set, ...more }: Look = {}) => {
    const [claimed] =
      (await desk.send({ set: { portion_size: 2, ...set }, ...more }))['Claim the portion'] ?? [];
    return [claimed?.campaign, JSON.parse(String(claimed?.packed ?? '[]')).length];
  };
  const statesOf = (desk: Desk) => desk.tables['sms.campaigns']?.map(({ state }) => state);

  test('running campaigns take turns: each is served within as many as have something to send', async () => {
    const kinds = {
      ...{ running: {}, 'without a row': {}, 'loaded just now': {}, 'under way': {} },
      'still loaded': { loaded_at: ago(-60) },
      pausing: { until: now.plus({ days: 1 }).toISO(), tries: 1 },
      ...{ paused: { state: 'paused' }, draft: { state: 'draft' } },
    };
    const one = fc.record({
      kind: fc.constantFrom('running', 'running', 'running', ...Object.keys(kinds)),
      served: fc.option(fc.integer({ min: 1, max: 99 })),
      rows: fc.integer({ min: 1, max: 12 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 7 }), async (all) => {
        const campaigns = all.map(({ kind, served }, id) =>
          running(String(id), {
            ...{ ...kinds[kind as keyof typeof kinds], served_at: served && ago(served) },
          }),
        );
        const rows = all.map(({ kind, rows }, id) => {
          if (kind === 'without a row' || kind === 'still loaded') return [];
          if (kind === 'under way') return due(String(id), rows, { ...sending, changed: ago(-60) });
          return due(String(id), rows, kind === 'loaded just now' ? { changed: ago(-60) } : {});
        });
        // Rows of all campaigns are mixed.
        const mixed = [0, 1, 2].flatMap((part) =>
          rows.flatMap((each) => each.filter((_, index) => index % 3 === part)),
        );
        const desk = deskOf(campaigns, mixed);
        const left = new Map(
          all.flatMap(({ kind, rows }, id) => (kind === 'running' ? [[String(id), rows]] : [])),
        );
        /** When each must be served at the latest. */
        const until = new Map<string, number>();
        for (let turn = 0; left.size > 0; turn += 1) {
          for (const name of left.keys())
            if (!until.has(name)) until.set(name, turn + left.size - 1);
          desk.now = now.plus({ seconds: 10 * turn });
          const served = String((await look(desk, { set: { portions_at_once: 9 } }))[0]);
          expect([...left.keys()]).toContain(served);
          left.set(served, (left.get(served) ?? 0) - 2);
          if ((left.get(served) ?? 0) <= 0) left.delete(served);
          until.delete(served);
          for (const name of left.keys()) expect(until.get(name) ?? turn + 1).toBeGreaterThan(turn);
        }
        desk.now = now.plus({ minutes: 10 });
        expect(await look(desk)).toEqual([undefined, 0]);
        const isDone = all.map(({ kind }) => kind === 'running' || kind === 'without a row');
        expect(statesOf(desk)?.map((state) => state === 'done')).toEqual(isDone);
      }),
      settings(15),
    );
  });

  const pausing = running('A', { tries: 1, until: ago(1) });
  const [A, B] = [running('A'), running('B', { served_at: ago(1) })];
  const [one, many] = [due('A', 1, sending), due('A', 30)];
  test.each<[string, DeskRow[], DeskRow[], object, unknown[]]>([
    ['ten are tried after a pause', [pausing], many, { portion_size: 20 }, ['A', 10]],
    ['none until they end', [pausing, B], [...one, ...many, ...due('B', 9)], {}, ['B', 2]],
    ['a whole one when they are accepted', [A], many, { portion_size: 20 }, ['A', 20]],
  ])('%s', async (_, campaigns, rows, set, served) => {
    expect(await look(deskOf(structuredClone(campaigns), structuredClone(rows)), { set })).toEqual(
      served,
    );
  });

  test('a pause that comes while the balance is read holds', async () => {
    const desk = deskOf([running('A')], due('A', 1));
    const given = {
      'Read the balance': () => {
        desk.campaign.state = 'paused';
        return [{ balance: 9_000 }];
      },
    };
    expect(await look(desk, { given })).toEqual([undefined, 0]);
    expect(desk.recipients).toMatchObject([{ status: 'pending' }]);
  });

  const PERSON = '13900000001';
  const older = {
    ...{ key: `A|${PERSON}`, class: 'marketing', phone_number: PERSON, run: '1:0', template: '7' },
    ...{ sent_at: ago(90), createdAt: ago(90) },
  };
  const own = { ...older, phone_data: 'sms_recipients:1', batch_id: 'c' };
  const other = { ...older, key: 'other', status: 'accepted' };
  const ROOM = [{ class: 'marketing', per_hour: 0, per_day: 0 }];
  const FULL = ['all', 'reserved'].map((each) => ({ class: each, per_day: 1 }));
  const sent = (row: DeskRow, rules = ROOM) => ({ 'sms.outbox': [row], 'sms.rules': rules });
  const away: Look = { given: { 'Send through the outbox': [{ error: 'It is not active' }] } };
  const saying = (...statuses: unknown[]): Look => ({
    says: (all) => all.map((_, at) => ({ status: statuses[at], msg: 'No', batch_id: '' })),
  });

  /** A recipient: its status, its batch, and why. */
  const becomes = ({ status, batch_id, reason, reason_code }: DeskRow) =>
    [status, batch_id, reason, reason_code].filter(Boolean).join(' ');
  /** A campaign: its tries, for how many minutes it pauses, and why. */
  const goesOn = ({ tries, until, cause, cause_code }: DeskRow) => {
    const minutes = until ? (Date.parse(String(until)) - now.toMillis()) / 60_000 : 0;
    return [tries, minutes, cause, cause_code].filter(Boolean).join(' ');
  };

  test.each<[string, string, string, Record<string, DeskRow[]>?, Look?]>([
    ['accepted', 'accepted b', ''],
    ['rejected', 'rejected No', '1 1 No', {}, saying('rejected')],
    ['unknown', 'unknown No', '1 1 No', {}, saying('unknown')],
    ['opted out', 'opted_out opted_out', '', { 'sms.opt_outs': [{ phone_number: PERSON }] }],
    ['over its limit', 'refused limit', '', sent({ ...other, sent_at: ago(5) }, [])],
    // It ends with the day, and is no fault.
    ['refused to all', 'pending days_limit', `${14 * 60} days_limit`, { 'sms.rules': FULL }],
    ['sent by others', 'duplicate key_used', '', sent({ ...older, status: 'accepted' })],
    // An execution was interrupted, and its row was given back.
    ['accepted before', 'accepted c', '', sent({ ...own, status: 'accepted' })],
    ['unknown before', 'unknown c', '1 1 none_accepted', sent({ ...own, status: 'unknown' })],
    ['under way before', 'sending', '', sent({ ...own, status: 'claimed', sent_at: ago(5) })],
    ['in an outbox that is away', 'pending', '1 1 outbox_away', {}, away],
  ])(
    'what is %s becomes "%s", and the campaign "%s"',
    async (_, became, then, tables = {}, around = {}) => {
      const row = due('A', 1, { phone_number: PERSON });
      const desk = deskOf([running('A')], row, structuredClone(tables));
      await look(desk, around);
      expect([becomes(desk.recipients[0] ?? {}), goesOn(desk.campaign)]).toEqual([became, then]);
    },
  );

  test('a portion whose hours end before it is sent goes later, rests, and is no failure', async () => {
    const desk = deskOf([running('A')], due('A', 2));
    const given = {
      'Read the balance': () => {
        desk.now = now.set({ hour: 20 });
        return [{ balance: 9_000 }];
      },
    };
    await look(desk, { given });
    expect(desk.recipients.map(becomes)).toEqual(['pending hours', 'pending hours']);
    // The outbox may have another time zone: not all of the campaign is refused, turn by turn.
    expect(goesOn(desk.campaign)).toBe('16');
    for (const each of desk.recipients) each.changed = now.toISO();
    for (const [minutes, served] of [
      [15, [undefined, 0]],
      [17, ['A', 2]],
    ] as const) {
      desk.now = now.plus({ minutes });
      expect(await look(desk)).toEqual(served);
    }
    expect(desk.recipients.map(becomes)).toEqual(['accepted b', 'accepted b']);
    expect(goesOn(desk.campaign)).toBe('17');
  });

  type Portion = [before: number | null, fates: string[], meanwhile: number | null, then: string];
  test.each<Portion>([
    // One accepted message is enough. An opt-out is about its recipient.
    [null, ['unknown', 'accepted'], null, ''],
    [null, ['opted out', 'rejected'], null, '1 1 No'],
    // Another portion has failed meanwhile, and this one went before.
    [null, ['accepted'], 1, '1'],
    [null, ['rejected'], 1, '1'],
    ...[1, 2, 4, 8, 16, 16, 16].map((minutes, tries): Portion => {
      return [tries, ['rejected'], tries, `${tries + 1} ${minutes} No`];
    }),
  ])(
    'after %j tries, a portion of %j, and %j meanwhile, it is "%s"',
    async (tries, fates, meanwhile, then) => {
      const rows = due('A', fates.length);
      const out = rows.filter((_, index) => fates[index] === 'opted out');
      const desk = deskOf([running('A', { tries })], rows, {
        'sms.opt_outs': out.map(({ phone_number }) => ({ phone_number })),
      });
      const { says } = saying(...fates.filter((fate) => fate !== 'opted out'));
      await look(desk, {
        says: (all) => {
          desk.campaign.tries = meanwhile;
          return says?.(all) ?? [];
        },
      });
      expect(goesOn(desk.campaign)).toBe(then);
    },
  );

  test.each([
    // It has arrived, whatever becomes of the other message.
    ['delivered', ['b2 DELIVRD', 'b1 EXPIRED']],
    ['delivered', ['b2 EXPIRED', 'b1 DELIVRD']],
    ['delivered', ['b1 DELIVRD', 'b2 EXPIRED']],
    ['accepted', ['b1 EXPIRED']],
    ['failed', ['b2 ']],
  ])('who was sent two messages is "%s" after the reports %j', async (status, reports) => {
    // Somebody has typed the number.
    const typed = { phone_number: '+86 139 0000 0001', status: 'accepted', sent_at: ago(9) };
    const messages = ['b1', 'b2'].map((batch_id) => ({ ...own, batch_id, status: 'accepted' }));
    const desk = deskOf([running('A')], due('A', 1, typed), { 'sms.outbox': messages });
    for (const [index, report] of reports.entries()) {
      const [batch_id, said] = report.split(' ');
      const record = { ...own, event: 'deliveryReport', batch_id, status: said };
      const time_iso = now.plus({ minutes: index }).toISO();
      await desk.run('inbox', 'New reports and replies', { ...record, time_iso, page_id: report });
    }
    expect(desk.recipients).toMatchObject([{ status }]);
  });

  test('what was claimed and never became a message goes back', async () => {
    const lost = due('A', 1, { ...sending, changed: ago(11), sent_at: ago(11) });
    const desk = deskOf([running('A', { state: 'paused' })], lost);
    await look(desk);
    expect(desk.recipients).toMatchObject([{ status: 'pending', portion: '' }]);
  });

  test('a message has the values of its row, and its key; what is no number is rejected', async () => {
    const parameters = '{"name":"Li","order":"A-1","other":"x"}';
    const rows = ['Li', '+86 139-0000 0001', '13900000002'].flatMap((phone_number) =>
      due('A', 1, { phone_number, parameters }),
    );
    const text = { signature_id: '202', content: '${name}: ${order}, ${none}' };
    const desk = deskOf([running('A', text)], rows);
    await look(desk, { set: { portion_size: 3 } });
    const not = 'rejected "Li" is not a mobile number. not_a_number';
    expect(desk.recipients.map(becomes)).toEqual([not, 'accepted b', 'accepted b']);
    expect(desk.tables['sms.outbox']).toMatchObject(
      [PERSON, '13900000002'].map((phone_number, at) => ({
        ...{ phone_number, class: 'marketing', template: '302', signature: '202' },
        parameters: '{"name":"Li","order":"A-1","none":""}',
        ...{ key: `A|${phone_number}`, source: 'SMS · Campaign: send', reference: 'A-1' },
        phone_data: `sms_recipients:${at + 2}`,
      })),
    );
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
    /** What the service said last of them. */
    templates?: object;
    /** More rows of sms.rules, and how many messages went today. */
    rules?: DeskRow[];
    sent?: number;
  }

  /** The page of a campaign that runs well, but for what is given. */
  async function open(given: Given, query: DeskRow = {}): Promise<string> {
    const { campaign, rows = [pending(1)], rule, others = [], templates, rules = [], sent } = given;
    const balance = given.balance ?? { balance: 9_000, answered: now.toISO() };
    const served_at = now.toISO();
    const running = { state: 'running', portion_size: 10, keep_balance: 1_000, served_at };
    const own = { id: 5, campaign: 'Spring', ...running, ticked_at: now.toISO(), ...campaign };
    const desk = new Desk({
      'sms.campaigns': [own, ...others] as object[] as DeskRow[],
      'sms.recipients': rows.map((each) => ({ ...each, campaign: own.campaign })),
      'sms.rules': [{ class: 'marketing', from_hour: 9, to_hour: 20, ...rule }, ...rules],
      'sms.days': [{ day: '2026-11-30', sent: 9 }, ...(sent ? [{ day: '2026-12-01', sent }] : [])],
    });
    desk.said = [{ what: 'balance', answered: null, ...balance }];
    if (templates) desk.said.push({ what: 'template', ...templates });
    return await desk.page(query);
  }

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
    ['stopped', { campaign: { state: 'stopped' } }, ['1 message has not been sent.']],
    [
      'done',
      { campaign: { state: 'done' }, rows: [{ ...row(1), status: 'delivered' }] },
      ['Reports may still come in.'],
    ],
    ['done, but for 1 to be sent', { campaign: { state: 'done' } }, ['>Resume<']],
  ])('says "%s"', async (state, given, texts) => {
    const html = await open(given);
    for (const page of [html, await open(given, { campaign: '' })])
      expect(readPage(page).mark).toBe(state);
    for (const text of texts) expect(html).toContain(text);
    expect(html).not.toMatch(/NaN|undefined|Invalid/);
    // Nobody knows when a failure ends, or when somebody does something.
    if (!/^(running|waits)/.test(state)) expect(html).not.toContain('Expected to end');
    if (['stopped', 'done'].includes(state)) expect(html).not.toContain('<button');
  });

  test.each<[string, string, DeskRow, ...RegExp[]]>([
    ['done', 'done, 110 not sent', {}, /^red 110 messages were refused.* busy/],
    [
      'running',
      'running',
      {},
      /^red 110 messages were refused/,
      /^plain 5 messages have not been sent/,
    ],
    ['done', 'done, 110 not sent', { campaign: '' }, /^red Spring: 110 messages were .* busy/],
    // It ended days ago.
    ['done', 'done, 110 not sent', { campaign: '', days: 2 }],
  ])('%s, with 110 of 300 refused, it is "%s" on the page of %j', async (...given) => {
    const [state, mark, { days = 0, ...query }, ...lines] = given;
    const sent_at = ago(1440 * Number(days));
    const rows = many(state === 'running' ? 305 : 300).map((each, at) => {
      if (at >= 300) return each;
      const refused = at < 110 && { status: 'refused', reason: 'busy' };
      return { ...each, status: 'delivered', sent_at, ...refused };
    });
    const html = await open({ campaign: { state }, rows }, query);
    expect(html).not.toMatch(/mark green|Nothing is unsent/);
    expect(readPage(html).mark).toBe(mark);
    // What was not sent comes before everything else of the page.
    const [, first = ''] = /<main[^>]*>(.*?)<\/section>/s.exec(html) ?? [];
    const shown = [...first.matchAll(/<li class="notice (\w+)">(.*?)<\/li>/gs)].map(
      ([, color, line = '']) => `${color} ${line.replaceAll(/<[^>]*>|\s+/g, ' ').trim()}`,
    );
    expect(shown).toEqual(lines.map((line) => expect.stringMatching(line) as unknown));
  });

  test.each<[Given, RegExp]>([
    [{ rows: many(600), sent: 8_000 }, /^(?!.*limit)/s],
    [
      { rows: many(1_000), rules: all(1_000), sent: 500 },
      /limit in sms.rules, so many go on each day: 12-01: 400; 12-02: 600\..*>12-02 09:10</s,
    ],
    [
      { rows: many(700), rules: all(110) },
      /: 12-01: 99; 12-02: 99; 12-03: 99; …\..*>12-08 09:00</s,
    ],
    [
      { rules: [...all(10), { class: 'reserved', per_day: 10 }] },
      /The day’s limit in sms.rules leaves nothing for campaigns\..*>never</s,
    ],
    // Without hours, too.
    [{ rule: { from_hour: 9, to_hour: 9 } }, /^(?!.*limit)/s],
  ])('a draft says when the limit of the day is reached: %#', async (given, says) => {
    const campaign = { state: 'draft', content: 'Hello', loaded_at: now.toISO() };
    expect(await open({ campaign, ...given })).toMatch(says);
  });

  test('a draft shows what the service said last, and from when that is', async () => {
    const draft = async (balance: object, templates: object[], loaded_at = ago(60)) => {
      const campaign = { state: 'draft', template_id: '302', content: 'Hello', loaded_at };
      const said = { records: JSON.stringify(templates), answered: ago(4) };
      return await open({ campaign, balance, templates: said });
    };
    const gone = 'The template is not in your account any more, or is disabled.';
    const away = await draft({ balance: 9_000, answered: ago(7), error: 'HTTP 500' }, [
      { id: 302 },
    ]);
    expect(away).toContain('The service does not answer.');
    expect(away).toMatch(/>9,000<.*?>as of 09:53</s);
    expect(away).not.toContain(gone);
    expect(await draft({}, [])).toContain('The balance could not be read.');
    expect(await draft({}, [{ id: 302, status: false }])).toContain(gone);
    for (const content of ['Hello', 'Hello you']) {
      const isChanged = /The template has changed/.test(await draft({}, [{ id: 302, content }]));
      expect(isChanged).toBe(content !== 'Hello');
    }
    // It was chosen from a list that is newer than the stored one.
    expect(await draft({}, [], now.toISO())).not.toContain(gone);
  });

  test('a Chinese page says in Chinese what the desk has written', async () => {
    const rows = [
      { ...row(1), status: 'opted_out', ...why('opted_out') },
      { ...row(2), status: 'unknown', ...why('interrupted') },
      { ...row(3), status: 'invalid', ...why('invalid') },
      { ...row(4), status: 'rejected', reason: 'Rejected: HTTP 400' },
      pending(5),
    ];
    const full = why('days_limit', { limit: '9' });
    const { reason: cause, reason_code: cause_code, reason_values: cause_values } = full;
    const campaign = { ...paused, cause, cause_code, cause_values };
    const html = await open({ campaign, rows }, { lang: 'zh' });
    const said = ['客户已退订。', '之前的执行中断', '不是手机号', '已达到每日限额 9 条'];
    for (const text of [...said, 'Rejected: HTTP 400']) expect(html).toContain(text);
    expect(html).not.toMatch(/opted out\.|interrupted|Not a phone|day.s limit/);
  });

  test('counts each status, with the latest reason, and escapes every text', async () => {
    const rows = [
      ...[1, 2, 3].map((id) => ({ ...row(id), status: 'delivered' })),
      ...[4, 5].map((id) => ({ ...row(id), status: 'failed', reason: ATTACK })),
      ...[{ ...row(6), status: 'duplicate' }, pending(7)],
    ];
    const html = await open({ campaign: { campaign: ATTACK, cause: ATTACK }, rows });
    expect(readPage(html).lines).toEqual([
      expect.stringMatching(/^Status/),
      'Delivered 3 50.0 %',
      expect.stringMatching(/^Not delivered 2 33.3 % .*script/),
      'Not sent yet 1 16.7 %',
    ]);
    expect(html).toContain('Download the failed rows (2)');
    expect(html).not.toMatch(/<script|<img/);
  });

  test('the list has the figures of each campaign, and those first that run', async () => {
    const statuses = ['delivered', 'failed', 'unknown', 'pending', 'invalid', 'duplicate'];
    const rows = statuses.map((status, id) =>
      row(id + 1, { status, sent_at: id < 3 ? now.toISO() : null }),
    );
    const own = { campaign: ATTACK, state: 'done', template: 'T' };
    const others = [{ ...older, portion_size: 10, ticked_at: now.toISO() }];
    const html = await open({ campaign: own, rows, others }, { campaign: '' });
    expect(readPage(html).lines.slice(1)).toEqual([
      'Older running 0 0 0 0 – –',
      expect.stringMatching(/T done, but for 1 to be sent 1 4 2 1 10:00 10:00$/) as unknown,
    ]);
    expect(html).not.toMatch(/<script|<img|NaN|undefined|Invalid/);
  });
});
