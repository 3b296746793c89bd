/** What the buttons of a campaign do: what their page has shown, once, and no more. */
import { DateTime } from 'luxon';

import whatToDo from '../../desk/code/campaign-buttons/What to do';
import campaignPage from '../../desk/code/campaign-page/Page';
import whatIsAsked from '../../desk/code/campaign-page/What is asked';
import { readDesk } from '../e2e/lib/workflowFiles';
import { foundBy, writtenBy } from './dataTable';
import { items, runCode } from './node';

const NOW = DateTime.fromISO('2026-12-01T10:00:00', { zone: 'Asia/Shanghai' }) as DateTime<true>;

type Fields = Record<string, string>;

interface Row {
  id: number;
  campaign: string;
  status: string;
}

/** The tables of the campaigns. A page is opened and its buttons are pressed, as n8n does it. */
class Tables {
  campaigns: Record<string, unknown>[] = [5, 6].map((id) => ({
    ...{ id, campaign: `Spring ${id}`, state: 'draft', content: 'Hello', template_id: '302' },
    ...{ portion_size: 100, keep_balance: 0, ticked_at: NOW.toISO(), loaded_at: NOW.toISO() },
  }));
  recipients: Row[] = [];
  tokens: Record<string, unknown>[] = [];

  add(rows: number, values: object = {}): void {
    for (let count = 0; count < rows; count += 1) {
      const id = this.recipients.length + 1;
      this.recipients.push({
        ...{ id, campaign: 'Spring 5', phone_number: `138${String(id).padStart(8, '0')}` },
        ...{ status: 'pending', parameters: '{}', portion: '1', batch_id: '', reason: '' },
        ...{ changed: NOW.minus({ hours: 1 }).toISO(), sent_at: null, ...values },
      });
    }
  }

  /** The page of a campaign. */
  page(campaign = 5, query: Fields = {}): string {
    const asks = { query: { campaign: String(campaign), lang: 'en', ...query } };
    const request = {
      'Page is opened': items(asks),
      Campaigns: items(...this.campaigns),
    };
    const asked = runCode(whatIsAsked, [], { nodes: request, $now: NOW }).map(({ json }) => json);
    const sight = { nodes: { 'What is asked': asked }, $now: NOW };
    const token = `token ${this.tokens.length}`;
    const name = `Spring ${campaign}`;
    const isDraft = asked[0]?.campaign?.state === 'draft';
    const nodes = {
      ...request,
      'What is asked': items(...asked),
      Recipients: items(...this.recipients.filter((row) => row.campaign === name)),
      ...{ Rules: [], Balance: items({ balance: 9_000 }), 'Store the token': items({ token }) },
      ...(isDraft && {
        ...{ 'Opt-outs': [], 'Three samples': [] },
        'Lists being loaded': items(
          ...foundBy('campaign-page', 'Lists being loaded', this.tokens, sight),
        ),
      }),
    };
    const [made] = runCode(campaignPage, [], { nodes, $now: NOW });
    const values = writtenBy('campaign-page', 'Store the token', { ...sight, $json: { token } });
    this.tokens.push({ id: this.tokens.length + 1, ...values, createdAt: NOW.toISO() });
    return String(made?.json.page);
  }

  /** What the buttons' workflow makes of the fields of a form. */
  press(fields: Fields): Record<string, unknown>[] {
    const body = { $json: { body: fields }, $now: NOW };
    const used = foundBy('campaign-buttons', 'Use the token', this.tokens, body);
    this.tokens = this.tokens.filter((each) => !used.includes(each));
    return runCode(whatToDo, [], {
      nodes: { 'Button is pressed': items({ body: fields }), 'Use the token': items(...used, {}) },
      $now: NOW,
    }).map(({ json }) => json);
  }

  /** The campaigns whose state a press changes. */
  changed(fields: Fields): unknown[] {
    return this.press(fields)
      .filter(({ kind }) => kind === 'change')
      .flatMap(($json) =>
        foundBy('campaign-buttons', 'Change the state', this.campaigns, { $json }),
      )
      .map(({ id }) => id);
  }

  /** A list that is loaded goes through these steps. */
  begin(execution: string): void {
    const nodes = { 'Read the request': [{ campaign: 'Spring 5' }] };
    const sight = { nodes, $now: NOW, $execution: { id: execution } };
    const values = writtenBy('campaign-load', 'Mark that it is being loaded', sight);
    this.tokens.push({ id: this.tokens.length + 1, ...values, createdAt: NOW.toISO() });
    this.touch(1);
  }

  end(execution: string): void {
    this.touch(2);
    const nodes = { 'Read the request': [{ campaign: 'Spring 5' }] };
    const sight = { nodes, $now: NOW, $execution: { id: execution } };
    const gone = foundBy('campaign-load', 'It is loaded', this.tokens, sight);
    expect(gone).toHaveLength(1);
    this.tokens = this.tokens.filter((each) => !gone.includes(each));
  }

  private touch(seconds: number): void {
    const [campaign] = this.campaigns;
    if (campaign) campaign.loaded_at = NOW.plus({ seconds }).toISO();
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
  test('starts the campaign of its page, once', () => {
    tables.add(3);
    const start = fieldsOf(tables.page(), 'start');
    expect(tables.changed(start)).toEqual([5]);
    expect(tables.press(start)).toMatchObject([{ kind: 'outdated' }]);
  });

  test('does nothing if a list was loaded since its page was opened', () => {
    tables.add(3);
    const start = fieldsOf(tables.page(), 'start');
    tables.begin('9');
    tables.add(50);
    tables.end('9');
    expect(tables.changed(start)).toEqual([]);
    const page = tables.page(5, { changed: 'yes' });
    expect(page).toContain('This click did nothing');
    expect(tables.changed(fieldsOf(page, 'start'))).toEqual([5]);
  });

  test('is not offered while a list is being loaded, also if others are loaded by then', () => {
    tables.add(3);
    tables.begin('9');
    tables.begin('10');
    tables.add(20);
    tables.end('9');
    const page = tables.page();
    expect(/class="mark \w+">([^<]*)</.exec(page)?.[1]).toBe('being loaded');
    expect(formOf(page, 'start')).toBeUndefined();
    tables.end('10');
    expect(formOf(tables.page(), 'start')).toBeDefined();
  });

  test.each([{ loaded: '' }, { loaded: 'yesterday' }])('a form with %j does nothing', (change) => {
    tables.add(3);
    const start = fieldsOf(tables.page(), 'start');
    expect(tables.press({ ...start, ...change })).toMatchObject([{ kind: 'outdated' }]);
  });

  test('a list is marked before the campaign is, and its rows are in when the campaign is marked again', () => {
    const { connections } = readDesk('campaign-load');
    const order: string[] = [];
    for (let next: string | undefined = 'Campaign to store'; next;) {
      order.push(next);
      next = connections[next]?.main?.[0]?.[0]?.node;
    }
    const steps = ['Mark that it is being loaded', 'Store the campaign', 'Add the rows'];
    const all = [...steps, 'Note that its rows are in', 'It is loaded'];
    expect(order.filter((name) => all.includes(name))).toEqual(all);
  });
});

test('the token of a page is taken for its campaign only', () => {
  tables.add(3);
  const start = fieldsOf(tables.page(5), 'start');
  const page = tables.page(6);
  expect(page).toContain('value="6"');
  for (const campaign of ['6', '', '5 ']) {
    expect(tables.press({ ...start, campaign })).toMatchObject([{ kind: 'outdated' }]);
  }
  expect(tables.changed(start)).toEqual([5]);
});
