import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';

import type { IDataObject } from 'n8n-workflow';

import { itemsOf, type Workflow, type WorkflowFile } from './lib/client';
import { repository } from './lib/paths';
import type { Account, Stage, Step } from './lib/step';

const SET_UP = 'Set up once';

/** The example workflows that bring replies together with sends, as a user imports and runs them. */
export const joining: Step[] = [
  {
    name: 'A reply is joined to the send that caused it (examples/reply-joined-to-send.json)',
    async run(stage) {
      const { gateway, workflow } = await example(stage, 'reply-joined-to-send.json');
      await stage.client.run(workflow, SET_UP);
      await stage.client.run(workflow, 'Try it with sample orders');

      gateway.reply({ phoneNumber: '13810000022', content: 'Where is it?' });
      gateway.reply({ phoneNumber: '13810000020', content: '谢谢' });
      gateway.reply({ phoneNumber: '13810000020', content: 'OK' });
      gateway.reply({ phoneNumber: '13999999999', content: 'Who is this?' });
      assert.deepEqual(
        (await replies(stage, workflow, 'Reply with its order'))
          .map(({ order, phone_number, reply }) => [order, phone_number, reply])
          .sort(),
        [
          ['', '13999999999', 'Who is this?'],
          ['A-2001', '13810000020', 'OK'],
          ['A-2001', '13810000020', '谢谢'],
          ['A-2003', '13810000022', 'Where is it?'],
        ],
      );
    },
  },
  {
    name: 'A stop word keeps a number from further messages (examples/reply-opt-out.json)',
    async run(stage) {
      const { gateway, workflow } = await example(stage, 'reply-opt-out.json');
      const send = () => stage.client.run(workflow, 'Try it with sample customers');
      await stage.client.run(workflow, SET_UP);
      await send();
      const before = { '13810000030': 1, '13810000031': 1, '13810000032': 1 };
      assert.deepEqual(Object.fromEntries(gateway.deliveries()), before);

      gateway.reply({ phoneNumber: '13810000030', content: ' td ' });
      gateway.reply({ phoneNumber: '13810000031', content: '不要停' });
      gateway.reply({ phoneNumber: '13810000032', content: '退订' });
      const listed = await replies(stage, workflow, 'Put on the opt-out list');
      assert.deepEqual(listed.map((row) => row.phone_number).sort(), [
        '13810000030',
        '13810000032',
      ]);

      await send();
      const after = { ...before, '13810000031': 2 };
      assert.deepEqual(Object.fromEntries(gateway.deliveries()), after);
    },
  },
];

async function example(stage: Stage, file: string): Promise<Account & { workflow: Workflow }> {
  const account = await stage.account();
  const content = JSON.parse(
    readFileSync(path.join(repository, 'examples', file), 'utf8'),
  ) as WorkflowFile;
  return { ...account, workflow: await stage.client.importWorkflow(content, [account.credential]) };
}

/** What a node put out for the replies that wait; the poll at publication brings them. */
async function replies(
  { client }: Stage,
  workflow: Workflow,
  node: string,
): Promise<IDataObject[]> {
  await client.publish(workflow);
  const [latest] = (await client.executions(workflow)).filter(({ mode }) => mode === 'trigger');
  assert.ok(latest, 'no execution came of the replies');
  const execution = await client.finishedExecution(latest.id);
  assert.equal(execution.status, 'success', execution.data.resultData.error?.message);
  return itemsOf(execution, node).map(({ json }) => json);
}
