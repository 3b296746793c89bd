import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IDataObject } from 'n8n-workflow';
import { startGateway } from '../../sandbox/gateway';
import type { Fault } from '../../sandbox/faults';
import type { Gateway } from '../../sandbox/gateway';
import { createHarness } from '../harness';
import type { Harness } from '../harness';
import { CUSTOM, isFor, people, phone, TEMPLATE } from '../harness/sends';

let gateway: Gateway;
let execute: Harness['execute'];

beforeAll(async () => {
  gateway = await startGateway();
  ({ execute } = await createHarness(gateway.credential() as never));
});

afterEach(() => {
  const violations = [...gateway.violations];
  const tooMany = [...gateway.deliveries()].filter(([, count]) => count !== 1);
  gateway.reset();
  expect(violations).toEqual([]);
  expect(tooMany).toEqual([]);
});

afterAll(() => gateway.close());

describe('one request for many items', () => {
  test('a template SMS to one number', async () => {
    const { json, output } = await execute(TEMPLATE, people(1));
    expect(json).toEqual([
      {
        status: 'accepted',
        batch_id: expect.any(String),
        code: 0,
        msg: expect.any(String),
        phone_numbers: [phone(0)],
        count: 1,
        sent: 1,
      },
    ]);
    expect(output?.[0]?.[0]?.pairedItem).toEqual({ item: 0 });
    expect(gateway.requests[0]?.body).toEqual({
      template_id: 301,
      sms_sign_id: 201,
      messages: [{ phone_number: phone(0), params: { code: '1000', minutes: '5' } }],
    });
  });

  test('250 items travel in three requests, in order, and each has its own outcome', async () => {
    const { output } = await execute(TEMPLATE, people(250));
    expect(gateway.requests).toHaveLength(3);
    const sent = gateway.requests
      .map(({ body }) => (body as { messages: { phone_number: string }[] }).messages)
      .sort((a, b) => (a[0]?.phone_number ?? '').localeCompare(b[0]?.phone_number ?? ''));
    expect(sent.map((messages) => messages.length)).toEqual([100, 100, 50]);
    expect(sent.flat().map(({ phone_number }) => phone_number)).toEqual(
      people(250).map((person) => person.phone),
    );
    expect(output?.[0]).toHaveLength(250);
    output?.[0]?.forEach((item, index) => {
      expect(item.pairedItem).toEqual({ item: index });
      expect(item.json).toMatchObject({ status: 'accepted', phone_numbers: [phone(index)] });
    });
    expect(gateway.deliveries().size).toBe(250);
  });

  test('the batch size is an option, and so is how many requests are under way', async () => {
    await execute({ ...TEMPLATE, options: { batchSize: 7, maxConcurrency: 1 } }, people(20));
    expect(gateway.requests).toHaveLength(3);
    expect(gateway.maxInFlight).toBe(1);
  });

  test('goes out while later items are read', async () => {
    const items: IDataObject[] = people(20);
    let requestsAtLastItem = 0;
    Object.defineProperty(items[19], 'phone', {
      enumerable: true,
      get: () => {
        requestsAtLastItem = gateway.requests.length;
        return phone(19);
      },
    });
    const options = { batchSize: 1, maxConcurrency: 2 };
    const { json } = await execute({ ...CUSTOM, content: 'Hi', options }, items);
    expect(json.every(({ status }) => status === 'accepted')).toBe(true);
    expect(gateway.requests).toHaveLength(20);
    // Two under way, the one that is being planned, and the one before it that is just being sent.
    expect(requestsAtLastItem).toBeGreaterThanOrEqual(16);
  });

  test('a request goes out when it is full, and those that are not at the end', async () => {
    const items = people(5).map((person, index) => ({
      ...person,
      content: index % 2 === 0 ? 'even' : 'odd',
    }));
    const options = { batchSize: 2, maxConcurrency: 1 };
    await execute({ ...CUSTOM, options }, items);
    expect(gateway.requests.map(({ body }) => (body as { content: string }).content)).toEqual([
      'even',
      'odd',
      'even',
    ]);
  });

  test('items with another signature, template or text go in requests of their own', async () => {
    const { json } = await execute(CUSTOM, [
      { phone: phone(1), content: 'A' },
      { phone: phone(2), content: 'B' },
      { phone: phone(3), content: 'A' },
    ]);
    expect(gateway.requests.map(({ body }) => body)).toEqual([
      { sms_sign_id: 201, content: 'A', phone_numbers: [phone(1), phone(3)] },
      { sms_sign_id: 201, content: 'B', phone_numbers: [phone(2)] },
    ]);
    expect(json.map(({ batch_id }) => batch_id)).toEqual([
      json[2]?.batch_id,
      expect.not.stringMatching(String(json[0]?.batch_id)),
      json[0]?.batch_id,
    ]);
  });

  test.each([
    ['another template', { template: 302, code: '2' }, ['template_id']],
    ['another signature', { signature: 202 }, ['sms_sign_id']],
    ['other user data', { userData: 'b' }, ['user_data']],
    [
      'everything else',
      { template: 302, signature: 202, userData: 'b' },
      ['template_id', 'sms_sign_id', 'user_data'],
    ],
  ])('an item with %s does not travel with the others', async (_, other, differing) => {
    const item = { phone: phone(1), template: 301, signature: 201, userData: 'a', code: '1' };
    await execute(
      {
        ...TEMPLATE,
        templateId: { __rl: true, mode: 'id', value: '={{ $json.template }}' },
        signatureId: { __rl: true, mode: 'id', value: '={{ $json.signature }}' },
        options: { userData: '={{ $json.userData }}' },
      },
      [item, { ...item, ...other, phone: phone(2) }, { ...item, phone: phone(3) }],
      { node: { onError: 'continueRegularOutput' } },
    );
    const bodies = gateway.requests.map(({ body }) => body as IDataObject);
    expect(bodies.map(({ messages }) => (messages as unknown[]).length)).toEqual([2, 1]);
    const [shared = {}, own = {}] = bodies;
    const names = ['template_id', 'sms_sign_id', 'user_data'];
    expect(names.filter((name) => shared[name] !== own[name])).toEqual(differing);
  });

  test.each([
    ['text', `${phone(1)}, +86 ${phone(2)};0086-${phone(3)}\n${phone(4)} ${phone(5)}`],
    ['an array', [phone(1), phone(2), Number(phone(3)), `${phone(4)},${phone(5)}`]],
  ])('an item may name many numbers, as %s', async (_, phones) => {
    const { json } = await execute(TEMPLATE, [{ phone: phones, code: '1' }]);
    expect(json).toMatchObject([
      { status: 'accepted', phone_numbers: [1, 2, 3, 4, 5].map(phone), count: 5, sent: 5 },
    ]);
  });

  test('an item that is split over requests says what happened to each part', async () => {
    gateway.fault({ kind: 'businessCode', code: 9000, msg: 'no', nth: 2 });
    const { output } = await execute(
      { ...TEMPLATE, options: { batchSize: 2, maxConcurrency: 1 } },
      [{ phone: [1, 2, 3].map(phone), code: '1' }],
      { node: { onError: 'continueRegularOutput' } },
    );
    expect(output?.[0]?.[0]?.json).toMatchObject({
      status: 'unknown',
      phone_numbers: [1, 2, 3].map(phone),
      parts: [
        { status: 'accepted', phone_numbers: [1, 2].map(phone) },
        { status: 'rejected', code: 9000, phone_numbers: [phone(3)] },
      ],
    });
  });

  test('user data and phone data are passed on and come back in the report', async () => {
    await execute(
      { ...TEMPLATE, options: { userData: 'order-1', phoneData: '={{ $json.code }}' } },
      people(2),
    );
    expect(gateway.requests.map(({ body }) => body)).toMatchObject([
      { user_data: 'order-1', messages: [{ phone_data: '1000' }, { phone_data: '1001' }] },
    ]);
  });
});

describe('input that cannot be sent', () => {
  const cases: [string, object, object, RegExp][] = [
    [
      'letters in a number',
      TEMPLATE,
      { phone: '1380013800x', code: '1' },
      /"1380013800x", which is not/,
    ],
    ['a short number', TEMPLATE, { phone: '1380013', code: '1' }, /not a mobile number/],
    [
      'an object for a number',
      TEMPLATE,
      { phone: [{ mobile: phone(1) }], code: '1' },
      /"\{"mobile":"13810000001"\}", which is not/,
    ],
    ['no recipient', TEMPLATE, { phone: ' , ', code: '1' }, /'Phone Numbers' is empty/],
    ['a missing recipient', TEMPLATE, { code: '1' }, /'Phone Numbers' is empty/],
    [
      'a parameter that is a number',
      TEMPLATE,
      { phone: phone(1), code: 4821 },
      /'code' must be text, not the number 4821/,
    ],
    [
      'a parameter that is missing',
      TEMPLATE,
      { phone: phone(1), code: null },
      /'code' has no value/,
    ],
    [
      'parameters that are not JSON',
      { ...TEMPLATE, parametersJson: '{code: 1' },
      { phone: phone(1) },
      /not valid JSON/,
    ],
    [
      'parameters that are a list',
      { ...TEMPLATE, parametersJson: '[1]' },
      { phone: phone(1) },
      /must be a JSON object/,
    ],
    [
      'a template that is no number',
      { ...TEMPLATE, templateId: 'abc' },
      { phone: phone(1), code: '1' },
      /'Template' must be a whole number/,
    ],
    [
      'no signature',
      { ...TEMPLATE, signatureId: { __rl: true, mode: 'id', value: '={{ $json.none }}' } },
      { phone: phone(1), code: '1' },
      /'Signature' is empty/,
    ],
    ['no text', CUSTOM, { phone: phone(1), content: '' }, /'Content' is empty/],
    [
      'a batch size of 0',
      { ...TEMPLATE, options: { batchSize: 0 } },
      { phone: phone(1), code: '1' },
      /'Batch Size' must be a whole number/,
    ],
  ];

  test.each(cases)('%s: is told before any request', async (_, parameters, item, text) => {
    const { error } = await execute(parameters as never, [item as never]);
    expect(error?.message).toMatch(text);
    expect((error as { description?: string }).description).toMatch(/\S/);
    expect(gateway.requests).toHaveLength(0);
  });

  test('stays with its item: the others are sent', async () => {
    const items = [
      { phone: phone(0), code: '1' },
      { phone: 'nonsense', code: '1' },
      { phone: phone(2), code: 3 },
      { phone: [phone(3), 'x'], code: '1' },
      { phone: phone(4), code: '1' },
      { phone: '', code: '1' },
    ];
    const { output } = await execute(TEMPLATE, items as never, {
      node: { onError: 'continueErrorOutput' },
    });
    expect(output?.[0]?.map(({ json }) => json)).toMatchObject([
      { status: 'accepted', phone_numbers: [phone(0)] },
      { status: 'accepted', phone_numbers: [phone(4)] },
    ]);
    expect(output?.[1]?.map(({ json }) => json)).toMatchObject([
      { details: { status: 'rejected', phone_numbers: ['nonsense'] } },
      {
        details: { status: 'rejected', msg: expect.stringContaining("'code'"), phone_numbers: [] },
      },
      {
        details: { parts: [{ status: 'accepted' }, { status: 'rejected', phone_numbers: ['x'] }] },
      },
      { details: { status: 'rejected', phone_numbers: [] } },
    ]);
    expect(output?.[1]?.map(({ pairedItem }) => pairedItem)).toEqual(
      [1, 2, 3, 5].map((item) => ({ item })),
    );
    expect([...gateway.deliveries().keys()]).toEqual([phone(0), phone(3), phone(4)]);
  });

  test('is told together with what a number looks like', async () => {
    const { error } = await execute(TEMPLATE, [{ phone: '1380013800x', code: '1' }]);
    expect((error as { description?: string }).description).toMatch(/11 digits.*\+86/);
  });
});

describe('a request that goes wrong', () => {
  const cases: [string, Fault, 'rejected' | 'unknown'][] = [
    ['a business code', { kind: 'businessCode', code: 9000, msg: 'refused' }, 'rejected'],
    ['HTTP 400', { kind: 'status', status: 400 }, 'rejected'],
    ['HTTP 500', { kind: 'status', status: 500 }, 'unknown'],
    ['HTTP 503 after accepting', { kind: 'status', status: 503, accept: true }, 'unknown'],
    ['a reset before accepting', { kind: 'resetBeforeAccept' }, 'unknown'],
    ['a reset after accepting', { kind: 'resetAfterAccept' }, 'unknown'],
    ['half an answer', { kind: 'truncatedJson' }, 'unknown'],
    ['half the announced bytes', { kind: 'truncatedJson', mismatchedLength: true }, 'unknown'],
    ['a web page', { kind: 'html' }, 'unknown'],
    ['an empty answer', { kind: 'emptyBody' }, 'unknown'],
    ['another shape', { kind: 'wrongShape', body: { code: 0 } }, 'unknown'],
    ['a redirect', { kind: 'redirect' }, 'unknown'],
    ['no answer', { kind: 'hang' }, 'unknown'],
  ];

  test.each(cases)(
    '%s: every item says so, and nothing is sent twice',
    async (_, fault, status) => {
      gateway.fault(
        // The request, and each of its messages alone.
        status === 'rejected'
          ? { ...fault, match: isFor(2, 3), times: 3 }
          : { ...fault, match: isFor(2) },
      );
      const { output } = await execute(
        { ...TEMPLATE, options: { batchSize: 2, maxConcurrency: 1, timeout: 500 } },
        people(6),
        {
          node: {
            onError: 'continueErrorOutput',
            retryOnFail: true,
            maxTries: 2,
            waitBetweenTries: 1,
          },
        },
      );
      // The second request carried the items 2 and 3; n8n runs the node once, as its first item is fine.
      expect(output?.[0]?.map(({ pairedItem }) => pairedItem)).toEqual(
        [0, 1, 4, 5].map((item) => ({ item })),
      );
      expect(output?.[1]?.map(({ json }) => json)).toMatchObject([
        { error: expect.any(String), details: { status, phone_numbers: [phone(2)] } },
        { error: expect.any(String), details: { status, phone_numbers: [phone(3)] } },
      ]);
    },
  );

  test('in an old workflow that is set to continue on fail: the outcome stays where it is', async () => {
    gateway.fault({ kind: 'businessCode', code: 9000, msg: 'refused' });
    const { json } = await execute(TEMPLATE, people(1), { node: { continueOnFail: true } });
    expect(json).toMatchObject([{ status: 'rejected', error: expect.stringContaining('refused') }]);
  });

  test('with "stop", the run ends with the counts, and a retry sends only what was refused', async () => {
    gateway.fault({ kind: 'businessCode', code: 9000, msg: 'busy', match: isFor(0, 1), times: 3 });
    gateway.fault({ kind: 'resetAfterAccept', match: isFor(2) });
    const contextData = {};
    const parameters = { ...TEMPLATE, options: { batchSize: 2, maxConcurrency: 1 } };
    const first = await execute(parameters, people(6), { contextData });
    expect(first.error?.message).toContain('busy (code 9000)');
    expect((first.error as { description?: string }).description).toMatch(
      /2 accepted, 2 refused, 2 unknown.*sends only what was refused/,
    );

    const second = await execute(parameters, people(6), {
      contextData,
      node: { onError: 'continueErrorOutput' },
    });
    expect(second.output?.[0]?.map(({ json }) => json)).toMatchObject([
      { status: 'accepted', sent: 2 },
      { status: 'accepted', sent: 2 },
      { status: 'accepted', remembered: true },
      { status: 'accepted', remembered: true },
    ]);
    expect(second.output?.[1]).toHaveLength(2);
    expect(gateway.deliveries().size).toBe(6);
  });

  test('Retry On Fail repeats a refused request and no other', async () => {
    gateway.fault({ kind: 'businessCode', code: 9000, msg: 'busy', match: isFor(0, 1), times: 3 });
    const { json } = await execute(
      { ...TEMPLATE, options: { batchSize: 2, maxConcurrency: 1 } },
      people(4),
      { node: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 } },
    );
    expect(json.map(({ status }) => status)).toEqual(Array(4).fill('accepted'));
    expect(gateway.deliveries().size).toBe(4);
  });

  test('fewer accepted than sent: the output says so', async () => {
    gateway.fault({ kind: 'acceptedFewer', acceptedCount: 2 });
    const { json } = await execute(TEMPLATE, people(3));
    expect(json).toMatchObject(
      Array(3).fill({
        status: 'accepted',
        count: 2,
        sent: 3,
        warning: expect.stringContaining('2 of the 3'),
      }),
    );
  });
});

describe('an answer that contradicts itself', () => {
  const CONTINUE = { node: { onError: 'continueRegularOutput' as const } };
  const RECEIPT = { msg: 'ok', batch_id: 'b-1', count: 1 };

  const answer = async (fault: Partial<Fault>) => {
    gateway.fault({ kind: 'status', status: 200, accept: true, times: Infinity, ...fault });
    const { json } = await execute(TEMPLATE, people(1), {
      node: { ...CONTINUE.node, retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
    });
    expect(gateway.requests).toHaveLength(1);
    return json[0];
  };

  test.each([429, 500, 503, 404])(
    'HTTP %d with code 0 and a batch is an acceptance, sent once',
    async (status) => {
      const body = { code: 0, ...RECEIPT };
      expect(await answer({ status, retryAfter: '0', body })).toMatchObject({
        status: 'accepted',
        batch_id: 'b-1',
      });
    },
  );

  test.each([
    ['a code and a batch', 200, { code: 9000, ...RECEIPT }],
    ['a code and a count', 200, { code: 9000, count: 1 }],
    ['a code and a batch further down', 200, { code: 9000, data: [{ batch_id: 'b' }] }],
    ['HTTP 400 and a batch', 400, RECEIPT],
    ['HTTP 429 and a batch', 429, RECEIPT],
    ['HTTP 429 and half of an answer', 429, '{"code":0,"batch_id":"b'],
    ['HTTP 400 and half of an answer', 400, '{"code":0,"ms'],
  ])('%s: may have been sent, and is not sent again', async (_, status, body) => {
    expect(await answer({ status, retryAfter: '0', body })).toMatchObject({ status: 'unknown' });
  });
});

describe('what an answer says', () => {
  test.each([
    ['{"code":0,"batch_id":1234567890123456789,"count":1}', '1234567890123456789'],
    ['{"batch_id": -9007199254740993,"code":"0","count":1}', '-9007199254740993'],
    ['\ufeff{"code":0,"msg":"a \\" 12345678901234567890","batch_id":"x","count":1}', 'x'],
    ['{"code":0,"rate":0.12345678901234567890,"batch_id":"x","count":1}', 'x'],
  ])('keeps all digits of a long number: %s', async (body, batchId) => {
    gateway.fault({ kind: 'html', body });
    const { json } = await execute(TEMPLATE, people(1));
    expect(json).toMatchObject([{ status: 'accepted', batch_id: batchId, count: 1 }]);
  });

  test.each([' ', '', -1, 1.5, '1e2', 'many'])('has no count in %p', async (count) => {
    gateway.fault({ kind: 'wrongShape', body: { code: 0, batch_id: 'b', count } });
    const { json } = await execute(TEMPLATE, people(1));
    expect(json).toMatchObject([{ status: 'accepted', warning: expect.stringMatching(/not say/) }]);
    expect(json[0]?.count).toBeUndefined();
  });

  test('of a refusal is in the outcome, and in the error of a run that stops', async () => {
    const body = { code: 9000, msg: 'no', request_id: 'r-1' };
    gateway.fault({ kind: 'status', status: 400, body, times: 2 });
    const said = { code: 9000, request_id: 'r-1', http_status: 400 };
    const { json } = await execute(TEMPLATE, people(1), {
      node: { onError: 'continueRegularOutput' },
    });
    expect(json).toMatchObject([{ status: 'rejected', ...said }]);
    const { error } = await execute(TEMPLATE, people(1));
    expect((error as { context?: unknown }).context).toMatchObject({ service: said });
  });
});

describe('data of the caller', () => {
  test.each([
    [0, '0'],
    [false, 'false'],
    ['x', 'x'],
    ['', undefined],
    [null, undefined],
  ])('%p goes out as %p', async (value, sent) => {
    const options = { userData: '={{ $json.data }}', phoneData: '={{ $json.data }}' };
    await execute({ ...TEMPLATE, options }, people(1, { data: value }));
    expect(gateway.requests[0]?.body).toMatchObject({
      ...(sent === undefined ? {} : { user_data: sent }),
      messages: [{ ...(sent === undefined ? {} : { phone_data: sent }) }],
    });
    expect(JSON.stringify(gateway.requests[0]?.body).includes('_data')).toBe(sent !== undefined);
  });

  test.each([{ a: 1 }, ['a']])('that is no text is told, and not sent: %j', async (data) => {
    const options = { userData: '={{ $json.data }}' };
    const { error } = await execute({ ...TEMPLATE, options } as never, people(1, { data }));
    expect(error?.message).toMatch(/'User Data' must be text, not an (object|array)/);
    expect(gateway.requests).toHaveLength(0);
  });
});

test('a text that holds no numbers is shown in short, and kept whole', async () => {
  const text = 'no number '.repeat(20).trim();
  const { json } = await execute(TEMPLATE, [{ phone: text, code: '1' }], {
    node: { onError: 'continueRegularOutput' },
  });
  expect(json).toMatchObject([
    {
      msg: `'Phone Numbers' has "${text.slice(0, 60)}…", which is not a mobile number`,
      phone_numbers: [text],
    },
  ]);
  const any = { ...TEMPLATE, options: { phoneNumberFormat: 'any' } };
  const { error } = await execute(any, [{ phone: '1'.repeat(60), code: '1' }]);
  expect(error?.message).toBe(
    `'Phone Numbers' has "${'1'.repeat(60)}", which is not a phone number`,
  );
});

test.each(['', ' ', '\n'])('a template parameter that is %p is a missing one', async (code) => {
  const { json } = await execute(TEMPLATE, [{ phone: phone(0), code }, ...people(2).slice(1)], {
    node: { onError: 'continueRegularOutput' },
  });
  expect(json).toMatchObject([
    { status: 'rejected', msg: "The template parameter 'code' has no value" },
    { status: 'accepted' },
  ]);
});

test('planning lets the event loop turn, also while no request is full', async () => {
  const contents = Array.from({ length: 40 }, (_, index) => `Text ${index}`);
  const items: IDataObject[] = Array.from({ length: 4_000 }, (_, index) => ({
    phone: phone(index),
    content: index < 500 ? 'alike' : contents[index % 40],
  }));
  let turns = 0;
  let turnsAtLastItem = 0;
  const timer = setInterval(() => (turns += 1), 1);
  Object.defineProperty(items[3_999], 'phone', {
    enumerable: true,
    get: () => {
      turnsAtLastItem = turns;
      return phone(3_999);
    },
  });
  const expression = { ...CUSTOM, content: '={{ $json.content + "" }}' };
  let turnsAtFirst = 0;
  Object.defineProperty(items[500], 'phone', {
    enumerable: true,
    get: () => {
      turnsAtFirst = turns;
      return phone(500);
    },
  });
  const { json } = await execute(expression, items);
  clearInterval(timer);
  expect(json.every(({ status }) => status === 'accepted')).toBe(true);
  // Of 3,500 items with an expression each, no request is full before the 99th of a text.
  expect(turnsAtLastItem - turnsAtFirst).toBeGreaterThan(0);
});

test('other numbers than mainland mobiles are sent to where the option says so', async () => {
  const options = { phoneNumberFormat: 'any' };
  const { json } = await execute(
    { ...TEMPLATE, options },
    [{ phone: '13800138000, +852-6123-4567', code: '1' }],
    { node: { onError: 'continueRegularOutput' } },
  );
  const [request] = gateway.requests;
  const { messages } = request?.body as { messages: { phone_number: string }[] };
  expect(messages.map((each) => each.phone_number)).toEqual(['13800138000', '85261234567']);
  // The sandbox takes mainland numbers only, and the other one costs the first nothing.
  expect(json).toMatchObject([
    { parts: [{ status: 'accepted' }, { status: 'rejected', code: 2006 }] },
  ]);
});

test('an answer that goes on for ever is unknown when the time is up', async () => {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' });
    const drip = setInterval(() => response.write(' '), 50);
    response.on('close', () => clearInterval(drip));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stuck = await createHarness({ ...gateway.credential(), baseUrl } as never);
  const { json } = await stuck.execute({ ...TEMPLATE, options: { timeout: 300 } }, people(1), {
    node: { onError: 'continueRegularOutput' },
  });
  expect(json).toMatchObject([
    { status: 'unknown', msg: expect.stringContaining('within 300 ms') },
  ]);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
