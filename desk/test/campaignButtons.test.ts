/** What the buttons of a campaign do: what their page has shown, once, and no more. */
import fc from 'fast-check';
import { DateTime } from 'luxon';

import { STATES } from '../src/common/messages/states';
import { settings } from '../../test/kit/search/settings';
import { fieldsOf as settingsOf } from '../../test/kit/workflows/expression';
import { database } from './database';
import { runDesk, type Nodes, type Row as DeskRow, type World } from './workflow';

const NOW = DateTime.fromISO('2026-12-01T10:00:00', { zone: 'Asia/Shanghai' }) as DateTime<true>;

type Fields = Record<string, string>;

interface Row extends DeskRow {
  id: number;
  phone_number: string;
}

/** What the service says of messages. `late` and `lost` are crashes, as is none. */
type Answer = 'accepted' | 'unknown' | 'rejected' | 'late' | 'lost';

/** The tables of the campaigns. A page is opened and its buttons are pressed, as n8n does it. */
class Tables {
  now = NOW;
  campaigns: DeskRow[] = [5, 6].map((id) => ({
    ...{ id, campaign: `Spring ${id}`, state: 'draft', content: 'Hello', template_id: '302' },
    ...{ signature: '' },
    ...{ portion_size: 100, keep_balance: 0, ticked_at: NOW.toISO(), loaded_at: NOW.toISO() },
  }));
  recipients: Row[] = [];
  tokens: DeskRow[] = [];
  reports: DeskRow[] = [];
  /** Those of the outbox. */
  messages: DeskRow[] = [];
  private runs = 0;

  /** Changes the campaign. */
  set(values: object): void {
    Object.assign(this.campaigns[0] ?? {}, values);
  }

  add(rows: number, values: object = {}): void {
    for (let count = 0; count < rows; count += 1) {
      const id = this.recipients.length + 1;
      this.recipients.push({
        ...{ id, campaign: 'Spring 5', phone_number: `138${String(id).padStart(8, '0')}` },
        ...{ status: 'pending', parameters: '{}', portion: '1', batch_id: '', reason: '' },
        ...{ changed: NOW.minus({ hours: 1 }).toISO(), sent_at: null, ...values },
        updatedAt: this.now.toISO(),
      });
    }
  }

  /** Runs a workflow over the tables. */
  run(workflow: string, start: string, input: object, more: Partial<World> = {}): Nodes {
    const tables = this.all();
    const world = { tables, now: this.now, execution: String((this.runs += 1)), ...more };
    jest.setSystemTime(this.now.toMillis());
    try {
      return runDesk(workflow, start, { ...input }, world);
    } catch (error) {
      // What was done before a crash is done.
      database().read(tables, this.now.zone);
      throw error;
    }
  }

  private all(): Record<string, DeskRow[]> {
    return {
      ...{ 'sms.campaigns': this.campaigns, 'sms.recipients': this.recipients },
      ...{ 'sms.tokens': this.tokens, 'sms.inbox': this.reports },
      'sms.outbox': this.messages,
      'sms.service': [
        { what: 'balance', balance: 9_000, asked: this.now.toISO(), answered: NOW.toISO() },
      ],
      // A number may have any number of them.
      'sms.rules': [{ id: 1, class: 'marketing', per_hour: 0, per_day: 0 }],
    };
  }

  /** The page of a campaign. */
  page(campaign = 5, query: Fields = {}): string {
    const asks = { query: { campaign: String(campaign), lang: 'en', ...query } };
    const { 'Show the page': page } = this.run('campaign-page', 'Page is opened', asks);
    return String(page?.[0]?.page);
  }

  /** How many rows have each status, as the page says it. */
  told(): Fields {
    const lines = this.page().matchAll(/<\/i>([^<]*)<\/td><td class="number">(\d+)/g);
    return Object.fromEntries([...lines].map(([, text = '', rows = '']) => [text, rows]));
  }

  /** People, and how many were sent to, as the list says it of the campaign. */
  listed(): string[] {
    const { List: list } = this.run('campaign-page', 'Page is opened', { query: {} });
    const line =
      /<td[^>]*><a href="[^"]*campaign=5".*?<\/tr>/s.exec(String(list?.[0]?.page))?.[0] ?? '';
    return [...line.matchAll(/data-label="(?:People|Sent)"[^>]*>([^<]*)</g)].map(
      ([, text = '']) => text,
    );
  }

  /** The same, counted. */
  counted(): Fields {
    const count = (status: string) => this.recipients.filter((row) => row.status === status).length;
    const all = Object.entries(STATES).map(([status, { text }]) => [text, String(count(status))]);
    return Object.fromEntries(all.filter(([text, rows]) => rows !== '0' && text !== 'Sent before'));
  }

  /** What the nodes behind a button put out for the fields of its form. */
  press(body: Fields): Nodes {
    return this.run('campaign-buttons', 'Button is pressed', { body });
  }

  /** Sends unknown rows again. Gives back how many, or why none. */
  resend(body: Fields): number | string {
    const before = this.recipients.map(({ status }) => status);
    const done = this.press(body);
    if (done['Say that nothing was done']) return String(done['What was done']?.[0]?.page);
    return this.recipients.filter(
      ({ status }, index) => status === 'pending' && before[index] === 'unknown',
    ).length;
  }

  /**
   * Gives up what was under way, and sends a portion of at most so many rows. `answer` is what the service says of a
   * message that the outbox lets through. Without one, all crash while it sends; `late`, when the outbox has written down
   * what it sent; and `lost` is an outbox that has sent, and failed then. Gives back the numbers that were sent to.
   */
  send(portion_size: number, answer?: Answer): string[] {
    const sent: string[] = [];
    const service = (asked: DeskRow[]) => {
      if (answer !== 'rejected') sent.push(...asked.map((each) => String(each.phone_number)));
      if (!answer || answer === 'lost') throw new Error('A crash');
      const status = answer === 'late' ? 'accepted' : answer;
      return asked.map(() => ({ status, msg: 'HTTP 500', batch_id: '' }));
    };
    const outbox = (start: DeskRow[]) => {
      try {
        const given = { 'Send by template': service };
        const { Results: results = [] } = this.run('outbox', 'Messages', {}, { start, given });
        if (answer === 'late') throw new Error('A crash');
        return results;
      } catch (error) {
        if (answer === 'lost') return [{ error: 'The workflow failed' }];
        throw error;
      }
    };
    const given = {
      Settings: [{ ...settingsOf('campaign', 'Settings', {}), portion_size }],
      ...{ 'Read the balance': [{ balance: 9_000 }], 'Send through the outbox': outbox },
    };
    try {
      this.run('outbox', 'Every minute', {});
      this.run('campaign', 'Every 10 seconds', {}, { given });
    } catch (error) {
      if (!(error instanceof Error && error.message === 'A crash')) throw error;
    }
    return sent;
  }

  /** The report of a row that was sent, as it settles the row. */
  report({ id, phone_number }: Row): void {
    this.run('inbox', 'New reports and replies', {
      ...{ event: 'deliveryReport', phone_data: `sms_recipients:${id}`, phone_number },
      ...{ batch_id: '1795367102807000001', status: 'DELIVRD' },
      ...{ page_id: `p${this.runs}`, time_iso: this.now.toISO() },
    });
  }

  /** Loads a list into the campaign. */
  load(rows: number): void {
    this.now = this.now.plus({ seconds: 1 });
    const phones = Array.from({ length: rows }, (_, index) => `1390000${String(index + 1000)}`);
    const body = { campaign: 'Spring 5', recipients: phones.map((phone) => ({ phone })) };
    this.run('campaign-load', 'Recipients arrive', { body });
  }
}

/** The fields of the form with a button, as a browser sends them. Undefined: there is no such button. */
function formOf(html: string, action: string): Fields | undefined {
  const form = [...html.matchAll(/<form.*?<\/form>/gs)]
    .map(([text]) => text)
    .find((text) => text.includes(`name="action" value="${action}"`));
  if (form === undefined) return undefined;
  const inputs = form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  return Object.fromEntries(
    [...inputs].map(([, name, value]) => [name, value]).concat([['action', action]]),
  );
}

function fieldsOf(html: string, action: string): Fields {
  const fields = formOf(html, action);
  if (!fields) throw new Error(`There is no button "${action}".`);
  return fields;
}

let tables: Tables;

beforeEach(() => {
  jest.useFakeTimers({ now: NOW.toMillis() });
  tables = new Tables();
});
afterEach(() => jest.useRealTimers());

describe('Start', () => {
  const ASK = { ask: 'start' };
  const NOTHING = { 'Do it': [{ did: 'outdated' }], 'Say that nothing was done': [{}] };
  /** The states of the campaigns after a press. */
  const states = (fields: Fields) => {
    tables.press(fields);
    return tables.campaigns.map(({ state }) => state);
  };
  beforeEach(() => tables.add(3));

  test('starts the campaign of its page, once', () => {
    const start = fieldsOf(tables.page(5, ASK), 'start');
    expect(states(start)).toEqual(['running', 'draft']);
    expect(tables.press(start)).toMatchObject(NOTHING);
  });

  test('is asked for: to how many, at what cost, with what, and until when', () => {
    for (const row of tables.recipients) row.segments = 2;
    tables.set({ template: 'Shipped', file: '<b>.xlsx' });
    const draft = tables.page();
    expect(draft).not.toContain('name="action" value="start"');
    expect(draft).toContain('name="ask" value="start"');
    const asks = tables.page(5, ASK);
    for (const text of ['Start “Spring 5”?', '>Send to 3 people<', 'Shipped', '&lt;b&gt;.xlsx'])
      expect(asks).toContain(text);
    const values = [...asks.matchAll(/<dd class="value ">([^<]*)</g)].map(([, value]) => value);
    expect(values.slice(0, 4)).toEqual(['3', '6', '8,994', expect.stringMatching(/^\d\d:\d\d$/)]);
    expect(tables.page(5, { ...ASK, lang: 'zh' })).toContain('>发送给 3 人<');
    // Nothing is asked of what cannot be started.
    tables.press(fieldsOf(asks, 'start'));
    expect(tables.page(5, ASK)).not.toContain('value="start"');
  });

  test.each([
    ['', 'running', null],
    ['2026-12-01T18:30', 'running', '2026-12-01T10:30:00.000Z'],
    ['2026-12-01T09:59', 'draft', null],
    ['soon', 'draft', null],
  ])('at %j in Shanghai is %s', (at, state, until) => {
    const start = { ...fieldsOf(tables.page(5, ASK), 'start'), at, zone: 'Asia/Shanghai' };
    const { 'Say that nothing was done': said } = tables.press(start);
    expect(tables.campaigns[0]).toMatchObject({ state });
    const set = tables.campaigns[0]?.until;
    expect(set ? new Date(String(set)).toISOString() : null).toBe(until);
    expect(String(said?.[0]?.page).includes('the time to start at is over')).toBe(
      state === 'draft',
    );
    if (!until) return;
    tables.set({ ticked_at: NOW.toISO() });
    const page = tables.page();
    expect(page).toContain('<span class="mark yellow">waits until ');
    expect(tables.send(9, 'accepted')).toEqual([]);
    tables.now = NOW.plus({ hours: 9 });
    expect(tables.send(9, 'accepted')).toHaveLength(3);
  });

  test('does nothing if a list was loaded since its page', () => {
    const start = fieldsOf(tables.page(5, ASK), 'start');
    tables.load(50);
    expect(states(start)).toEqual(['draft', 'draft']);
    expect(states(fieldsOf(tables.page(5, ASK), 'start'))).toEqual(['running', 'draft']);
  });

  test.each<Fields>([
    ...[{ loaded: '' }, { loaded: 'yesterday' }, { action: 'toString' }],
    ...[{ campaign: '6' }, { campaign: 'x' }, { campaign: '5 ' }, { token: 'forged' }],
  ])('a form with %j does nothing', (change) => {
    const start = fieldsOf(tables.page(5, ASK), 'start');
    tables.page(6);
    expect(tables.press({ ...start, ...change })).toMatchObject(NOTHING);
  });

  test('is possible from a draft only, and nothing leads on from a stop', () => {
    const changes = ['start', 'pause', 'resume', 'stop', 'discard'].flatMap((action) =>
      ['draft', 'incomplete', 'running', 'paused', 'stopped', 'done'].flatMap((state) => {
        tables = new Tables();
        tables.add(1);
        const { token = '' } = fieldsOf(tables.page(), 'test');
        tables.set({ state });
        const fields = { ...{ campaign: '5', loaded: NOW.toISO(), token }, action };
        const [said] = tables.press(fields)['Do it'] ?? [];
        const to = tables.campaigns.find(({ id }) => id === 5)?.state ?? 'gone';
        return said?.did === 'outdated' ? [] : `${action}: ${state} → ${String(to)}`;
      }),
    );
    expect(changes).toEqual([
      'start: draft → running',
      'pause: running → paused',
      'resume: running → running',
      'resume: paused → running',
      'resume: done → running',
      'stop: running → stopped',
      'stop: paused → stopped',
      'discard: draft → gone',
      'discard: incomplete → gone',
    ]);
  });
});

test('the page says which buttons were pressed, and with which login', () => {
  tables.add(3);
  const pressed = (action: string, login: string, query?: Fields) => {
    const body = fieldsOf(tables.page(5, query), action);
    const authorization = `Basic ${Buffer.from(`${login}:se:cret`).toString('base64')}`;
    const press = () =>
      tables.run('campaign-buttons', 'Button is pressed', { body, headers: { authorization } });
    press();
    // The second does nothing.
    press();
  };
  expect(tables.page()).not.toContain('Buttons pressed');
  pressed('start', '李雷 <b>', { ask: 'start' });
  for (let count = 0; count < 11; count += 1) {
    pressed('pause', 'desk');
    pressed('resume', 'desk');
  }
  pressed('stop', 'desk\n');
  const kept = String(tables.campaigns[0]?.presses).split('\n');
  expect(kept.map((line) => (JSON.parse(line) as unknown[])[1]).slice(0, 3)).toEqual([
    ...['stop', 'resume', 'pause'],
  ]);
  expect(kept).toHaveLength(20);
  expect(JSON.stringify(tables.campaigns)).not.toContain('cret');
  const page = tables.page();
  expect(page).toMatch(/Buttons pressed[^]*10:00<\/td><td>Stop<\/td><td><bdi>desk/);
  expect(tables.page(5, { lang: 'zh' })).toMatch(/操作记录[^]*停止/);
});

test('what sends stands apart from what does not, and from the message to oneself', () => {
  const kindOf = (button: string) => {
    if (/"(pause|stop|discard)"/.test(button)) return 'sends nothing';
    return button.includes('"test"') ? 'sends one' : 'sends';
  };
  const seen = new Set<string>();
  const rows = ['pending', 'refused', 'unknown'];
  for (const state of ['draft', 'incomplete', 'running', 'paused', 'stopped', 'done']) {
    for (const until of [null, NOW.plus({ hours: 1 }).toISO()]) {
      tables = new Tables();
      for (const status of rows) tables.add(2, { status });
      tables.set({ state, until });
      for (const group of tables.page().split(/<section|<\/section>|<div class="bar">/)) {
        const buttons = group.match(
          /name="ask" value="start"|name="action" value="\w+"|ask=unknown/g,
        );
        const kinds = new Set(buttons?.map(kindOf));
        expect([...kinds].join(' and ')).not.toContain(' and ');
        for (const kind of kinds) seen.add(kind);
      }
    }
  }
  expect([...seen].sort()).toEqual(['sends', 'sends nothing', 'sends one']);
});

describe('Send the unknown again', () => {
  const unknown = {
    ...{ status: 'unknown', reason: 'HTTP 500', portion: '7', sent_at: NOW.toISO() },
    changed: NOW.minus({ minutes: 5 }).toISO(),
  };
  const warning = () => tables.page(5, { ask: 'unknown', changed: '' });
  const told = () => fieldsOf(warning(), 'resend');

  beforeEach(() => tables.set({ state: 'done' }));

  test('the page says what is known of them, and warns with their number before it can be done', () => {
    tables.add(40, unknown);
    tables.add(2, { ...unknown, reason: '', batch_id: '1795367102807000001' });
    tables.add(3, { ...unknown, status: 'delivered' });
    const page = tables.page();
    expect(page).toContain('HTTP 500');
    expect(page).toContain('Send the unknown again (40)');
    expect(formOf(page, 'resend')).toBeUndefined();
    expect(warning()).toContain('Up to 40 people get them a second time');
    expect(told().rows).toBe('40');
    expect(Date.parse(String(told().changed))).toBe(Date.parse(unknown.changed));
    expect(tables.page(5, { ask: 'unknown', lang: 'zh' })).toContain('最多有 40 人会再次收到');
  });

  test('those that the service has named a batch for are not sent again, nor those of a stopped campaign', () => {
    tables.add(2, { ...unknown, batch_id: '1795367102807000001' });
    expect(formOf(warning(), 'resend')).toBeUndefined();
    tables.add(3, unknown);
    const fields = told();
    expect(fields.rows).toBe('3');
    tables.set({ state: 'stopped' });
    expect(formOf(warning(), 'resend')).toBeUndefined();
    expect(tables.resend(fields)).toContain('This click did nothing');
  });

  test('a crash leaves one portion unknown, after ten minutes and as of then', () => {
    tables.add(3);
    tables.set({ state: 'running' });
    tables.send(2);
    tables.now = NOW.plus({ minutes: 10 });
    tables.send(2, 'accepted');
    expect(formOf(warning(), 'resend')).toBeUndefined();
    tables.now = NOW.plus({ minutes: 11 });
    tables.send(2, 'accepted');
    expect(told().rows).toBe('2');
    expect(Date.parse(String(told().changed))).toBe(tables.now.toMillis());
  });

  test('nor does the button for what was not sent take those with a batch', () => {
    tables.add(1, { ...unknown, status: 'refused' });
    tables.add(1, { ...unknown, status: 'rejected' });
    tables.add(1, { ...unknown, status: 'refused', batch_id: '1795367102807000001' });
    tables.press(fieldsOf(tables.page(), 'again'));
    expect(tables.recipients.map(({ status }) => status)).toEqual([
      'pending',
      'pending',
      'refused',
    ]);
  });

  test('what became unknown since the page was opened waits for a page that tells of it', () => {
    tables.add(3, unknown);
    const fields = told();
    tables.now = NOW.plus({ seconds: 2 });
    tables.add(50, { ...unknown, changed: NOW.plus({ seconds: 1 }).toISO() });
    expect(tables.resend(fields)).toBe(3);
    expect(told()).toMatchObject({ rows: '50' });
    // Written late, with the time of another one.
    const late = told();
    tables.add(1, { ...unknown, changed: late.changed });
    expect(tables.resend(late)).toContain('no longer those that the page told of');
  });

  test('what the outbox knows as accepted is settled, and what it may still send stays unknown', () => {
    tables.add(7, unknown);
    const message = (row: number, values: object, press = '') =>
      tables.messages.push({
        phone_number: tables.recipients[row - 1]?.phone_number,
        key: `Spring 5|${String(tables.recipients[row - 1]?.phone_number)}${press}`,
        ...{ phone_data: `sms_recipients:${row}`, batch_id: '', sent_at: NOW.toISO(), ...values },
      });
    message(1, { status: 'unknown' });
    // A range that reaches over a row that is still going would send it twice.
    message(2, { status: 'waiting' });
    message(3, { status: 'claimed', sent_at: NOW.minus({ minutes: 11 }).toISO() });
    message(4, { status: 'rejected' });
    message(5, { status: 'accepted', batch_id: '1795367102807000001' });
    message(6, { status: 'accepted', batch_id: '1795367102807000002' }, '|an earlier press');
    message(7, { status: 'claimed', sent_at: NOW.minus({ minutes: 9 }).toISO() });
    // Another campaign, whose name begins like this one.
    const other = { phone_number: '13800000001', key: 'Spring 5|x|13800000001' };
    tables.messages.push({ ...other, status: 'accepted' });
    expect(tables.resend(told())).toBe(3);
    const statuses = tables.recipients.map(({ status }) => status);
    const [again, settled, open] = ['pending', 'accepted', 'unknown'];
    expect(statuses).toEqual([again, open, again, again, settled, settled, open]);
    const batches = tables.recipients.map(({ batch_id }) => String(batch_id).slice(-1));
    expect(batches).toEqual(['', '', '', '', '1', '2', '']);
    expect(tables.recipients.flatMap(({ id, press }) => (press ? id : []))).toEqual([1, 3, 4]);
  });

  test.each<Fields>([
    ...[{ rows: '0' }, { rows: 'all' }, { rows: '' }, { changed: '' }, { changed: 'now' }],
  ])('a form with %j does nothing', (change) => {
    tables.add(3, unknown);
    expect(tables.resend({ ...told(), ...change })).toContain('This click did nothing');
  });

  const round = fc.record({
    minutes: fc.constantFrom(2, 6, 11),
    answers: fc.array(
      fc.constantFrom(
        ...(['accepted', 'unknown', 'unknown', 'rejected', 'lost', 'lost'] as const),
        ...(['late', undefined] as const),
      ),
      { minLength: 1, maxLength: 2 },
    ),
    again: fc.boolean(),
    reported: fc.nat(9),
    page: fc.constantFrom(1, 1, 1, 2),
    // The same form once more does nothing.
    twice: fc.boolean(),
  });

  test('whatever happens, a number gets one message, and one more for each press that told of it', () => {
    fc.assert(
      fc.property(fc.array(round, { minLength: 5, maxLength: 10, size: 'max' }), (rounds) => {
        tables = new Tables();
        tables.add(6);
        const pages: Fields[] = [];
        const allowed = new Map(tables.recipients.map(({ phone_number }) => [phone_number, 1]));
        const sent = new Map<string, number>();
        for (const { minutes, answers, again, reported, page, twice } of rounds) {
          tables.now = tables.now.plus({ minutes });
          for (const answer of answers) {
            // It does not pause, nor is it done.
            tables.set({ state: 'running', until: null });
            for (const phone of tables.send(3, answer)) {
              const row = tables.recipients.find(({ phone_number }) => phone_number === phone);
              expect(row?.status).not.toBe('delivered');
              sent.set(phone, (sent.get(phone) ?? 0) + 1);
              expect(sent.get(phone)).toBeLessThanOrEqual(allowed.get(phone) ?? 0);
            }
            // Nothing happens in the same moment.
            tables.now = tables.now.plus({ milliseconds: 1 });
          }
          pages.push(formOf(warning(), 'resend') ?? {});
          if (again) tables.press(formOf(tables.page(), 'again') ?? {});
          const row = tables.recipients[reported];
          if (row && sent.has(row.phone_number)) tables.report(row);
          const fields = pages.at(-page) ?? {};
          const before = tables.recipients.map((each) => ({ ...each }));
          const made = tables.resend(fields);
          const pending = before.filter(
            ({ id, status }) =>
              status !== 'pending' && tables.recipients[id - 1]?.status === 'pending',
          );
          expect(pending).toHaveLength(typeof made === 'number' ? made : 0);
          if (twice) expect(tables.resend(fields)).toContain('This click did nothing');
          expect(tables.told()).toEqual(tables.counted());
          const counted = tables.counted();
          // The list says what its page has counted.
          const wasSent = ['Delivered', 'Not delivered', 'Accepted, no report yet'];
          expect(tables.listed()).toEqual([
            String(tables.recipients.filter(({ status }) => status !== 'duplicate').length),
            String(wasSent.reduce((sum, name) => sum + Number(counted[name] ?? 0), 0)),
          ]);
          expect(pending.length).toBeLessThanOrEqual(Number(fields.rows ?? 0));
          for (const { status, phone_number } of pending) {
            expect(status).toBe('unknown');
            const own = tables.messages.filter((m) => String(m.key).includes(phone_number));
            expect(own.filter((m) => m.status === 'accepted')).toEqual([]);
            allowed.set(phone_number, (allowed.get(phone_number) ?? 0) + 1);
          }
        }
      }),
      settings(25),
    );
  });
});
