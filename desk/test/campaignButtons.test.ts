/** What the buttons of a campaign do: what their page has shown, once, and no more. */
import fc from 'fast-check';

import { settings } from '../../test/kit/search/settings';
import { ago, Desk, fieldsOf, formOf, NOW, readPage } from './campaigns';
import { inTurn, type Row } from './workflow';

type Fields = Record<string, string>;

/** What the service says of messages. `late` and `lost` are crashes, as is none. */
type Answer = 'accepted' | 'unknown' | 'rejected' | 'late' | 'lost';

const BATCH = '1795367102807000001';
const NOT_DONE = 'Say that nothing was done';

/** A draft, and another one beside it. */
class Tables extends Desk {
  constructor() {
    const campaigns = [5, 6].map((id) => ({
      ...{ id, campaign: `Spring ${id}`, state: 'draft', content: 'Hello', template_id: '302' },
      ...{ portion_size: 100, keep_balance: 0, ticked_at: NOW.toISO(), loaded_at: NOW.toISO() },
      ...{ signature: '', served_at: NOW.toISO() },
    }));
    // A number may have any number of them.
    const rules = [{ id: 1, class: 'marketing', per_hour: 0, per_day: 0 }];
    super({
      ...{ 'sms.campaigns': campaigns, 'sms.rules': rules },
      ...{ 'sms.recipients': [], 'sms.outbox': [] },
    });
  }

  set(values: object): void {
    Object.assign(this.campaign, values);
  }

  add(rows: number, values: object = {}): void {
    for (let count = 0; count < rows; count += 1) {
      const id = this.recipients.length + 1;
      this.recipients.push({
        ...{ id, campaign: 'Spring 5', phone_number: `138${String(id).padStart(8, '0')}` },
        ...{ status: 'pending', parameters: '{}', portion: '1', batch_id: '', reason: '' },
        ...{ changed: ago(60), sent_at: null, ...values },
      });
    }
  }

  get statuses(): unknown[] {
    return this.recipients.map(({ status }) => status);
  }

  get states(): unknown[] {
    return (this.tables['sms.campaigns'] ?? []).map(({ state }) => state);
  }

  /**
   * Gives up what was under way, and sends a portion of at most so many rows. `answer` is what the service says of a
   * message that the outbox lets through. Without one, all crash while it sends; `late`, when the outbox has written down
   * what it sent; and `lost` is an outbox that has sent, and failed then. Gives back the numbers that were sent to.
   */
  async sends(portion_size: number, answer?: Answer): Promise<unknown[]> {
    const sent: unknown[] = [];
    const service = (asked: Row[]) => {
      if (answer !== 'rejected') sent.push(...asked.map((each) => each.phone_number));
      if (!answer || answer === 'lost') throw new Error('A crash');
      const status = answer === 'late' ? 'accepted' : answer;
      return asked.map(() => ({ status, msg: 'HTTP 500', batch_id: '' }));
    };
    const outbox = async (start: Row[]) => {
      try {
        const results = await this.outbox(start, service);
        if (answer === 'late') throw new Error('A crash');
        return results;
      } catch (error) {
        if (answer === 'lost') return [{ error: 'The workflow failed' }];
        throw error;
      }
    };
    try {
      await this.run('outbox', 'Every minute');
      await this.send({ set: { portion_size }, given: { 'Send through the outbox': outbox } });
    } catch (error) {
      if (!(error instanceof Error && error.message === 'A crash')) throw error;
    }
    return sent;
  }

  /** The report of a row that was sent, as it settles the row. */
  async report({ id, phone_number }: Row): Promise<void> {
    await this.run('inbox', 'New reports and replies', {
      ...{ event: 'deliveryReport', phone_data: `sms_recipients:${String(id)}`, phone_number },
      ...{ batch_id: BATCH, status: 'DELIVRD' },
      ...{ page_id: String(this.now), time_iso: this.now.toISO() },
    });
  }
}

let tables: Tables;
beforeEach(() => void (tables = new Tables()));

const ask = (about: string) => tables.page({ ask: about });
/** The form of an action, as the page with it has it. */
const formFor = async (action: string) =>
  fieldsOf(await ask({ resend: 'unknown' }[action] ?? action), action);

test('a start is asked for: to how many, at what cost, with what, and until when', async () => {
  tables.add(3, { segments: 2 });
  tables.set({ template: 'Shipped', file: '<b>.xlsx' });
  const draft = await tables.page();
  expect(draft).not.toContain('name="action" value="start"');
  expect(draft).toContain('name="ask" value="start"');
  for (const text of ['Start “Spring 5”?', '>Send to 3 people<', 'Shipped', '&lt;b&gt;.xlsx'])
    expect(await ask('start')).toContain(text);
  expect(readPage(await ask('start')).figures).toMatchObject({
    ...{ People: '3', Segments: '6', 'Balance after': '8,994' },
    'Expected to end': expect.stringMatching(/^\d\d:\d\d$/) as unknown,
  });
  expect(await tables.page({ ask: 'start', lang: 'zh' })).toContain('>发送给 3 人<');
  await tables.press(await formFor('start'));
  expect(tables.states).toEqual(['running', 'draft']);
  // Nothing is asked of what cannot be started.
  expect(await ask('start')).not.toContain('value="start"');
});

test.each([
  ['', 'running', null],
  ['2026-12-01T18:30', 'running', '2026-12-01T10:30:00.000Z'],
  ['2026-12-01T09:59', 'draft', null],
  ['soon', 'draft', null],
])('a start at %j in Shanghai is %s', async (at, state, until) => {
  tables.add(3);
  tables.set({ served_at: null });
  const form = { ...(await formFor('start')), at, zone: 'Asia/Shanghai' };
  const { [NOT_DONE]: said } = await tables.press(form);
  expect(tables.campaign).toMatchObject({ state });
  const set = tables.campaign.until;
  expect(set ? new Date(String(set)).toISOString() : null).toBe(until);
  const isLate = String(said?.[0]?.page).includes('the time to start at is over');
  expect(isLate).toBe(state === 'draft');
  if (!until) return;
  const waits = await tables.page();
  expect(readPage(waits).mark).toBe('waits until 18:30');
  expect(formOf(waits, 'resume')).toBeUndefined();
  // It keeps its time.
  await tables.press(fieldsOf(waits, 'pause'));
  expect(tables.campaign).toMatchObject({ state: 'paused' });
  await tables.press(fieldsOf(await tables.page(), 'resume'));
  expect(await tables.sends(9, 'accepted')).toEqual([]);
  tables.now = NOW.plus({ hours: 9 });
  expect(await tables.sends(9, 'accepted')).toHaveLength(3);
});

const UNKNOWN = {
  ...{ status: 'unknown', reason: 'HTTP 500', portion: '7', sent_at: NOW.toISO() },
  changed: ago(5),
};

/** What may happen behind a page. */
const MEANWHILE: Record<string, (form: Fields) => unknown> = {
  'pressed before': (form) => tables.press(form),
  'a day old': () => (tables.now = NOW.plus({ hours: 24, seconds: 1 })),
  'of a list before': () => tables.load([{ phone: '13900000001' }], { campaign: 'Spring 5' }),
  'of fewer': () => tables.add(1, UNKNOWN),
};
const WRONG = [
  ...[{ campaign: '6' }, { campaign: 'x' }, { campaign: '5 ' }, { token: 'forged' }],
  ...[{ action: 'toString' }, 'pressed before', 'a day old'],
];
const LOADED = [{ loaded: '' }, { loaded: 'yesterday' }, 'of a list before'];
// A page that is older tells of fewer, too.
const TOLD = [{ rows: '0' }, { rows: 'all' }, { rows: '' }, { changed: '' }, { changed: ago(6) }];
const FORMS = { start: LOADED, discard: LOADED, pause: [], resend: [...TOLD, 'of fewer'] };

test.each(
  Object.entries(FORMS).flatMap(([action, own]) =>
    [...WRONG, ...own].map((change) => ({ action, change })),
  ),
)('a form to $action that is $change does nothing', async ({ action, change }) => {
  tables.add(3, action === 'resend' ? UNKNOWN : {});
  tables.set({ state: { pause: 'running', resend: 'done' }[action] ?? 'draft' });
  const form = await formFor(action);
  await tables.page({ campaign: '6' });
  if (typeof change === 'string') await MEANWHILE[change]?.(form);
  const before = [tables.states, tables.statuses];
  const pressed = await tables.press({ ...form, ...(typeof change === 'object' && change) });
  expect(String(pressed[NOT_DONE]?.[0]?.page)).toContain('This click did nothing');
  expect([tables.states, tables.statuses]).toEqual(before);
});

test.each([
  ['draft', 'start → running, discard → gone, again → draft, resend → draft'],
  ['incomplete', 'discard → gone, again → incomplete, resend → incomplete'],
  [
    'running',
    'pause → paused, resume → running, stop → stopped, again → running, resend → running',
  ],
  ['paused', 'resume → running, stop → stopped, again → paused, resend → paused'],
  ['stopped', ''],
  ['done', 'resume → running, again → running, resend → running'],
])('from %s, a button leads so: %s', async (state, leads) => {
  const actions = ['start', 'pause', 'resume', 'stop', 'discard', 'again', 'resend'];
  const found = await inTurn(actions, async (action) => {
    tables = new Tables();
    for (const status of ['pending', 'refused', 'unknown']) tables.add(2, { status });
    const { token = '' } = fieldsOf(await tables.page(), 'test');
    tables.set({ state });
    const fields = { campaign: '5', loaded: NOW.toISO(), token, action };
    const pressed = await tables.press({ ...fields, rows: '9', changed: NOW.toISO() });
    const to = tables.states.length > 1 ? String(tables.campaign.state) : 'gone';
    return NOT_DONE in pressed ? [] : [`${action} → ${to}`];
  });
  expect(found.flat().join(', ')).toBe(leads);
});

test('the page says which buttons were pressed, and with which login', async () => {
  tables.add(3);
  const pressed = async (action: string, login: string, query?: Fields) => {
    const body = fieldsOf(await tables.page(query), action);
    const authorization = `Basic ${Buffer.from(`${login}:se:cret`).toString('base64')}`;
    // The second does nothing.
    for (const headers of [{ authorization }, { authorization }]) await tables.press(body, headers);
  };
  expect(await tables.page()).not.toContain('Buttons pressed');
  await pressed('start', '李雷 <b>', { ask: 'start' });
  for (let count = 0; count < 11; count += 1) {
    await pressed('pause', 'desk');
    await pressed('resume', 'desk');
  }
  await pressed('stop', 'desk\n');
  const kept = String(tables.campaign.presses).split('\n');
  const actions = kept.map((line) => (JSON.parse(line) as unknown[])[1]);
  expect(actions.slice(0, 3)).toEqual(['stop', 'resume', 'pause']);
  expect(kept).toHaveLength(20);
  expect(JSON.stringify(tables.tables['sms.campaigns'])).not.toContain('cret');
  expect(await tables.page()).toMatch(/Buttons pressed[^]*10:00<\/td><td>Stop<\/td><td><bdi>desk/);
  expect(await tables.page({ lang: 'zh' })).toMatch(/操作记录[^]*停止/);
});

describe('Send the unknown again', () => {
  const warning = () => ask('unknown');

  test('the page says what is known of them, and warns with their number before it can be done', async () => {
    tables.set({ state: 'done' });
    tables.add(40, UNKNOWN);
    // The service has named a batch for these: it has taken them.
    tables.add(2, { ...UNKNOWN, reason: '', batch_id: BATCH });
    tables.add(3, { ...UNKNOWN, status: 'delivered' });
    const page = await tables.page();
    expect(page).toContain('HTTP 500');
    expect(page).toContain('Send the unknown again (40)');
    expect(formOf(page, 'resend')).toBeUndefined();
    expect(await warning()).toContain('Up to 40 people get them a second time');
    const form = await formFor('resend');
    expect(form.rows).toBe('40');
    expect(Date.parse(String(form.changed))).toBe(Date.parse(UNKNOWN.changed));
    expect(await tables.page({ ask: 'unknown', lang: 'zh' })).toContain('最多有 40 人会再次收到');
    await tables.press(form);
    expect(formOf(await warning(), 'resend')).toBeUndefined();
    expect(tables.statuses.filter((each) => each === 'pending')).toHaveLength(40);
  });

  test.each([undefined, 'lost'] as const)(
    'a crash, %s, leaves one portion unknown, after ten minutes and as of then',
    async (how) => {
      tables.add(3);
      tables.set({ state: 'running' });
      await tables.sends(2, how);
      expect(tables.statuses).toEqual(['sending', 'sending', 'pending']);
      const away = {
        cause_code: 'outbox_away',
        cause_values: '{"reason" : "The workflow failed"}',
      };
      expect(tables.campaign).toMatchObject(how ? { tries: 1, ...away } : {});
      tables.now = NOW.plus({ minutes: 10 });
      await tables.sends(2, 'accepted');
      expect(formOf(await warning(), 'resend')).toBeUndefined();
      tables.now = NOW.plus({ minutes: 11 });
      await tables.sends(2, 'accepted');
      expect(tables.recipients[0]).toMatchObject({ reason_code: 'interrupted' });
      const form = await formFor('resend');
      expect(form.rows).toBe('2');
      expect(Date.parse(String(form.changed))).toBe(tables.now.toMillis());
    },
  );

  test('nor does the button for what was not sent take those with a batch', async () => {
    tables.set({ state: 'done' });
    for (const status of ['refused', 'rejected']) tables.add(1, { ...UNKNOWN, status });
    tables.add(1, { ...UNKNOWN, status: 'refused', batch_id: BATCH });
    expect(await tables.page()).toContain('Send again what was not sent (2)');
    await tables.press(fieldsOf(await tables.page(), 'again'));
    expect(tables.statuses).toEqual(['pending', 'pending', 'refused']);
  });

  test('what the outbox knows as accepted is settled, and what it may still send stays unknown', async () => {
    const lives: [message: object, press: string, becomes: string][] = [
      [{ status: 'unknown' }, '', 'pending'],
      // A range that reaches over a row that is still going would send it twice.
      [{ status: 'waiting' }, '', 'unknown'],
      [{ status: 'claimed', sent_at: ago(11) }, '', 'pending'],
      [{ status: 'rejected' }, '', 'pending'],
      [{ status: 'accepted', batch_id: 'b5' }, '', 'accepted'],
      [{ status: 'accepted', batch_id: 'b6' }, '|an earlier press', 'accepted'],
      [{ status: 'claimed', sent_at: ago(9) }, '', 'unknown'],
    ];
    tables.set({ state: 'done' });
    tables.add(7, UNKNOWN);
    const messages: Row[] = tables.recipients.map(({ phone_number }, index) => ({
      ...{ phone_number, key: `Spring 5|${String(phone_number)}${lives[index]?.[1]}` },
      ...{ phone_data: `sms_recipients:${index + 1}`, batch_id: '', sent_at: NOW.toISO() },
      ...lives[index]?.[0],
    }));
    // Another campaign, whose name begins like this one.
    const other = { phone_number: '13800000001', key: 'Spring 5|x|13800000001' };
    tables.tables['sms.outbox'] = [...messages, { ...other, status: 'accepted' }];
    await tables.press(await formFor('resend'));
    const found = tables.recipients.map(({ status, batch_id, press }) => [
      ...[status, batch_id || '', Boolean(press)],
    ]);
    const batches = ['', '', '', '', 'b5', 'b6', ''];
    const expected = lives.map(([, , status], at) => [status, batches[at], status === 'pending']);
    expect(found).toEqual(expected);
  });

  const round = fc.record({
    minutes: fc.constantFrom(2, 6, 11),
    answers: fc.array(
      fc.constantFrom<Answer | undefined>(
        ...(['accepted', 'unknown', 'unknown', 'rejected', 'lost', 'lost', 'late'] as const),
        undefined,
      ),
      { minLength: 1, maxLength: 2 },
    ),
    again: fc.boolean(),
    reported: fc.nat(9),
    page: fc.constantFrom(1, 1, 1, 2),
    // The same form once more does nothing.
    twice: fc.boolean(),
  });

  test('whatever happens, a number gets one message, and one more for each press that told of it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(round, { minLength: 5, maxLength: 10, size: 'max' }),
        async (rounds) => {
          tables = new Tables();
          tables.add(6);
          const pages: Fields[] = [];
          const allowed = new Map(tables.recipients.map(({ phone_number }) => [phone_number, 1]));
          const sent = new Map<unknown, number>();
          for (const { minutes, answers, again, reported, page, twice } of rounds) {
            tables.now = tables.now.plus({ minutes });
            for (const answer of answers) {
              // It does not pause, nor is it done.
              tables.set({ state: 'running', until: null });
              for (const phone of await tables.sends(3, answer)) {
                const row = tables.recipients.find(({ phone_number }) => phone_number === phone);
                expect(row?.status).not.toBe('delivered');
                sent.set(phone, (sent.get(phone) ?? 0) + 1);
                expect(sent.get(phone)).toBeLessThanOrEqual(allowed.get(phone) ?? 0);
              }
              // Nothing happens in the same moment.
              tables.now = tables.now.plus({ milliseconds: 1 });
            }
            pages.push(formOf(await warning(), 'resend') ?? {});
            if (again) await tables.press(formOf(await tables.page(), 'again') ?? {});
            const row = tables.recipients[reported];
            if (row && sent.has(row.phone_number)) await tables.report(row);
            const fields = pages.at(-page) ?? {};
            const before = tables.recipients.map((each) => ({ ...each }));
            const said = await tables.press(fields);
            const pending = before.filter(
              ({ status }, at) => status !== 'pending' && tables.statuses[at] === 'pending',
            );
            if (NOT_DONE in said) expect(pending).toEqual([]);
            if (twice) expect(await tables.press(fields)).toHaveProperty([NOT_DONE]);
            expect(pending.length).toBeLessThanOrEqual(Number(fields.rows ?? 0));
            for (const { status, phone_number: phone } of pending) {
              expect(status).toBe('unknown');
              const own = tables.tables['sms.outbox']?.filter((m) => m.phone_number === phone);
              expect(own?.filter((m) => m.status === 'accepted')).toEqual([]);
              allowed.set(phone, (allowed.get(phone) ?? 0) + 1);
            }
          }
        },
      ),
      settings(25),
    );
  });
});
