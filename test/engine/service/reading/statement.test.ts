import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { useGateway } from '../../harness/gateway';
import { byId } from '../../harness/locators';
import { RETRY } from '../../harness/sends';

/** Answers that say one thing and mean another must not pass for what they are not. */

const { gateway, execute, search } = useGateway();

/** The service answers every request with this, after the request took effect. */
const answerWith = (body: unknown) =>
  gateway.fault({ kind: 'html', body: JSON.stringify(body), times: Infinity });

test.each([
  { code: 200, msg: 'created', data: { id: 777 } },
  { code: 1, msg: 'created, review pending', id: 777 },
  { code: 2003, msg: '审核中', data: '777' },
])(
  'a refusal of a change that shows a record does not say that nothing was changed: %j',
  async (body) => {
    answerWith(body);
    const { error } = await execute(CREATE_LEAD);
    const { description } = error as { description?: string };
    expect(description).toContain('The change may have been made all the same.');
    expect(description).not.toContain('Nothing was changed');
  },
);

const DELETE = { resource: 'template', operation: 'delete', templateId: byId(301) };
const CREATE_LEAD = { resource: 'lead', operation: 'create', signatureId: byId(201) };
const CREATE_TEMPLATE = { resource: 'template', operation: 'create', name: 'n', content: 'c' };
const PULL = { resource: 'reply', operation: 'pull' };
const GET_ALL = { resource: 'template', operation: 'getAll', returnAll: true };

const REPLY = { batch_id: 'b', content: 'Y', time: 1767225600, mobile: 13800138000 };

const FAILURES = [
  { success: false, message: 'record is in use' },
  { code: null, msg: '无权限' },
  { Code: 1001, Msg: '签名错误' },
  { errcode: 40001, errmsg: 'invalid' },
  { error: { code: 401, message: 'bad sign' } },
  { status: 'error', message: 'not found' },
  { code: 0, msg: null, data: false },
  { code: 0, data: { code: 1005, msg: '模板不存在' } },
  { code: 0, success: false, msg: 'x' },
  { code: 'SUCCESS' },
];

test.each(FAILURES)('a failure is never a success: %j', async (body) => {
  answerWith(body);
  for (const parameters of [DELETE, CREATE_LEAD, CREATE_TEMPLATE, GET_ALL]) {
    const { error, json } = await execute(parameters);
    expect(json).toEqual([]);
    expect(error?.message).toMatch(
      /refused|contradicts itself|not known as a success|says otherwise|expected shape/,
    );
  }
  const { error, json } = await execute({ resource: 'balance', operation: 'get' });
  expect([error === undefined, json]).toEqual([false, []]);
  const pulled = await execute(PULL);
  const isHandedOver = pulled.json.every(({ event }) => event === 'unreadable');
  expect(isHandedOver && (pulled.json.length > 0 || pulled.error !== undefined)).toBe(true);
});

// Guess: deletion
test.each([{}, [], { code: 0, data: null }, { code: '0', msg: 'ok' }, { id: 301 }])(
  'a deletion is one: %j',
  async (body) => {
    answerWith(body);
    expect((await execute(DELETE)).json).toEqual([{ deleted: true, id: 301 }]);
  },
);

const UPDATE = { ...DELETE, operation: 'update', updateFields: { name: 'n' } };

const OTHERWISE = 'The service did not refuse, but its answer says otherwise: ';

// Guess: changed-record, deletion
test.each<[INodeParameters, unknown, string]>([
  [CREATE_LEAD, { id: 0, msg: 'exists' }, 'exists'],
  [CREATE_LEAD, { id: null, msg: 'exists' }, 'exists'],
  [CREATE_LEAD, { id: '', message: 'exists' }, 'exists'],
  [CREATE_TEMPLATE, { id: 0, msg: 'exists' }, 'exists'],
  [CREATE_TEMPLATE, { id: -1, msg: 'exists' }, 'exists'],
  [CREATE_TEMPLATE, { data: { id: 0, msg: 'exists' } }, 'exists'],
  [CREATE_TEMPLATE, [[{ id: 0, msg: 'exists' }]], 'exists'],
  [CREATE_TEMPLATE, { success: false, id: 5 }, "'success' is false"],
  [CREATE_TEMPLATE, { success: 0, id: 5, msg: 'quota' }, 'quota'],
  [CREATE_LEAD, { success: 'false', id: 5 }, "'success' is false"],
  [CREATE_LEAD, { id: 5, errcode: 1001, errmsg: '名称重复' }, '名称重复'],
  [CREATE_LEAD, { id: 5, msg: '操作失败' }, '操作失败'],
  [CREATE_LEAD, { code: 0, data: { id: 5, error: 'in use' } }, 'in use'],
  [CREATE_LEAD, { created: false, id: 5 }, "'created' is false"],
  [UPDATE, { updated: false, id: 301 }, "'updated' is false"],
  [UPDATE, { id: 301, error: { code: 7, message: 'in review' } }, 'in review'],
  [DELETE, { deleted: false }, "'deleted' is false"],
  [DELETE, { code: 0, msg: 'success', data: { deleted: 0 } }, "'deleted' is 0"],
  [DELETE, { error: 'in use', id: 5 }, 'in use'],
  [DELETE, { error: true }, "'error' is true"],
  [DELETE, { result: 'fail' }, "'result' is fail"],
  [DELETE, { result: 'fail', id: 301 }, "'result' is fail"],
  [DELETE, { msg: 'in use', id: 301 }, 'in use'],
  [DELETE, [{ error: 'in use', id: 5 }], 'in use'],
])('a change whose answer says otherwise is not done: %j %j', async (parameters, body, words) => {
  answerWith(body);
  const { error, json } = await execute(parameters);
  expect([json, error?.message]).toEqual([[], OTHERWISE + words]);
  const { description } = error as { description?: string };
  expect(description).toContain('Look at the service before you make it again.');
});

test('what a change is told otherwise is masked and cut', async () => {
  answerWith({ id: 0, msg: `bad sign ${'0f'.repeat(32)} ${'x'.repeat(400)}` });
  const { error } = await execute(CREATE_LEAD);
  expect(error?.message).toMatch(/: bad sign \[hidden\] x+…$/);
  answerWith({ id: 5, error: `bad sign ${'0f'.repeat(32)} ${'x'.repeat(400)}` });
  const other = await execute(CREATE_LEAD);
  expect(other.error?.message).toMatch(/: bad sign \[hidden\] x+…$/);
});

/** Fields of a record, and not of its change. */
const REJECTED = { id: 301, name: 'n', status: 'rejected', reject_reason: '含敏感词' };

// Guess: changed-record, deletion, named-answers
test.each<[INodeParameters, unknown, IDataObject]>([
  [UPDATE, REJECTED, REJECTED],
  [UPDATE, { id: 301, status: false }, { id: 301, status: false }],
  [UPDATE, { code: 0, msg: 'success', data: REJECTED }, REJECTED],
  [UPDATE, { list: [REJECTED], page: 1, page_size: 10, total: 1 }, REJECTED],
  [UPDATE, [[{ list: [{ id: 301, result: 'fail', error: 'x' }], total: 1 }]], { id: 301 }],
  [UPDATE, { id: 301, deleted: false, created: 0 }, { id: 301 }],
  [UPDATE, { code: 0, msg: 'success' }, { code: 0 }],
  [UPDATE, {}, {}],
  [UPDATE, { updated: 1 }, { updated: 1 }],
  [CREATE_LEAD, { id: 5, error: null, success: true, result: 'ok' }, { id: 5 }],
  [CREATE_LEAD, { id: 5, msg: 'created, review pending' }, { id: 5 }],
  [CREATE_LEAD, { lead_id: 5, sign_id: 201 }, { lead_id: 5 }],
  [CREATE_TEMPLATE, { id: 5, error: '', errors: [], error_code: 0 }, { id: 5 }],
  [CREATE_TEMPLATE, { id: 'T5', status: 'pending' }, { id: 'T5' }],
  [DELETE, { deleted: 1 }, { deleted: true, id: 301 }],
  [DELETE, { error: null, result: 'ok' }, { deleted: true, id: 301 }],
  [DELETE, { error: '', success: true }, { deleted: true, id: 301 }],
  [DELETE, { code: 0, msg: 'success' }, { deleted: true, id: 301 }],
  [DELETE, { msg: '删除成功' }, { deleted: true, id: 301 }],
  [DELETE, { message: 'deleted' }, { deleted: true, id: 301 }],
  [DELETE, { ...REJECTED, deleted: true }, { deleted: true, id: 301 }],
])(
  'a change is done if nothing in its answer says otherwise: %j %j',
  async (parameters, body, record) => {
    answerWith(body);
    const { error, json } = await execute(parameters);
    expect(error).toBeUndefined();
    expect(json).toMatchObject([record]);
  },
);

test.each([{ id: 0 }, { id: null, name: 'n' }])(
  'a creation that names no ID is not of the expected shape: %j',
  async (body) => {
    for (const parameters of [CREATE_LEAD, CREATE_TEMPLATE]) {
      answerWith(body);
      const { error, json } = await execute(parameters);
      expect(json).toEqual([]);
      expect(error?.message).toMatch(/expected shape/);
    }
  },
);

// Guess: changed-record
test.each([
  [{ code: 0, msg: 'success', data: 123 }, { id: 123 }],
  [{ code: 0, data: { sign_id: 7 } }, { sign_id: 7 }],
  [
    { id: 7, error: 'none' },
    { id: 7, service_error: 'none' },
  ],
])('what was created is not created again by Retry On Fail: %j', async (body, record) => {
  answerWith(body);
  const { json } = await execute(CREATE_LEAD, [{}], { node: RETRY });
  expect(json).toMatchObject([record]);
  expect(gateway.requests).toHaveLength(1);
});

describe('a pull', () => {
  const outputOf = async (body: unknown) => {
    answerWith(body);
    return (await execute(PULL, [{}], { node: RETRY })).json;
  };

  test.each<[string, unknown]>([
    ['with a field error', { code: 0, data: [{ ...REPLY, error: 'DB:0108' }] }],
    ['beside an empty data', { code: 0, data: [], list: [REPLY] }],
    ['in arrays', { code: 0, data: [[REPLY]] }],
    ['in a page', { code: 0, data: [{ total: 1, list: [REPLY] }] }],
    ['in JSON texts', { code: 0, data: [JSON.stringify(REPLY)] }],
  ])('finds records %s', async (_, body) => {
    const json = await outputOf(body);
    expect(json).toMatchObject([{ event: 'reply', content: 'Y', phone_number: '13800138000' }]);
    expect(json[0]).not.toHaveProperty('error');
  });

  test('hands over what it cannot read beside records', async () => {
    const other = [{ raw: '13900139000,N' }];
    expect(await outputOf({ code: 0, data: { b1: [REPLY], b2: other } })).toMatchObject([
      { event: 'reply', content: 'Y' },
      { event: 'unreadable', answer: other },
    ]);
  });

  test.each([
    { code: 0, data: [[]] },
    { code: 0, msg: 'ok', status: 'success', time: 1767225600, data: null },
    { data: [] },
    {},
  ])('of nothing is empty: %j', async (body) => {
    const { error, json } = await execute({ ...PULL });
    expect([error, json]).toEqual([undefined, []]);
    expect(await outputOf(body)).toEqual([]);
  });
});

describe('a list', () => {
  const page = (list: IDataObject[], more: IDataObject = {}) => [[{ list, ...more }]];

  test('that gives other records than the one asked for says so', async () => {
    answerWith(page([{ id: 1 }, { id: 2 }], { total: 2 }));
    const { error } = await execute({
      resource: 'template',
      operation: 'get',
      templateId: byId(9),
    });
    expect(error?.message).toBe('The service gave other templates than the one with the ID 9');
  });

  test('whose record has its ID under another name gives no other record', async () => {
    answerWith(page([{ signature_id: 7, certification_id: 9, name: 'A' }]));
    const get = (id: number) =>
      execute({ resource: 'signature', operation: 'get', signatureId: byId(id) });
    expect((await get(9)).error?.message).toMatch(/gave other signatures/);
    expect((await get(7)).json).toMatchObject([{ name: 'A' }]);
  });

  // Guess: end-of-list
  test('with fewer records than its total has a hint', async () => {
    answerWith(page([{ id: 1 }, { id: 2 }], { total: 5 }));
    const { json, run } = await execute(GET_ALL);
    expect(json).toHaveLength(2);
    const [task] = run.data.resultData.runData.SMS ?? [];
    expect(task?.hints?.map(({ message }) => message)).toEqual([
      'The service says that it has 5 records, but gave 2.',
    ]);
  });

  test('to choose from ends where its last page is repeated', async () => {
    const list = Array.from({ length: 50 }, (_, index) => ({ id: index + 1, name: 'n' }));
    answerWith(page(list, { total: 50 }));
    const { results, paginationToken } = await search('searchSignatures');
    expect(results).toHaveLength(50);
    expect(await search('searchSignatures', '', paginationToken as string)).toEqual({
      results: [],
    });
  });

  test('to choose from goes on where another page begins with the same ID', async () => {
    const rows = (from: number) =>
      Array.from({ length: 50 }, (_, index) => ({
        id: (index > 0 ? from : 0) + index + 1,
        name: `n${from + index}`,
      }));
    const answer = (list: IDataObject[]) =>
      gateway.fault({ kind: 'html', body: JSON.stringify(page(list, { total: 100 })) });
    answer(rows(0));
    const { paginationToken } = await search('searchSignatures');
    answer(rows(50));
    const { results } = await search('searchSignatures', '', paginationToken as string);
    expect(results[0]?.name).toMatch(/^n51 /);
  });

  test('that ignores a search by ID is searched by name', async () => {
    gateway.fault({ kind: 'html', body: JSON.stringify(page([{ id: 1, name: 'other' }])) });
    const { results } = await search('searchTemplates', '77');
    expect(results).toEqual([]);
    expect(gateway.requests.map(({ body }) => (body as IDataObject).name)).toEqual([
      undefined,
      '77',
    ]);
  });
});
