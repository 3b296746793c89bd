import type { IDataObject } from 'n8n-workflow';

import { testRows } from './rows';
import { has, orderOf, OTHER, PHONE, SHIPPED, useTemplate } from './run';

const template = useTemplate('order-sms', { 'Send the SMS': SHIPPED });

const { gateway, n8n } = template;

/** What the shop gets. */
const post = async (body: unknown) => {
  await template.run('Order', { body } as IDataObject);
  return n8n.answers.at(-1);
};

/** A list would end as one order: each is posted alone. */
testRows({
  ...template,
  handIn: async (orders) => {
    const said: string[] = [];
    for (const order of orders) {
      await post(order);
      // It quotes what was posted.
      const { status, reason = '' } = Object(n8n.answers.pop()?.body) as IDataObject;
      said.push(`${String(status)}: ${String(reason)}`);
    }
    return said;
  },
  holds: (cell) => typeof cell !== 'bigint',
  keyOf: ({ order }) => order,
  again: /^(accepted|changed)/,
  refusal: (field) =>
    field === 'phone' ? /^rejected: .*(Phone Numbers|Max Messages)/s : new RegExp(`'${field}'`),
  most: 5,
});

const accepted = {
  code: 200,
  body: { status: 'accepted', batch_id: has(/./) },
};
const rejected = { code: 422, body: { status: 'rejected' } };
const unknown = { code: 502, body: { status: 'unknown' } };

/** Posted before, with an outcome that nobody knows. */
const open = {
  code: 409,
  body: { status: 'open', reason: has('may have been sent') },
};

const changed = {
  code: 409,
  body: { status: 'changed', reason: has('another phone or date') },
};

test('an order is sent, and the shop is told', async () => {
  expect(await post(orderOf())).toEqual(accepted);
  expect(template.sentTo(PHONE)).toEqual([{ name: '李雷', order: 'A-1', date: '6月3日' }]);
});

/** What happened before, the posts, the last answer to the shop, and the messages on the phone: one unless it says otherwise. */
type Row = [what: string, posts: unknown[], answer: object, sent?: number, before?: () => unknown];

/** The answer of the service to the first order is lost. */
const broken = () => gateway.fault({ kind: 'resetAfterAccept' });

const WRONG = orderOf('A-1', { phone: '1381000' });
const LONG = { name: '点'.repeat(1200), date: '6月3日'.repeat(99) };

/** What shops, networks and services do, and what buyers type and try: one order, one number, a few words of theirs. */
const ROWS: Row[] = [
  [
    'long numbers that have lost digits: they may be two orders',
    ['1234567890123456789', '1234567890123456801'].map((long) => orderOf(Number(long))),
    rejected,
    0,
  ],
  ['a duplicate, as a number and as text', [orderOf(1001), orderOf('1001')], accepted],
  [
    'a duplicate in the same second',
    [orderOf()],
    accepted,
    1,
    () => Promise.all([post(orderOf()), post(orderOf())]),
  ],
  [
    'again after 502, a third time, while another order goes through',
    [orderOf(), orderOf('A-2'), orderOf(), orderOf()],
    unknown,
    2,
    broken,
  ],
  [
    'n8n is killed before it knows the outcome: nobody knows it the second time',
    [orderOf()],
    open,
    1,
    async () => {
      await post(orderOf());
      n8n.tables.set('sms_orders', []);
    },
  ],
  ['a list with one order', [[orderOf()]], accepted],
  ['JSON that is posted as text', [JSON.stringify(orderOf())], accepted],
  ['a wrong number, corrected', [WRONG, orderOf()], accepted],
  [
    'a mobile number and another one in a text',
    [orderOf('A-1', { phone: `${PHONE}, 010-12345678` })],
    { code: 422, body: { status: 'rejected', reason: has('/010-12345678') } },
    0,
  ],
  ['a name of 1,200 characters', [orderOf('A-1', LONG)], accepted],
  [
    'two long orders that begin alike',
    ['1'.repeat(1200), '1'.repeat(1201)].map((order) => orderOf(order)),
    accepted,
    2,
  ],
  ['again, with another phone', [orderOf(), orderOf('A-1', { phone: OTHER })], changed],
  ['again, with another date', [orderOf(), orderOf('A-1', { date: '6月4日' })], changed],
  [
    'a sixth order of one number in a day',
    [1, 2, 3, 4, 5, 6].map((count) => orderOf(`A-${count}`)),
    { code: 422, body: { status: 'rejected', reason: has('had 5 today') } },
    5,
  ],
  ['a form', [Object.assign(Object.create(null), orderOf('1001'))], accepted],
  ['a list with two orders: none is sent', [[orderOf(), orderOf('A-2')]], rejected, 0],
  ...[undefined, '', 'phone=1', '[]', 'null', { '{"order":"A-1"}': '' }].map((body): Row => [
    `no order: ${JSON.stringify(body)}`,
    [body],
    rejected,
    0,
  ]),
  ['the service refuses, and takes it next', [orderOf(), orderOf()], accepted, 2, template.refuse],
  [
    'an answer of the service that has no batch',
    [orderOf()],
    { code: 200, body: { status: 'accepted' } },
    1,
    () => gateway.fault({ kind: 'wrongShape', body: { code: 0, msg: 'success' } }),
  ],
];

test.each(ROWS)('%s', async (_, posts, answer, sent = 1, before = () => undefined) => {
  await before();
  for (const body of posts) await post(body);
  expect(n8n.answers.at(-1)).toMatchObject(answer);
  expect(template.sentTo(PHONE)).toHaveLength(sent);
  expect([...gateway.deliveries().keys()].filter((phone) => phone !== PHONE)).toEqual([]);
  for (const { name, order, date } of template.sentTo(PHONE))
    expect([name, order, date].join('').length).toBeLessThanOrEqual(80);
});

test('the row cannot be written: the answer is true, and later nobody knows', async () => {
  n8n.failing.add('sms_orders');
  expect(await post(orderOf())).toEqual(accepted);
  n8n.failing.clear();
  expect(await post(orderOf())).toMatchObject(open);
  expect(template.sentTo(PHONE)).toHaveLength(1);
});
