/** What becomes of the rows of a campaign, and what its page says of them. */
import fc from 'fast-check';

import messages from '../src/campaign/messages';
import { listOf } from '../src/campaign-load/list';
import choices from '../src/campaign-load/choices';
import readTheTable from '../src/campaign-load/read-the-table';
import type { Recipient } from '../src/common/messages/campaigns';
import type { Item } from '../../builder/code/n8n';
import { why } from '../src/common/messages/reasons';
import { settings } from '../../test/kit/search/settings';
import { evaluate, parametersOf } from '../../test/kit/workflows/expression';
import { items, runCode } from '../../test/kit/workflows/codeNode';
import { ago, Desk, NOW as now, type Look } from './campaigns';
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
  const look = (desk: Desk, { set, ...more }: Look = {}) => {
    const [claimed] =
      desk.send({ set: { portion_size: 2, ...set }, ...more })['Claim the portion'] ?? [];
    return [claimed?.campaign, JSON.parse(String(claimed?.packed ?? '[]')).length];
  };
  const statesOf = (desk: Desk) => desk.tables['sms.campaigns']?.map(({ state }) => state);

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
        const campaigns = all.map(({ kind, served }, id) =>
          running(String(id), {
            ...{ ...kinds[kind as keyof typeof kinds], served_at: served && ago(served) },
          }),
        );
        const rows = all.map(({ kind, rows }, id) => {
          if (kind === 'without a row') return [];
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
          const served = String(look(desk)[0]);
          expect([...left.keys()]).toContain(served);
          left.set(served, (left.get(served) ?? 0) - 2);
          if ((left.get(served) ?? 0) <= 0) left.delete(served);
          until.delete(served);
          for (const name of left.keys()) expect(until.get(name) ?? turn + 1).toBeGreaterThan(turn);
        }
        desk.now = now.plus({ minutes: 10 });
        expect(look(desk)).toEqual([undefined, 0]);
        const isDone = all.map(({ kind }) => kind === 'running' || kind === 'without a row');
        expect(statesOf(desk)?.map((state) => state === 'done')).toEqual(isDone);
      }),
      settings(15),
    );
  });

  const A = running('A');
  const pause = { tries: 1, until: ago(1) };
  /** Two portions of A are under way, and B waits. */
  const full = [...due('A', 1, sending), ...due('A', 1, { ...sending, portion: '2' })];
  test.each<[string, DeskRow[], DeskRow[], Look, unknown[]]>([
    [
      'two are under way, of two at once',
      [A],
      [...full, ...due('A', 9)],
      { set: { portions_at_once: 2 } },
      [],
    ],
    [
      'two are, of three',
      [A],
      [...full, ...due('A', 9)],
      { set: { portions_at_once: 3 } },
      ['A', 2],
    ],
    [
      'ten are tried after a pause',
      [running('A', pause)],
      due('A', 30),
      { set: { portion_size: 20 } },
      ['A', 10],
    ],
    [
      'none while that portion is under way',
      [running('A', pause), running('B', { served_at: ago(1) })],
      [...due('A', 1, sending), ...due('A', 9), ...due('B', 9)],
      {},
      ['B', 2],
    ],
    [
      'a whole one when they are accepted',
      [A],
      due('A', 30),
      { set: { portion_size: 20 } },
      ['A', 20],
    ],
  ])('%s', (_, campaigns, rows, around, served) => {
    const desk = deskOf(structuredClone(campaigns), structuredClone(rows));
    expect(look(desk, around)).toEqual(served.length > 0 ? served : [undefined, 0]);
  });

  test('a campaign is not done while a portion is under way, or a list may still be loaded', () => {
    const campaigns = [running('A'), running('B'), running('C', { loaded_at: ago(1) })];
    const desk = deskOf(campaigns, due('A', 1, sending));
    look(desk);
    expect(statesOf(desk)).toEqual(['running', 'done', 'running']);
  });

  test('a pause that comes while the balance is read holds', () => {
    const desk = deskOf([running('A')], due('A', 1));
    const given = {
      'Read the balance': () => {
        desk.campaign.state = 'paused';
        return [{ balance: 9_000 }];
      },
    };
    expect(look(desk, { given })).toEqual([undefined, 0]);
    expect(desk.recipients).toMatchObject([{ status: 'pending' }]);
  });

  const PERSON = '13900000001';
  const key = { key: `A|${PERSON}`, class: 'marketing', phone_number: PERSON, run: '1:0' };
  const older = { sent_at: ago(90), createdAt: ago(90), template: '7', ...key };
  const own = { ...older, phone_data: 'sms_recipients:1', batch_id: 'c' };
  const ROOM = [{ class: 'marketing', per_hour: 0, per_day: 0 }];
  const NO_ROOM = ['all', 'reserved'].map((each) => ({ class: each, per_day: 1 }));
  const outboxOf = (...rows: object[]) => ({ 'sms.outbox': rows as DeskRow[], 'sms.rules': ROOM });
  const failing = (status: string) => ({
    says: (all: DeskRow[]) => all.map(() => ({ status, msg: 'No' })),
  });
  const away = { given: { 'Send through the outbox': [{ error: 'Workflow is not active' }] } };
  const [fine, tried] = [{ tries: 0 }, { tries: 1, until: ago(-1) }];
  const tomorrow = now.plus({ days: 1 }).startOf('day').toISO();

  /** What becomes of the one recipient of a portion, and of its campaign. */
  test.each<[string, object, object, Record<string, DeskRow[]>, Look?]>([
    ['accepted', { status: 'accepted', batch_id: 'b', reason: '' }, fine, {}],
    [
      'rejected',
      { status: 'rejected', reason: 'No' },
      { ...tried, cause: 'No' },
      {},
      failing('rejected'),
    ],
    [
      'unknown',
      { status: 'unknown', reason: 'No' },
      { ...tried, cause: 'No' },
      {},
      failing('unknown'),
    ],
    [
      'opted out',
      { status: 'opted_out', reason_code: 'opted_out' },
      fine,
      { 'sms.opt_outs': [{ phone_number: PERSON }] },
    ],
    [
      'over its limit',
      { status: 'refused', reason_code: 'limit' },
      fine,
      { 'sms.outbox': [{ ...older, key: 'other', status: 'accepted', sent_at: ago(5) }] },
    ],
    // It ends with the day, and is no fault.
    [
      'refused to everybody',
      { status: 'pending', reason_code: 'days_limit' },
      { tries: 0, until: tomorrow, cause_code: 'days_limit' },
      { 'sms.rules': NO_ROOM },
    ],
    [
      'sent under its key by others',
      { status: 'duplicate', reason_code: 'key_used' },
      fine,
      outboxOf({ ...older, status: 'accepted' }),
    ],
    // An execution was interrupted, and its row was given back.
    [
      'accepted at its own earlier try',
      { status: 'accepted', batch_id: 'c' },
      fine,
      outboxOf({ ...own, status: 'accepted' }),
    ],
    [
      'unknown at its own earlier try',
      { status: 'unknown', batch_id: 'c' },
      { tries: 1 },
      outboxOf({ ...own, status: 'unknown' }),
    ],
    [
      'under way at its own earlier try',
      { status: 'sending' },
      fine,
      outboxOf({ ...own, status: 'claimed', sent_at: ago(5) }),
    ],
    [
      'in an outbox that is away',
      { status: 'pending', reason_code: '' },
      {
        ...tried,
        cause_code: 'outbox_away',
        cause_values: '{"reason" : "Workflow is not active"}',
      },
      {},
      away,
    ],
  ])('what is %s becomes %j, and the campaign %j', (_, becomes, then, tables, around = {}) => {
    const desk = deskOf(
      [running('A')],
      due('A', 1, { phone_number: PERSON }),
      structuredClone(tables),
    );
    look(desk, around);
    expect(desk.recipients).toMatchObject([becomes]);
    expect(desk.campaign).toMatchObject(then);
  });

  test('what an outbox has sent that failed then is under way, and unknown after ten minutes', () => {
    const desk = deskOf([running('A')], due('A', 1));
    const lost = (start: DeskRow[]) => {
      const crash = () => {
        throw new Error('A crash');
      };
      expect(() => desk.outbox(start, crash)).toThrow('A crash');
      return [{ error: 'The workflow failed' }];
    };
    look(desk, { given: { 'Send through the outbox': lost } });
    expect(desk.recipients).toMatchObject([{ status: 'sending' }]);
    expect(desk.campaign).toMatchObject({ tries: 1, cause_code: 'outbox_away' });
    desk.now = now.plus({ minutes: 11 });
    desk.run('outbox', 'Every minute');
    expect(look(desk)).toEqual([undefined, 0]);
    expect(desk.recipients).toMatchObject([{ status: 'unknown', reason_code: 'interrupted' }]);
  });

  test('what was claimed and never became a message goes back', () => {
    const lost = due('A', 1, { ...sending, changed: ago(11), sent_at: ago(11) });
    const desk = deskOf([running('A', { state: 'paused' })], lost);
    look(desk);
    expect(desk.recipients).toMatchObject([{ status: 'pending', portion: '' }]);
  });

  test('what is no number, typed by hand, is rejected, and another spelling is settled', () => {
    const rows = ['Li', `+86 ${PERSON}`].flatMap((phone_number) => due('A', 1, { phone_number }));
    const desk = deskOf([running('A')], rows);
    look(desk);
    const rejected = { status: 'rejected', reason_code: 'not_a_number' };
    expect(desk.recipients).toMatchObject([rejected, { status: 'accepted' }]);
  });

  test.each<[string[], number, (number | null)?]>([
    // One accepted message is enough. An opt-out is about its recipient.
    [['unknown', 'accepted'], 0],
    [['opted out', 'rejected'], 1],
    // Another portion has failed meanwhile, and this one went before.
    [['accepted'], 1, 1],
    [['rejected'], 1, 1],
  ])('a portion of %j has %i tries', (fates, tries, meanwhile = null) => {
    const rows = due('A', fates.length);
    const out = rows.filter((_, index) => fates[index] === 'opted out');
    const desk = deskOf([running('A', { tries: null })], rows, {
      'sms.opt_outs': out.map(({ phone_number }) => ({ phone_number })),
    });
    const says = (all: DeskRow[]) => {
      desk.campaign.tries = meanwhile;
      const sent = fates.filter((fate) => fate !== 'opted out');
      return all.map((_, index) => ({ status: sent[index], msg: 'HTTP 500' }));
    };
    look(desk, { says });
    expect(desk.campaign.tries).toBe(tries);
  });

  test('a pause takes 1 minute, then 2, 4, 8 and 16', () => {
    const minutes = [0, 1, 2, 3, 4, 5, 6].map((tries) => {
      const desk = deskOf([running('A', { tries })], due('A', 2));
      look(desk, failing('rejected'));
      expect(desk.campaign.tries).toBe(tries + 1);
      return (Date.parse(String(desk.campaign.until)) - now.toMillis()) / 60_000;
    });
    expect(minutes).toEqual([1, 2, 4, 8, 16, 16, 16]);
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
  function open(given: Given, query: DeskRow = {}): string {
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
    return desk.page(query);
  }

  /** The lines of the table of a page, as texts. */
  const linesOf = (html: string) =>
    [...html.matchAll(/<tr>.*?<\/tr>/gs)].map(([line]) =>
      line
        .replaceAll(/<[^>]*>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    );

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
    const html = new Desk(tables).page({ campaign: '' });
    expect(linesOf(html).slice(1)).toEqual([
      'Failing stopped by a failure 1 4 2 1 10:00 –',
      'Draft draft 0 0 0 0 – –',
      expect.stringMatching(/T done, but for 1 to be sent 1 4 2 1 10:00 10:00$/) as unknown,
    ]);
    expect(html).not.toMatch(/<script|<img|NaN|undefined|Invalid/);
  });
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
  // It offers none that is disabled.
  const all = [true, false, 0, '0', 'false', undefined].map((status, id) => ({
    id: id + 1,
    status,
  }));
  const said = items({ records: JSON.stringify(all) });
  const nodesOf = (state: string, isStarted: boolean): Record<string, Item[]> => ({
    'Spreadsheet and name': items({ name: '7', lang }),
    'Read the table': items({ rows: 2, leftOut: [], isStarted }),
    'Campaign stored before': items({ id: 1, state }),
    ...{ 'Templates to choose': said, 'Signatures to choose': said },
  });
  const [choice, adds] = ['draft', 'paused'].map((state) => {
    const nodes = nodesOf(state, state === 'paused');
    return runCode(choices, [], { nodes })[0]?.json;
  });
  expect(Object.values(choice?.templates ?? {})).toEqual(['1', '6']);
  expect(Object.values(choice?.signatures ?? {})).toEqual(['', '1', '6']);
  const read = runCode(readTheTable, [], { nodes: nodesOf('stopped', true) })[0]?.json;
  const texts = [choice, adds].flatMap((each) => [each?.title, each?.description, each?.button]);
  for (const text of [...first, ...texts, ...Object.keys(adds?.templates ?? {}), read?.problem])
    expect(/[\u4e00-\u9fff]/.test(String(text))).toBe(isChinese);
});
