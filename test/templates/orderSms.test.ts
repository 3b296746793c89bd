import type { IDataObject } from 'n8n-workflow';

import type { Fault } from '../sandbox/faults';
import { PHONE, SHIPPED, useTemplate } from './run';

const template = useTemplate('order-sms', { 'Send the SMS': SHIPPED });

const { gateway, n8n } = template;

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

const fault = (kind: Fault['kind'], body?: unknown) => gateway.fault({ kind, body });

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

interface Deviation {
  what: string;
  /** What happens before the last answer. */
  play: () => Promise<unknown>;
  answer: object;
  /** Messages on the phone. One unless it says otherwise. */
  sent?: number;
}

/** What shops, networks and services do, and what the owner expects of the answer and on the phone. */
const DEVIATIONS: Deviation[] = [
  {
    what: 'the order’s number is a number',
    play: () => post(order(1001)),
    answer: accepted,
  },
  {
    what: 'a duplicate: the same answer again',
    play: async () => [await post(order()), await post(order())],
    answer: accepted,
  },
  {
    what: 'a duplicate, once as a number and once as text',
    play: async () => [await post(order(1001)), await post(order('1001'))],
    answer: accepted,
  },
  {
    what: 'a duplicate in the same second',
    play: async () => [await Promise.all([post(order()), post(order())]), await post(order())],
    answer: accepted,
  },
  {
    what: 'again after 502: still not known',
    play: async () => {
      fault('resetAfterAccept');
      return [await post(order()), await post(order())];
    },
    answer: unknown,
  },
  {
    what: 'again after 502, a third time, while other orders go through',
    play: async () => {
      fault('resetAfterAccept');
      await post(order());
      await post(order('A-2', '13810000011'));
      return [await post(order()), await post(order())];
    },
    answer: unknown,
  },
  {
    what: 'n8n is killed before it knows the outcome: nobody knows it the second time',
    play: async () => {
      await post(order());
      n8n.tables.set('sms_orders', []);
      return await post(order());
    },
    answer: open,
  },
  {
    what: 'a list with one order',
    play: () => post([order()]),
    answer: accepted,
  },
  {
    what: 'JSON that is posted as text',
    play: () => post(JSON.stringify(order())),
    answer: accepted,
  },
];

/** What buyers type, who may be anybody, and what they try: one order, one number, a few words of theirs. */
const BUYERS: Deviation[] = [
  {
    what: '1,000 numbers',
    play: () =>
      post(
        order(
          'A-1',
          Array.from({ length: 1000 }, (_, at) => `1381${1000010 + at}`),
        ),
      ),
    answer: rejected,
    sent: 0,
  },
  {
    what: 'two numbers in a text',
    play: () => post(order('A-1', `${PHONE}, 13810000011`)),
    answer: rejected,
    sent: 0,
  },
  {
    what: 'a name of 1,200 characters',
    play: () => post({ ...order(), name: '点'.repeat(1200), date: '6月3日'.repeat(99) }),
    answer: accepted,
  },
  {
    what: 'an emoji where the name is cut',
    play: () => post({ ...order(), name: `${'a'.repeat(19)}😀😀` }),
    answer: accepted,
  },
  {
    what: 'again, with blanks and full width around the order, and a country code',
    play: async () => [await post(order()), await post(order(' Ａ-1 ', `+86 ${PHONE}`))],
    answer: accepted,
  },
  ...['A\u200b-1', 'A\u20111', 'A−1', '\u00a0A-1\u3164'].map((spelled) => ({
    what: `again, the order as ${JSON.stringify(spelled)}`,
    play: async () => [await post(order()), await post(order(spelled))],
    answer: accepted,
  })),
  {
    what: 'an order of 1,200 characters, and another one that begins like it',
    play: async () => [await post(order('1'.repeat(1200))), await post(order('1'.repeat(1201)))],
    answer: accepted,
    sent: 2,
  },
  {
    what: 'nothing that is seen for a name',
    play: () => post({ ...order(), name: '\u200b\u3164' }),
    answer: rejected,
    sent: 0,
  },
  {
    what: 'again, with another phone',
    play: async () => [await post(order()), await post(order('A-1', '13810000011'))],
    answer: changed,
  },
  {
    what: 'again, with another date',
    play: async () => [await post(order()), await post({ ...order(), date: '6月4日' })],
    answer: changed,
  },
  {
    what: 'a sixth order of one number in a day',
    play: async () => {
      for (let count = 1; count <= 6; count++) await post(order(`A-${count}`));
    },
    answer: {
      code: 422,
      body: { status: 'rejected', reason: expect.stringContaining('had 5 today') as unknown },
    },
    sent: 5,
  },
];

/** The same, where there is nothing to it. */
const OTHERS: Deviation[] = [
  {
    what: 'a form',
    play: () => post(Object.assign(Object.create(null), order('1001')) as object),
    answer: accepted,
  },
  {
    what: 'a list with two orders: none is sent',
    play: () => post([order(), order('A-2')]),
    answer: rejected,
    sent: 0,
  },
  ...[undefined, '', 'phone=1', '[]', 'null', { '{"order":"A-1"}': '' }].map((body) => ({
    what: `no order: ${JSON.stringify(body)}`,
    play: () => post(body),
    answer: rejected,
    sent: 0,
  })),
  ...['order', 'phone', 'name'].map((field) => ({
    what: `no ${field}`,
    play: () => post({ ...order(), [field]: undefined }),
    answer: rejected,
    sent: 0,
  })),
  {
    what: 'the service refuses, and takes it the next time',
    play: async () => {
      template.refuse();
      return [await post(order()), await post(order())];
    },
    answer: accepted,
    sent: 2,
  },
  {
    what: 'an answer without a batch',
    play: () => {
      fault('wrongShape', { code: 0, msg: 'success' });
      return post(order());
    },
    answer: { code: 200, body: { status: 'accepted' } },
  },
  ...[{}, [], 'null', '<html>', { code: 0, count: 0 }].map((body) => ({
    what: `an answer that nobody can read: ${JSON.stringify(body)}`,
    play: () => {
      fault(typeof body === 'string' ? 'html' : 'wrongShape', body);
      return post(order());
    },
    answer: unknown,
  })),
];

test.each([...DEVIATIONS, ...BUYERS, ...OTHERS])(
  '$what',
  async ({ what, play, answer, sent = 1 }) => {
    await play();
    expect(n8n.answers.at(-1)).toMatchObject(answer);
    expect(template.sentTo(PHONE)).toHaveLength(sent);
    expect([...gateway.deliveries().keys()].filter((phone) => phone !== PHONE)).toEqual(
      what.includes('other orders') ? ['13810000011'] : [],
    );
    for (const { name, order, date } of template.sentTo(PHONE))
      expect([name, order, date].join('').length).toBeLessThanOrEqual(80);
    const seen = JSON.stringify([n8n.answers, ...n8n.tables.values()]);
    expect(seen).not.toMatch(/undefined|\[object/);
  },
);

test('the row cannot be written: the answer is true, and later nobody knows', async () => {
  n8n.failing.add('sms_orders');
  expect(await post(order())).toEqual(accepted);
  n8n.failing.clear();
  expect(await post(order())).toMatchObject(open);
  expect(template.sentTo(PHONE)).toHaveLength(1);
});
