/** The example workflows that join replies to sends, imported and run as a user does. */
import type { IDataObject } from 'n8n-workflow';

import { itemsOf, type N8nClient, type Workflow } from './lib/client';
import { readExample } from './lib/examples';
import { expect, test } from './lib/test';

const SET_UP = 'Set up once';

test('A reply is joined to the send that caused it (examples/reply-joined-to-send.json)', async ({
  client,
  openAccount,
}) => {
  const { gateway, credential } = await openAccount();
  const workflow = await client.importWorkflow(readExample('reply-joined-to-send'), [credential]);
  await client.run(workflow, SET_UP);
  await client.run(workflow, 'Try it with sample orders');

  gateway.reply({ phoneNumber: '13810000022', content: 'Where is it?' });
  gateway.reply({ phoneNumber: '13810000020', content: '谢谢' });
  gateway.reply({ phoneNumber: '13810000020', content: 'OK' });
  gateway.reply({ phoneNumber: '13999999999', content: 'Who is this?' });
  const joined = await replies(client, workflow, 'Reply with its order');
  expect(
    joined.map(({ order, phone_number, reply }) => [order, phone_number, reply]).sort(),
  ).toEqual([
    ['', '13999999999', 'Who is this?'],
    ['A-2001', '13810000020', 'OK'],
    ['A-2001', '13810000020', '谢谢'],
    ['A-2003', '13810000022', 'Where is it?'],
  ]);
});

test('A stop word keeps a number from further messages (examples/reply-opt-out.json)', async ({
  client,
  openAccount,
}) => {
  const { gateway, credential } = await openAccount();
  const workflow = await client.importWorkflow(readExample('reply-opt-out'), [credential]);
  const send = () => client.run(workflow, 'Try it with sample customers');
  await client.run(workflow, SET_UP);
  await send();
  const before = { '13810000030': 1, '13810000031': 1, '13810000032': 1 };
  expect(Object.fromEntries(gateway.deliveries())).toEqual(before);

  gateway.reply({ phoneNumber: '13810000030', content: ' td ' });
  gateway.reply({ phoneNumber: '13810000031', content: '不要停' });
  gateway.reply({ phoneNumber: '13810000032', content: '退订' });
  const listed = await replies(client, workflow, 'Put on the opt-out list');
  expect(listed.map((row) => row.phone_number).sort()).toEqual(['13810000030', '13810000032']);

  await send();
  const after = { ...before, '13810000031': 2 };
  expect(Object.fromEntries(gateway.deliveries())).toEqual(after);
});

/** The items that a node makes of the waiting replies. The poll at publication pulls them. */
async function replies(
  client: N8nClient,
  workflow: Workflow,
  node: string,
): Promise<IDataObject[]> {
  await client.publish(workflow);
  const [latest] = (await client.executions(workflow)).filter(({ mode }) => mode === 'trigger');
  if (!latest) throw new Error('The replies have started no execution.');
  const execution = await client.finishedExecution(latest.id);
  expect(execution.status, execution.data.resultData.error?.message).toBe('success');
  return itemsOf(execution, node).map(({ json }) => json);
}
