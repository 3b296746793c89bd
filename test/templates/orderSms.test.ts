import type { IDataObject } from 'n8n-workflow';

import { PHONE, SHIPPED, useTemplate } from './run';

const template = useTemplate('order-sms', { 'Send the SMS': SHIPPED });

const { gateway, n8n } = template;

const OTHER = '13810000011';

const order = (order: unknown = 'A-1', phone: unknown = PHONE) => ({
  order,
  phone,
  name: '李雷',
  date: '6月3日',
});

/** What the shop gets. */
const post = async (body: unknown) => {
  await template.run('Order', { body } as IDataObject);
  return n8n.answers.at(-1);
};

const accepted = {
  code: 200,
  body: { status: 'accepted', batch_id: expect.any(String) as unknown },
};
const rejected = { code: 422, body: { status: 'rejected' } };
const unknown = { code: 502, body: { status: 'unknown' } };

/** Posted before, with an outcome that nobody knows. */
const open = {
  code: 409,
  body: { status: 'open', reason: expect.stringContaining('may have been sent') as unknown },
};

const changed = {
  code: 409,
  body: { status: 'changed', reason: expect.stringContaining('another phone or date') as unknown },
};

test('an order is sent, and the shop is told', async () => {
  expect(await post(order())).toEqual(accepted);
  expect(template.sentTo(PHONE)).toEqual([{ name: '李雷', order: 'A-1', date: '6月3日' }]);
});

test('a wrong number: nothing is sent, the answer says why, and the order can be posted again', async () => {
  const reason = expect.stringContaining('1381000') as unknown;
  expect(await post(order('A-1', '1381000'))).toEqual({
    body: { status: 'rejected', reason },
    code: 422,
  });
  expect(await post(order())).toEqual(accepted);
  expect(template.sentTo(PHONE)).toHaveLength(1);
});

const posts = async (...bodies: unknown[]) => {
  for (const body of bodies) await post(body);
};

/** What happens, the last answer to the shop, and the messages on the phone. One unless it says otherwise. */
type Row = [what: string, play: () => Promise<unknown>, answer: object, sent?: number];

const otherOrders = 'again after 502, a third time, while other orders go through';

/** What shops, networks and services do, and what buyers type and try: one order, one number, a few words of theirs. */
const ROWS: Row[] = [
  ['a duplicate, as a number and as text', () => posts(order(1001), order('1001')), accepted],
  [
    'a duplicate in the same second',
    async () => [await Promise.all([post(order()), post(order())]), await post(order())],
    accepted,
  ],
  ['again after 502: still not known', () => broken(order(), order()), unknown],
  [otherOrders, () => broken(order(), order('A-2', OTHER), order(), order()), unknown],
  [
    'n8n is killed before it knows the outcome: nobody knows it the second time',
    async () => {
      await post(order());
      n8n.tables.set('sms_orders', []);
      await post(order());
    },
    open,
  ],
  ['a list with one order', () => post([order()]), accepted],
  ['JSON that is posted as text', () => post(JSON.stringify(order())), accepted],
  ['a list of numbers', () => post(order('A-1', [PHONE, OTHER])), rejected, 0],
  ['two numbers in a text', () => post(order('A-1', `${PHONE}, ${OTHER}`)), rejected, 0],
  [
    'a name of 1,200 characters',
    () => post({ ...order(), name: '点'.repeat(1200), date: '6月3日'.repeat(99) }),
    accepted,
  ],
  [
    'an emoji where the name is cut',
    () => post({ ...order(), name: `${'a'.repeat(19)}😀😀` }),
    accepted,
  ],
  ...[' Ａ-1 ', 'A\u200b-1', 'A\u20111', 'A−1', '\u00a0A-1\u3164'].map((spelled): Row => [
    `again, the order as ${JSON.stringify(spelled)}`,
    () => posts(order(), order(spelled, `+86 ${PHONE}`)),
    accepted,
  ]),
  [
    'an order of 1,200 characters, and another one that begins like it',
    () => posts(order('1'.repeat(1200)), order('1'.repeat(1201))),
    accepted,
    2,
  ],
  ['an invisible name', () => post({ ...order(), name: '\u200b\u3164' }), rejected, 0],
  ['again, with another phone', () => posts(order(), order('A-1', OTHER)), changed],
  ['again, with another date', () => posts(order(), { ...order(), date: '6月4日' }), changed],
  [
    'a sixth order of one number in a day',
    () => posts(...[1, 2, 3, 4, 5, 6].map((count) => order(`A-${count}`))),
    {
      code: 422,
      body: { status: 'rejected', reason: expect.stringContaining('had 5 today') as unknown },
    },
    5,
  ],
  ['a form', () => post(Object.assign(Object.create(null), order('1001')) as object), accepted],
  ['a list with two orders: none is sent', () => post([order(), order('A-2')]), rejected, 0],
  ...[undefined, '', 'phone=1', '[]', 'null', { '{"order":"A-1"}': '' }].map((body): Row => [
    `no order: ${JSON.stringify(body)}`,
    () => post(body),
    rejected,
    0,
  ]),
  ...['order', 'phone', 'name'].map((field): Row => [
    `no ${field}`,
    () => post({ ...order(), [field]: undefined }),
    rejected,
    0,
  ]),
  [
    'the service refuses, and takes it the next time',
    () => {
      template.refuse();
      return posts(order(), order());
    },
    accepted,
    2,
  ],
  [
    'an answer of the service that has no batch',
    () => {
      gateway.fault({ kind: 'wrongShape', body: { code: 0, msg: 'success' } });
      return post(order());
    },
    { code: 200, body: { status: 'accepted' } },
  ],
];

/** The answer to the first of these orders is lost. */
function broken(...orders: object[]) {
  gateway.fault({ kind: 'resetAfterAccept' });
  return posts(...orders);
}

test.each(ROWS)('%s', async (what, play, answer, sent = 1) => {
  await play();
  expect(n8n.answers.at(-1)).toMatchObject(answer);
  expect(template.sentTo(PHONE)).toHaveLength(sent);
  expect([...gateway.deliveries().keys()].filter((phone) => phone !== PHONE)).toEqual(
    what === otherOrders ? [OTHER] : [],
  );
  for (const { name, order, date } of template.sentTo(PHONE))
    expect([name, order, date].join('').length).toBeLessThanOrEqual(80);
  const seen = JSON.stringify([n8n.answers, ...n8n.tables.values()]);
  expect(seen).not.toMatch(/undefined|\[object/);
});

test('the row cannot be written: the answer is true, and later nobody knows', async () => {
  n8n.failing.add('sms_orders');
  expect(await post(order())).toEqual(accepted);
  n8n.failing.clear();
  expect(await post(order())).toMatchObject(open);
  expect(template.sentTo(PHONE)).toHaveLength(1);
});
