import type { IDataObject } from 'n8n-workflow';

import { picked } from '../kit/workflows/workflowFiles';
import { PHONE, SHIPPED, useTemplate } from './run';

const SHEET = { documentId: picked('sheet') };

const template = useTemplate('sheet-sms', {
  'Send the SMS': SHIPPED,
  'Read the sheet': SHEET,
  'Write the status': SHEET,
});

const { n8n } = template;

const PHONES = ['13810000010', '13810000011', '13810000012', '13810000013'];

const row = (order: string, phone = PHONE) => ({ phone, name: '李雷', order, date: '6月3日' });

const sheet = async () => await template.run('Every hour', {});

const ordersSent = () =>
  PHONES.flatMap((phone) => template.sentTo(phone)).map(({ order }) => order);

test('one SMS for each row, and the status into the row', async () => {
  n8n.sheet = [row('A-1'), row('A-2', '1381'), row('A-3', '13810000011')];
  await sheet();
  expect(template.sentTo(PHONE)).toEqual([{ name: '李雷', order: 'A-1', date: '6月3日' }]);
  expect(template.sentTo('13810000011')).toHaveLength(1);
  expect(n8n.sheet).toMatchObject([
    { status: 'accepted', reason: '' },
    { status: 'rejected', reason: expect.stringContaining('1381') as unknown },
    { status: 'accepted' },
  ]);
});

test('a row is sent once, also where its status could not be written; what was refused, when its status is emptied', async () => {
  n8n.sheet = [row('A-1'), row('A-2', '1381')];
  await sheet();
  n8n.sheet[1] = { ...n8n.sheet[1], phone: '13810000011' };
  await sheet();
  expect(n8n.sheet).toMatchObject([{ status: 'accepted' }, { status: 'rejected' }]);
  n8n.sheet[1] = { ...n8n.sheet[1], status: '' };
  await sheet();
  expect(template.sentTo(PHONE)).toHaveLength(1);
  expect(n8n.sheet).toMatchObject([{ status: 'accepted' }, { status: 'accepted' }]);
  n8n.sheet = [row('A-1')];
  await sheet();
  // The same number, written otherwise.
  n8n.sheet = [row('A-1', `+86 ${PHONE}`)];
  await sheet();
  expect(template.sentTo(PHONE)).toHaveLength(1);
  expect(n8n.sheet).toMatchObject([{ status: 'skipped' }]);
});

test('a row that may have been sent stays as it is', async () => {
  n8n.sheet = [{ ...row('A-1'), status: 'unknown' }];
  await sheet();
  expect(template.sentTo(PHONE)).toEqual([]);
  expect(n8n.sheet).toMatchObject([{ status: 'unknown' }]);
});

test('sorted while it was sent: each status is in its row', async () => {
  n8n.sheet = [row('A-1'), row('A-2', '1381'), row('A-3', '13810000011')];
  n8n.beforeWriting = () => {
    n8n.sheet.reverse().unshift({ ...row('A-0'), status: '' });
    n8n.beforeWriting = () => undefined;
  };
  expect((await sheet()).error).toBeUndefined();
  expect(n8n.sheet.map(({ order, status }) => [order, status])).toEqual([
    ['A-0', ''],
    ['A-3', 'accepted'],
    ['A-2', 'rejected'],
    ['A-1', 'accepted'],
  ]);
});

test.each(['order', 'status', 'reason'])(
  'a renamed column %s: nothing is sent, and told',
  async (name) => {
    n8n.columns = n8n.columns.map((each) => (each === name ? 'other' : each));
    n8n.sheet = [row('A-1')];
    expect((await sheet()).error).toContain(`The sheet has no column ${name}.`);
    expect(template.sentTo(PHONE)).toEqual([]);
  },
);

test.each([
  ['phone', '收件人电话'],
  ['name', '姓名'],
  ['status', '状态'],
  ['order', '订单号'],
])('two columns for %s: nothing is sent, and told', async (name, other) => {
  n8n.columns = [...n8n.columns, other];
  n8n.sheet = [{ ...row('A-1'), [other]: '13810000011' }];
  expect((await sheet()).error).toContain(`Two columns mean ${name}: ${name}, ${other}.`);
  expect(ordersSent()).toEqual([]);
});

test.each(['A-1 ', '\u00a0A-1', 'Ａ-1', 'A-1\u200b', 'A\u20111'])(
  'the order of another row, written otherwise: %j',
  async (order) => {
    n8n.sheet = [row('A-1'), row(order)];
    expect((await sheet()).error).toContain('Row 3: Another row has the same order.');
    n8n.sheet = [row('A-1')];
    await sheet();
    n8n.sheet = [row(order)];
    await sheet();
    expect(ordersSent()).toEqual(['A-1']);
    expect(n8n.sheet).toMatchObject([{ order, status: 'skipped' }]);
  },
);

test.each(['action', 'in_sheet', 'line'])('a column %s of the owner', async (name) => {
  n8n.columns = [...n8n.columns, name];
  n8n.sheet = [{ ...row('A-1'), [name]: 'fail' }];
  await sheet();
  expect(n8n.sheet).toMatchObject([{ order: 'A-1', status: 'accepted', [name]: 'fail' }]);
});

test('a formula that fails is told in its row', async () => {
  n8n.sheet = [{ ...row('A-1'), name: '#N/A' }, row('A-2')];
  await sheet();
  expect(ordersSent()).toEqual(['A-2']);
  expect(n8n.sheet[0]).toMatchObject({
    status: 'rejected',
    reason: expect.stringContaining('Its name is #N/A') as unknown,
  });
});

test('no phone column: told', async () => {
  n8n.columns = n8n.columns.map((each) => (each === 'phone' ? 'customer' : each));
  n8n.sheet = [{ customer: PHONE, order: 'A-1' }];
  expect((await sheet()).error).toContain('No column of the sheet is called phone');
});

test('a row without a phone says so; one without a key fails the execution, after the others', async () => {
  n8n.columns = n8n.columns.map((each) => (each === 'phone' ? '手机号' : each));
  const chinese = ({ phone, ...others }: IDataObject) => ({ 手机号: phone, ...others });
  n8n.sheet = [
    row('A-1'),
    row('A-2', ''),
    row('', '13810000011'),
    {},
    row('A-3', '13810000012'),
    row('A-3', '13810000013'),
  ].map(chinese);
  const { error } = await sheet();
  expect(error).toContain('Row 4: It has no order.');
  expect(error).toContain('Row 6: Another row has the same order.');
  expect(error).toContain('Row 7: Another row has the same order.');
  expect(ordersSent()).toEqual(['A-1']);
  expect(n8n.sheet.map(({ status, reason }) => [status, reason])).toEqual([
    ['accepted', ''],
    ['rejected', 'It has no phone number.'],
    ...Array.from({ length: 4 }, () => [undefined, undefined]),
  ]);
});

test('no row, or none that is new: nothing happens', async () => {
  n8n.sheet = [];
  expect((await sheet()).error).toBeUndefined();
  n8n.sheet = [{ ...row('A-1'), status: 'accepted' }];
  const { error, runs } = await sheet();
  expect(error).toBeUndefined();
  expect(runs('Write the status')).toBe(0);
});

/** What people write into a status, into which this workflow writes nothing. */
test.each(['不发', 'done', '取消', 'sent', '待定', 'no', 'accepted?', 'true'])(
  'a status that is not known is not sent, stays, and is told once: %s',
  async (status) => {
    n8n.sheet = [{ ...row('A-1'), status }, row('A-2')];
    await sheet();
    await sheet();
    expect(ordersSent()).toEqual(['A-2']);
    expect(n8n.sheet).toMatchObject([
      {
        status,
        reason: `Not sent: its status is ${status}, and only a row without a status is sent.`,
      },
      { status: 'accepted' },
    ]);
    n8n.sheet = [{ ...row('A-3'), status, reason: 'The customer called' }];
    await sheet();
    expect(n8n.sheet).toMatchObject([{ status, reason: 'The customer called' }]);
  },
);

test('what this workflow wrote is not sent again, and nothing is written', async () => {
  const statuses = ['accepted', 'rejected', 'unknown', 'skipped'];
  n8n.sheet = statuses.map((status) => ({ ...row(`A-${status}`), status }));
  const { error, runs } = await sheet();
  expect([error, runs('Write the status'), ordersSent()]).toEqual([undefined, 0, []]);
});

test('two numbers in a cell are no number', async () => {
  n8n.sheet = [row('A-1', `${PHONE} 13810000011`)];
  await sheet();
  expect(n8n.sheet).toMatchObject([
    { status: 'rejected', reason: 'It has several phone numbers.' },
  ]);
  expect(ordersSent()).toEqual([]);
});

test('the balance is used up: each row says so, and nobody is tried each hour', async () => {
  template.refuse();
  n8n.sheet = [row('A-1'), row('A-2')];
  await sheet();
  await sheet();
  const refused = { status: 'rejected', reason: expect.stringContaining('余额不足') as unknown };
  expect(n8n.sheet).toMatchObject([refused, refused]);
  expect(template.gateway.requests.filter(({ path }) => path.endsWith('/send'))).toHaveLength(1);
});
