import { CODES } from './codes';
import { contractOperations } from './contract';
import type { Gateway } from './gateway';
import { call, templateSend } from './rawClient';
import { startForTest } from './startForTest';

describe('all routes', () => {
  it.each(contractOperations())('answer the example of $path', async ({ path, example }) => {
    const gateway = await startForTest();
    const answer = await call(gateway, path, example);
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json; charset=utf-8' },
    });
    // A deletion answers with an empty object, and a list or record has no `code` either.
    expect((answer.json as { code?: number }).code ?? 0).toBe(0);
    expect(gateway.violations).toEqual([]);
  });

  it('Query balance needs no body', async () => {
    const gateway = await startForTest();
    expect((await call(gateway, '/sendsms/balance', {}, { rawBody: '' })).json).toMatchObject({
      code: 0,
    });
  });

  it('record an answer that violates the contract', async () => {
    const gateway = await startForTest();
    gateway.state.balance = 0.5;
    await call(gateway, '/sendsms/balance');
    expect(gateway.violations).toEqual(['answer /sendsms/balance body/balance: must be integer']);
  });
});

describe('sends of messages', () => {
  it('fill in the text, charge per part, and pass user data to delivery reports', async () => {
    const gateway = await startForTest();
    const long = '长'.repeat(80);
    const answer = await call(gateway, '/sendsms/template/send', {
      template_id: 302,
      sms_sign_id: 202,
      user_data: 'order-7',
      messages: [
        { phone_number: '13800138000', params: { name: long, order: '7', date: '明天' } },
        {
          phone_number: '13700000002',
          params: { name: '王', order: '8', date: '后天' },
          phone_data: 'row-2',
        },
      ],
    });
    const { batch_id: batchId } = answer.json as { batch_id: string };
    expect(gateway.state.balance).toBe(1_000_000 - 3);
    expect(gateway.deliveries()).toEqual(
      new Map([
        ['13800138000', 1],
        ['13700000002', 1],
      ]),
    );
    expect(gateway.state.messages.get('13700000002')).toEqual([
      expect.objectContaining({
        content: '【云岭商城】尊敬的王,您的订单8已发货,预计后天送达。回复TD退订',
        batch_id: batchId,
      }),
    ]);
    const pulled = await call(gateway, '/sendsms/report/pull', { count: 5 });
    expect(pulled.json).toMatchObject({
      data: [
        { batch_id: batchId, user_data: 'order-7', phone_data: '', split_count: 2 },
        { batch_id: batchId, user_data: 'order-7', phone_data: 'row-2', status: 'EXPIRED' },
      ],
    });
  });

  it.each<[string, string, Record<string, unknown>, number]>([
    ['an unknown template', '/sendsms/template/send', { template_id: 9 }, CODES.unknownTemplate],
    [
      'a disabled template',
      '/sendsms/template/send',
      { template_id: 304 },
      CODES.templateNotEnabled,
    ],
    ['an unknown signature', '/sendsms/template/send', { sms_sign_id: 9 }, CODES.unknownSignature],
    [
      'a missing template parameter',
      '/sendsms/template/send',
      { messages: [{ phone_number: '13800138000', params: { code: '1' } }] },
      CODES.missingParameter,
    ],
    ['no recipients', '/sendsms/template/send', { messages: [] }, CODES.noRecipients],
    [
      'one invalid phone number among valid ones',
      '/sendsms/template/send',
      templateSend('13800138000', '+8613800138000'),
      CODES.badPhoneNumber,
    ],
    ['no signature', '/sendsms/send', { sms_sign_id: undefined }, CODES.missingSignature],
    ['no content', '/sendsms/send', { content: ' ' }, CODES.emptyContent],
  ])('are refused as a whole because of %s', async (_name, path, fields, code) => {
    const gateway = await startForTest();
    const good = path.includes('template')
      ? templateSend('13800138000')
      : { sms_sign_id: 201, phone_numbers: ['13800138000'], content: '您好' };
    const answer = await call(gateway, path, { ...good, ...fields });
    expect([answer.status, answer.json]).toEqual([200, expect.objectContaining({ code })]);
    expect(gateway.deliveries().size).toBe(0);
    expect(gateway.state.balance).toBe(1_000_000);
    expect(gateway.violations).toEqual([]);
  });

  it('have the signature of their template where they name none', async () => {
    const gateway = await startForTest();
    const send = { ...templateSend('13800138000'), sms_sign_id: undefined };
    await call(gateway, '/sendsms/template/send', send);
    expect(gateway.violations).toEqual([]);
    const [message] = gateway.state.messages.get('13800138000') ?? [];
    expect(message?.content).toMatch(/^【青禾科技】/);
  });

  it('are refused when the balance is too low', async () => {
    const gateway = await startForTest({ balance: 1 });
    const answer = await call(
      gateway,
      '/sendsms/template/send',
      templateSend('13800138000', '13800138009'),
    );
    expect(answer.json).toMatchObject({ code: CODES.insufficientBalance });
    expect(gateway.state.balance).toBe(1);
  });

  it('have their delivery reports after reportDelayMs', async () => {
    const gateway = await startForTest({ reportDelayMs: 60_000 });
    await call(gateway, '/sendsms/template/send', templateSend('13800138000'));
    expect((await call(gateway, '/sendsms/report/pull', { count: 5 })).json).toMatchObject({
      data: [],
    });
    expect(gateway.state.reportsLeft).toBe(1);
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
    expect((await call(gateway, '/sendsms/report/pull', { count: 5 })).json).toMatchObject({
      data: [{ phone_number: '13800138000' }],
    });
    clock.mockRestore();
  });
});

describe('pulls of delivery reports and replies', () => {
  async function pulled(gateway: Gateway, path: string, count: number): Promise<unknown[]> {
    return ((await call(gateway, path, { count })).json as { data: unknown[] }).data;
  }

  it('remove records from the queue in order, at most maxCount at once', async () => {
    const gateway = await startForTest({ maxCount: 40 });
    gateway.queueReports(100);
    const queued = [...gateway.state.reports];
    const pages = [];
    for (const count of [30, 1000, 40])
      pages.push(await pulled(gateway, '/sendsms/report/pull', count));
    expect(pages.map((page) => page.length)).toEqual([30, 40, 30]);
    expect(pages.flat()).toEqual(queued);
    expect(new Set(queued.map((report) => JSON.stringify(report))).size).toBe(100);
    expect(await pulled(gateway, '/sendsms/report/pull', 5)).toEqual([]);
  });

  it('leave the records in the queue with consume: false', async () => {
    const gateway = await startForTest({ consume: false });
    gateway.queueReplies(3);
    const first = await pulled(gateway, '/sendsms/mo/pull', 2);
    expect(first).toHaveLength(2);
    expect(await pulled(gateway, '/sendsms/mo/pull', 2)).toEqual(first);
  });

  it('get a reply with the last message of its phone number', async () => {
    const gateway = await startForTest();
    const path = '/sendsms/template/send';
    const first = (await call(gateway, path, templateSend('13800138000'))).json;
    const last = (await call(gateway, path, templateSend('13800138000'))).json;
    const { batch_id: firstBatch } = first as { batch_id: string };
    gateway.reply({ phoneNumber: '13800138000', content: 'TD' });
    gateway.reply({ phoneNumber: '13800138000', content: '好', batchId: firstBatch });
    gateway.reply({ phoneNumber: '13900000000', content: '?' });
    expect(await pulled(gateway, '/sendsms/mo/pull', 5)).toEqual([
      expect.objectContaining({
        batch_id: (last as { batch_id: string }).batch_id,
        content: 'TD',
        mobile: 13_800_138_000,
        sms_content: expect.stringContaining('482913') as unknown,
      }),
      expect.objectContaining({ batch_id: firstBatch, content: '好' }),
      expect.objectContaining({ batch_id: '', sms_content: '', content: '?' }),
    ]);
    expect(gateway.violations).toEqual([]);
  });
});

describe('lists of records', () => {
  const total = 1037;

  it.each<[string, 'specification' | 'bare' | 'envelope' | 'nested', (json: never) => unknown]>([
    ['/openapi/template/info', 'specification', (json: unknown[][]) => json[0]?.[0]],
    ['/openapi/cert/info', 'specification', (json: { data: unknown }) => json.data],
    ['/openapi/template/info', 'bare', (json: unknown) => json],
    ['/openapi/lead/info', 'envelope', (json: { data: unknown }) => json.data],
    ['/openapi/cert/info', 'nested', (json: unknown[][]) => json[0]?.[0]],
    ['/openapi/sign/info', 'nested', (json: unknown[][]) => json[0]?.[0]],
  ])(
    'return each record once, page by page: %s in list shape %s',
    async (path, listShape, open) => {
      const gateway = await startForTest({
        listShape,
        records: { templates: total, qualifications: total, leads: total, signatures: total },
      });
      const ids: number[] = [];
      for (let page = 1; page <= 11; page++) {
        const { json } = await call(gateway, path, { page, page_size: 100 });
        const paged = open(json as never) as { list: { id: number }[] };
        expect(paged).toMatchObject({ page, page_size: 100, total });
        ids.push(...paged.list.map(({ id }) => id));
      }
      expect(ids).toHaveLength(total);
      expect(new Set(ids).size).toBe(total);
      expect(gateway.violations).toEqual([]);
    },
  );

  it('limit the page size and answer with the size used', async () => {
    const gateway = await startForTest({ maxPageSize: 2 });
    const { json } = await call(gateway, '/openapi/template/info', { page_size: 50 });
    expect(json).toMatchObject([[{ page: 1, page_size: 2, list: [{}, {}], total: 4 }]]);
  });
});

describe('records', () => {
  it.each([
    ['qualification', 'name', 'id'],
    ['signature', 'name', 'id'],
    ['template', 'name', 'id'],
    ['lead', 'url', 'lead_id'],
  ])('are created, edited, found and deleted: %s', async (kind, field, idFilter) => {
    const gateway = await startForTest({ listShape: 'bare' });
    const run = async (name: string, body: unknown) => {
      const operation = contractOperations().find(
        ({ operationId }) => operationId === `${kind}.${name}`,
      );
      return (await call(gateway, operation?.path ?? '', body ?? operation?.example)).json;
    };
    const { id } = (await run('create', undefined)) as { id: number };
    await run('update', { id, [field]: 'https://new.example' });
    const found = { list: [{ id, [field]: 'https://new.example' }], total: 1 };
    expect(await run('query', { [idFilter]: id })).toMatchObject(found);
    expect(await run('delete', { id })).toEqual({});
    expect(await run('query', { [idFilter]: id })).toMatchObject({ list: [], total: 0 });
    expect(gateway.violations).toEqual([]);
  });

  it('cannot be edited or deleted when they do not exist', async () => {
    const gateway = await startForTest();
    for (const path of ['/openapi/cert/update', '/openapi/sign/delete', '/openapi/lead/update']) {
      const { json } = await call(gateway, path, { id: 9999 });
      expect(json).toMatchObject({ code: CODES.unknownRecord });
    }
  });

  it('a reported lead cannot be edited', async () => {
    const gateway = await startForTest();
    const { json } = await call(gateway, '/openapi/lead/update', { id: 401, url: 'https://x' });
    expect(json).toMatchObject({ code: CODES.leadAlreadyReported });
    expect(gateway.state.leads.get(401)?.url).toBe('https://qinghe.example/help');
  });
});
