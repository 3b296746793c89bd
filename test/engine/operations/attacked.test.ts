import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { useService } from '../harness/gateway';
import { byId } from '../harness/locators';
import { descriptionOf } from '../harness/sends';

/** What strangers found who knew only what is promised: records and changes. */

const KEY = 'exampletech';

let asked: IDataObject[] = [];
let answerTo: (body: IDataObject) => unknown;

const harness = useService((request, response) => {
  let text = '';
  request.on('data', (chunk) => (text += String(chunk)));
  request.on('end', () => {
    const body = JSON.parse(text) as IDataObject;
    asked.push(body);
    response.end(JSON.stringify(answerTo(body)));
  });
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
  ])('whose words come with a success: %j', async (body) => {
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

  // Guess: named-answers
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
])('an empty list with words of success is empty: %j', async (body) => {
  answerWith(body);
  const { error, json } = await harness.execute(GET_ALL);
  expect([error, json]).toEqual([undefined, []]);
});

test.each([UPDATE, UPDATE_LEAD])(
  'the number of changed rows is not taken for the ID of the record: %j',
  async (parameters) => {
    answerWith({ code: 0, msg: 'success', data: 1 });
    const { json } = await harness.execute(parameters);
    expect(json).toEqual([{ code: 0, msg: 'success', data: 1 }]);
    answerWith({ code: 0, msg: 'success', data: 301 });
    const { json: own } = await harness.execute(UPDATE);
    expect(own).toMatchObject([{ id: 301 }]);
  },
);

test('a record under `result` is the record', async () => {
  for (const parameters of [UPDATE, CREATE, CREATE_LEAD]) {
    answerWith({ code: '0', success: true, result: { id: 301, name: 'n' } });
    expect((await harness.execute(parameters)).json).toEqual([{ id: 301, name: 'n' }]);
  }
});

test.each<[INodeParameters, unknown, string]>([
  [CREATE, { code: 0, msg: '名称已存在', data: { id: 0 } }, '名称已存在'],
  [CREATE_LEAD, { code: 0, msg: '名称已存在', data: { id: 0 } }, '名称已存在'],
  [CREATE, { code: 0, data: { id: null, msg: 'exists' } }, 'exists'],
  [DELETE, { code: 0, msg: '删除失败，模板不存在' }, '删除失败，模板不存在'],
  [DELETE, { code: 0, msg: 'Delete failed: in use' }, 'Delete failed: in use'],
  [UPDATE, { code: 0, msg: 'Failed to update' }, 'Failed to update'],
  [DELETE, { code: 0, data: '删除失败' }, '删除失败'],
  [DELETE, { code: 0, data: { failed: [{ id: 5, reason: 'in use' }] } }, 'in use'],
  [DELETE, { success: true, failed: 1 }, "'failed' is 1"],
  [UPDATE, { id: 301, err: 'in use' }, 'in use'],
  [DELETE, { return_code: 'FAIL' }, 'FAIL'],
  [DELETE, { respCode: '9999', respMsg: 'no' }, "'respCode' is 9999"],
])('a change whose answer denies it is not done: %j %j', async (parameters, body, words) => {
  answerWith(body);
  const { error, json } = await harness.execute(parameters);
  expect([json, error?.message]).toEqual([[], OTHERWISE + words]);
});

test.each([
  { code: 0, msg: 'success', data: { id: 301, fail: 0, failed: [], err: '' } },
  { code: 0, msg: '处理成功，失败0条', data: { id: 301 } },
  { code: 0, msg: '0 failed, 1 updated', data: { id: 301 } },
  { code: 0, msg: '创建成功，请等待审核', data: { id: 301, fail_reason: '' } },
  { code: 0, return_code: 'SUCCESS', resp_code: '0000', data: { id: 301 } },
  { code: 0, msg: 'ok', error: { code: 0, message: '' }, data: { id: 301 } },
  { code: 0, msg: 'ok', error: '无', data: { id: 301 } },
  { code: 0, msg: 'ok', data: { id: 301, error_message: '-' } },
])('a field that names no failure denies no change: %j', async (body) => {
  for (const parameters of [DELETE, UPDATE, CREATE]) {
    answerWith(body);
    const { error, json } = await harness.execute(parameters);
    expect([error, json]).toMatchObject([undefined, [{ id: 301 }]]);
  }
});

test('an empty list beside data with records does not hide them', async () => {
  const list = [{ id: 1 }, { id: 2 }];
  answerWith({ code: 0, list: [], data: { list, total: 2 } });
  expect((await harness.execute(GET_ALL)).json).toEqual(list);
});

test('the error of a picker names no field that the service did not send', async () => {
  answerWith({ code: 0, data: { list: ['a', 'b'] } });
  await expect(harness.search('searchTemplates')).rejects.toThrow(/it is an object with value$/);
});

test.each<[string, INodeParameters, IDataObject]>([
  ['lead', { simplify: true }, { lead_id: 401, url: 'u' }],
  ['qualification', { simplify: true }, { certification_id: 101, company_name: 'c' }],
  ['lead', { output: 'fields', fields: ['url'] }, { lead_id: 401, url: 'u' }],
])('Simplify and Selected Fields keep the ID under its other name: %s %j', async (...given) => {
  const [resource, output, record] = given;
  answerWith({ code: 0, data: { list: [record], total: 1 } });
  const { json } = await harness.execute({ ...GET_ALL, resource, ...output });
  expect(json).toEqual([record]);
});

test('another ID in an array is the one that was deleted', async () => {
  answerWith({});
  const options = { extraFieldsJson: '{"id": [7]}' };
  expect((await harness.execute({ ...DELETE, options })).json).toEqual([{ deleted: true, id: 7 }]);
});
