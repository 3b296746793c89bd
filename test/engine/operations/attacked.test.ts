import { createServer } from 'node:http';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { createHarness } from '../harness';
import type { Harness } from '../harness';
import { listen } from '../harness/listen';
import { byId } from '../harness/locators';
import { descriptionOf } from '../harness/sends';

/** What strangers found who knew only what is promised: records and changes. */

const KEY = 'exampletech';

let harness: Harness;
let asked: IDataObject[] = [];
let answerTo: (body: IDataObject) => unknown;

const server = createServer((request, response) => {
  let text = '';
  request.on('data', (chunk) => (text += String(chunk)));
  request.on('end', () => {
    const body = JSON.parse(text) as IDataObject;
    asked.push(body);
    response.end(JSON.stringify(answerTo(body)));
  });
});

beforeAll(async () => {
  const baseUrl = `http://${await listen(server)}`;
  harness = await createHarness({ baseUrl, apiKey: KEY, apiSecret: 'a-long-secret' });
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const answerWith = (body: unknown) => {
  asked = [];
  answerTo = () => body;
};

const TEMPLATE = { resource: 'template', templateId: byId(301) };
const DELETE = { ...TEMPLATE, operation: 'delete' };
const UPDATE = { ...TEMPLATE, operation: 'update', updateFields: { name: 'n' } };
const CREATE = { resource: 'template', operation: 'create', name: 'n', content: 'c' };
const CREATE_LEAD = { resource: 'lead', operation: 'create', signatureId: byId(201) };
const UPDATE_LEAD = {
  resource: 'lead',
  operation: 'update',
  leadId: byId(401),
  updateFields: { url: 'u' },
};
const GET_ALL = { resource: 'template', operation: 'getAll', returnAll: true };

const OTHERWISE = 'The service did not refuse, but its answer says otherwise: ';

test.each([
  { data: { id: 0, msg: `dup ${KEY}` } },
  { code: 0, data: { id: 5, error: { message: `dup ${KEY}` } } },
  { result: { error: `dup ${KEY}` } },
  [{ id: 5, error: `dup ${KEY}` }],
  { id: 5, errors: [`dup ${KEY}`] },
])('the key is in no error of a change: %j', async (body) => {
  answerWith(body);
  const { error } = await harness.execute(CREATE_LEAD);
  expect(error?.message).toContain('[hidden]');
  const shown = `${error?.message} ${descriptionOf(error)} ${JSON.stringify(error)}`;
  expect(shown).not.toContain(KEY);
});

test('a record that a change returns keeps the key as a word', async () => {
  answerWith({ code: 0, data: { id: 5, name: KEY } });
  expect((await harness.execute(CREATE)).json).toEqual([{ id: 5, name: KEY }]);
});

/** Scrolls a picker to its end. */
async function scroll(method: string): Promise<unknown[]> {
  const values: unknown[] = [];
  let token: string | undefined;
  for (let calls = 0; calls < 20; calls++) {
    const page = await harness.search(method, '', token);
    values.push(...page.results.map(({ value }) => value));
    token = page.paginationToken as string | undefined;
    if (token === undefined) return values;
  }
  throw new Error('The picker does not end');
}

const idsUpTo = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1));

describe('a picker of records that look different in each answer, such as by signed links', () => {
  /** @param pages how many of these pages of 50 the service has */
  const giveSigned = (pageAt: (page: number) => number) => {
    let links = 0;
    answerTo = ({ page }) => {
      const from = 50 * (pageAt(Number(page)) - 1);
      const ids = idsUpTo(60).slice(from, from + 50);
      const list = ids.map((id) => ({ id: Number(id), certificate_file: `/file?sign=${++links}` }));
      return { code: 0, data: { list } };
    };
  };

  test.each<[string, (page: number) => number, number]>([
    ['ignores the page', () => 1, 50],
    ['begins anew behind the last page', (page) => 1 + ((page + 1) % 2), 60],
    ['repeats the last page', (page) => Math.min(page, 2), 60],
  ])('shows each once and ends, if the service %s', async (_, pageAt, count) => {
    giveSigned(pageAt);
    expect(await scroll('searchQualifications')).toEqual(idsUpTo(count));
  });
});

describe('a good change is not reported as failed', () => {
  test.each([
    { success: true, message: 'Template deleted.' },
    { success: 'true', message: '模板已删除' },
    { ok: 1, msg: 'Gone' },
    { status: 'SUCCESS', message: 'Record updated' },
    { deleted: true, updated: true, created: true, message: 'It is gone' },
  ])('whose words stand beside a success: %j', async (body) => {
    answerWith(body);
    for (const parameters of [DELETE, UPDATE, CREATE, UPDATE_LEAD]) {
      const { error, json } = await harness.execute(parameters);
      expect([error, json]).toMatchObject([undefined, [{}]]);
    }
  });

  test.each([{ message: 'Deleted successfully' }, { msg: '删除成功，共1条' }])(
    'that says success in a sentence: %j',
    async (body) => {
      answerWith(body);
      for (const parameters of [DELETE, UPDATE, CREATE]) {
        const { error, json } = await harness.execute(parameters);
        expect([error, json]).toMatchObject([undefined, [{}]]);
      }
    },
  );

  test.each([{ success: true }, { ok: true }, { status: 'success' }, { msg: 'ok' }])(
    'that says success and nothing else: %j',
    async (body) => {
      for (const parameters of [DELETE, UPDATE, CREATE, UPDATE_LEAD, CREATE_LEAD]) {
        answerWith(body);
        const { error, json } = await harness.execute(parameters);
        expect([error, json]).toMatchObject([undefined, [{}]]);
      }
    },
  );
});

test.each([
  { success: true, message: '查询成功', data: [] },
  { success: true, message: 'Query OK, 0 rows', data: [] },
  { msg: '查询成功', list: [] },
])('an empty list beside words of success is empty: %j', async (body) => {
  answerWith(body);
  const { error, json } = await harness.execute(GET_ALL);
  expect([error, json]).toEqual([undefined, []]);
});
