/** The Code nodes of examples/campaign-postgres.json. Its SQL is tested on PostgreSQL, end to end. */
import type { IDataObject } from 'n8n-workflow';

import { readExample } from '../e2e/lib/examples';
import { items, runCode, type Item, type Surroundings } from './node';

/** Runs a Code node, and gives the fields of its only item. */
function run(name: string, input: Item[], nodes: Surroundings['nodes'] = {}): IDataObject {
  const $now = { toFormat: () => '2027-03-01 10:20:30', zoneName: 'Asia/Shanghai' };
  const result = runCode('campaign-postgres', name, input, { nodes, globals: { $now } });
  expect(result).toHaveLength(1);
  return result[0]?.json as IDataObject;
}

function list(text: unknown): IDataObject[] {
  return JSON.parse(String(text)) as IDataObject[];
}

describe('Recipients as one list', () => {
  const load = (body: unknown) => run('Recipients as one list', items({ body } as IDataObject));

  test('every spelling of a number becomes its 11 digits, and several become several rows', () => {
    const recipients = [
      { phone: '+86 138 1000 0010', name: 'Li' },
      { phone: 13810000011 },
      { phone: '138-1000-0012, 0086 13810000013' },
      { phone: ['13810000014'] },
    ];
    const { rows, invalid } = load({ campaign: ' spring ', recipients });
    expect(invalid).toBe(0);
    expect(list(rows).map((row) => row.phone_number)).toEqual(
      [10, 11, 12, 13, 14].map((ending) => `138100000${ending}`),
    );
  });

  test('what is no number is counted and shown, and the others are taken', () => {
    const recipients = [{ phone: '12345' }, { phone: '' }, {}, { phone: '13810000010' }];
    const loaded = load({ campaign: 'spring', recipients });
    expect(loaded).toMatchObject({ campaign: 'spring', invalid: 3 });
    expect(loaded.first_invalid).toEqual(['12345', '', '']);
    expect(list(loaded.rows)).toHaveLength(1);
  });

  test('the other fields become text, without what PostgreSQL cannot store', () => {
    const recipients = [{ phone: '13810000010', order: 42, note: 'a\0b\ud800', none: null }];
    const { rows } = load({ campaign: 's\0pring', recipients });
    expect(list(rows)[0]?.parameters).toEqual({ order: '42', note: 'ab\ufffd', none: '' });
    expect(load({ campaign: 's\0pring', recipients }).campaign).toBe('spring');
  });

  test.each([undefined, {}, { campaign: 'spring' }, { campaign: ' ', recipients: [] }])(
    'the body %j is refused',
    (body) => {
      expect(() => load(body)).toThrow(/recipients/);
    },
  );
});

describe('Outcomes as one list', () => {
  const claimed = items(
    { phone_number: '13810000010', portion: '7-1' },
    { phone_number: '13810000011', portion: '7-1' },
  );
  const settle = (...items: Item[]) =>
    run('Outcomes as one list', items, { 'Claim a portion': claimed });

  test('each output of the SMS node has a place for the outcome', () => {
    const accepted = { status: 'accepted', phone_numbers: ['13810000010'], batch_id: 'b', code: 0 };
    const rejected = { status: 'rejected', phone_numbers: ['13810000011'], msg: 'no\0 balance' };
    const failed = { error: 'no balance', message: 'no balance', details: rejected };
    const { portion, outcomes } = settle(...items(accepted, failed));
    expect(portion).toBe('7-1');
    expect(list(outcomes)).toEqual([
      { phone_number: '13810000010', status: 'accepted', batch_id: 'b', reason: '' },
      { phone_number: '13810000011', status: 'failed', batch_id: '', reason: 'no balance' },
    ]);
  });

  test.each([
    { status: 'unknown', phone_numbers: ['13810000011'] },
    { status: 'skipped', phone_numbers: ['13810000011'] },
    { details: { status: 'unknown', phone_numbers: ['13810000011'], msg: 'no answer' } },
    // n8n's own error item.
    { error: 'Credentials not found' },
  ])('%j may have been sent', (json) => {
    for (const pairedItem of [1, { item: 1 }]) {
      const [outcome] = list(settle({ json, pairedItem }).outcomes);
      expect(outcome).toMatchObject({ phone_number: '13810000011', status: 'unknown' });
    }
  });
});

describe('Reports as one list', () => {
  const reports = (...rows: IDataObject[]) =>
    list(run('Reports as one list', items(...rows)).reports);

  test('a report is known by portion, number and batch', () => {
    const row = {
      event: 'deliveryReport',
      phone_number: '13810000010',
      status: 'DELIVRD',
      status_desc: 'fine',
      user_data: '7-1',
      batch_id: 'b',
    };
    expect(reports(row, { ...row, status: 'UNDELIV', status_desc: '空号' })).toEqual([
      {
        phone_number: '13810000010',
        portion: '7-1',
        batch_id: 'b',
        is_delivered: true,
        reason: '',
      },
      {
        phone_number: '13810000010',
        portion: '7-1',
        batch_id: 'b',
        is_delivered: false,
        reason: 'UNDELIV 空号',
      },
    ]);
  });

  test('replies and rows without a number are left out, and empty columns are fine', () => {
    const bare = { event: 'deliveryReport', phone_number: '13810000010' };
    expect(
      reports({ ...bare, event: 'reply' }, { ...bare, phone_number: '' }, bare, {}),
    ).toMatchObject([{ phone_number: '13810000010', portion: '', batch_id: '' }]);
    expect(reports()).toEqual([]);
  });
});

test('Opt-outs as one list: numbers as they are sent to, each once', () => {
  const written = ['+86 138-1000-0010', '13810000010', '', 'none', '13810000011'];
  const rows = items(...written.map((phone_number) => ({ phone_number })), {});
  const { numbers } = run('Opt-outs as one list', rows);
  expect(list(numbers)).toEqual(['13810000010', '13810000011']);
});

test('Page: every state, the pace and what is left, and nothing from the table as HTML', () => {
  const row = (status: string, rows: number, more: IDataObject = {}) => ({
    campaign: '<b>spring</b>',
    status,
    rows,
    recent: 0,
    since: null,
    reason: null,
    ...more,
  });
  const page = String(
    run(
      'Page',
      items(
        row('pending', 6_000),
        row('delivered', 3_990, { recent: 3_000, since: Date.now() - 300_000 }),
        row('failed', 10, { reason: 'no <i>' }),
      ),
    ).page,
  );
  expect(page).toContain('&lt;b&gt;spring&lt;/b&gt;');
  expect(page).toContain('no &lt;i&gt;');
  expect(page).not.toMatch(/<script|<b>|<i>/);
  expect(page).toContain('10,000 rows');
  expect(page).toContain('600 rows a minute');
  expect(page).toMatch(/about 1[01] minutes/);
  expect(page).toContain('2027-03-01 10:20:30, Asia/Shanghai');
  expect(String(run('Page', items({})).page)).toContain('No rows yet');
});

test('query parameters carry every value into the SQL, and one send takes a portion', () => {
  const { nodes } = readExample('campaign-postgres');
  const queries = nodes.filter(({ type }) => type === 'n8n-nodes-base.postgres');
  for (const { name, parameters } of queries) {
    // An expression in the text of a query would let data become SQL.
    expect([name, String(parameters.query)]).toEqual([name, expect.not.stringContaining('{{')]);
  }
  const send = nodes.find(({ name }) => name === 'Send the portion');
  const { options } = send?.parameters as { options: IDataObject };
  // All messages of a request share user_data. A value for each row would make a request for each row.
  expect(options.userData).toBe('={{ $json.portion }}');
});

test('the copy of the opt-outs is also complete when there are none, and not when it fails', () => {
  const { nodes } = readExample('campaign-postgres');
  const copy = ['Opt-outs of the inbox', 'Opt-outs as one list', 'Copy the opt-outs'].map((name) =>
    nodes.find((node) => node.name === name),
  );
  // Without an item, the nodes after this one do not run, and nothing would ever be sent.
  expect(copy[0]?.alwaysOutputData).toBe(true);
  for (const node of copy) expect([node?.name, node?.onError]).toEqual([node?.name, undefined]);
});

test('the sample is of a campaign that is not sent by the settings, and these have a time zone', () => {
  const { nodes, settings } = readExample('campaign-postgres');
  const campaignIn = (node: string, field: string) => {
    const { parameters } = nodes.find(({ name }) => name === node) ?? {};
    const { assignments } = parameters?.assignments as { assignments: IDataObject[] };
    return assignments.find(({ name }) => name === field)?.value;
  };
  expect(campaignIn('Settings', 'campaign')).toBe('Spring');
  expect(campaignIn('Sample recipients', 'body.campaign')).toBe('Sample');
  expect(settings?.timezone).toBe('Asia/Shanghai');
});
