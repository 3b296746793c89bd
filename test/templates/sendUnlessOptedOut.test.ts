import type { IDataObject } from 'n8n-workflow';

import { has, OTHER, OWN, PHONE, useTemplate } from './run';

const template = useTemplate(
  'send-unless-opted-out',
  { Send: OWN },
  '${name}，订单${order}已发货。',
);

const { gateway, n8n } = template;

const message = (phone: unknown, key = 'A-1'): IDataObject =>
  // The caller's own fields are not the outcome.
  ({ phone, key, name: '王芳', order: key, status: 'paid', msg: 'hello' }) as IDataObject;

const send = async (...messages: IDataObject[]) => {
  const { error, output } = await template.run('From another workflow', ...messages);
  expect(error).toBeUndefined();
  return output('Outcome');
};

const listed = (...phones: unknown[]) => {
  const rows = phones.map((phone_number, index) => ({ id: index + 1, phone_number, word: 'TD' }));
  n8n.tables.set('sms_opt_outs', rows as IDataObject[]);
};

const sent = () => [...gateway.deliveries()];

test('each gets its own, but for who has opted out; the caller gets one item for each', async () => {
  listed(PHONE);
  const outcomes = await send(message(PHONE), message(OTHER), message('1381000', 'A-2'));
  const rejected = { status: 'rejected', batch_id: '' };
  expect(outcomes).toHaveLength(3);
  expect(outcomes).toEqual(
    expect.arrayContaining([
      {
        ...{ phone: '1381000', key: 'A-2', ...rejected },
        msg: 'The field phone is not one mobile number.',
      },
      { phone: PHONE, key: 'A-1', ...rejected, msg: 'The number has opted out.' },
      { phone: OTHER, key: 'A-1', status: 'accepted', msg: has(/./), batch_id: has(/./) },
    ]),
  );
  expect(sent()).toEqual([[OTHER, 1]]);
});

test('the first message makes the list', async () => {
  expect(await send(message(PHONE))).toMatchObject([{ status: 'accepted' }]);
  expect(n8n.tables.get('sms_opt_outs')).toEqual([]);
});

/** What the owner has typed into the list, what a workflow gives, and to whom it goes. */
test.each<[string, unknown[], unknown, string[]]>([
  ['the owner has typed two numbers in one row', [`${OTHER}, ${PHONE}`], PHONE, []],
  ['the owner has typed wide digits', ['１３８ １０００ ００１０'], PHONE, []],
  ['a row that the owner has left empty', ['', null], PHONE, [PHONE]],
  ['a number that is another one’s end', ['210138100000'], PHONE, [PHONE]],
  ['the workflow writes +86', [PHONE], `+86 ${PHONE}`, []],
  ['the workflow gives a number as a number', [PHONE], Number(PHONE), []],
  // With one of them on the list, the other may not take it past the list.
  ['two numbers in one item', [PHONE], `${PHONE},${OTHER}`, []],
  ['a list in one item', [], [PHONE, OTHER], []],
  ['1,000 numbers in one item', [], Array.from({ length: 1000 }, () => PHONE).join(','), []],
  ['%', [OTHER], '%', []],
  ['no number', [], undefined, []],
])('%s', async (_, list, phone, to) => {
  listed(...list);
  expect(await send(message(phone))).toMatchObject([
    { status: to.length > 0 ? 'accepted' : 'rejected' },
  ]);
  expect(sent()).toEqual(to.map((each) => [each, 1]));
});

test('a key is sent once to a number', async () => {
  await send(message(PHONE), message(OTHER));
  expect(await send(message(PHONE))).toMatchObject([{ status: 'skipped' }]);
  expect(sent()).toEqual([
    [PHONE, 1],
    [OTHER, 1],
  ]);
});

test('no key: it is not sent, and the caller is told', async () => {
  expect(await send({ ...message(PHONE), key: undefined })).toMatchObject([
    { status: 'rejected', msg: has(/key/i) },
  ]);
  expect(sent()).toEqual([]);
});

test.each<[string, () => void]>([
  ['rejected', () => template.refuse()],
  ['unknown', () => gateway.fault({ kind: 'status', path: '/sendsms/template/send', status: 502 })],
])('what the service does with it is told: %s', async (status, happens) => {
  happens();
  expect(await send(message(PHONE))).toMatchObject([{ phone: PHONE, status }]);
});
