/** What the workflows look like on the canvas, and which of them does what only one may do. */
import { existsSync } from 'node:fs';
import path from 'node:path';

import type { INode, INodeParameters } from 'n8n-workflow';

import { desk, PACKAGE, testCanvas, testThatNothingIsKept } from '../../test/kit/workflows/canvas';
import { deskNames, readDesk } from '../../test/kit/workflows/workflowFiles';
import { TABLES } from '../src/tables';

testCanvas(desk, [
  'conversations: Token of the form',
  'conversations: Message with this key',
  'conversations: Use up the tokens of the conversation',
  'inbox-serve: Move the cursor',
]);

testThatNothingIsKept(readDesk('outbox'));

/** Which workflows of the desk have such a node. */
const deskWith = (isIt: (node: INode) => boolean) =>
  desk.filter(({ workflow }) => workflow.nodes.some(isIt)).map(({ file }) => file);

test.each(desk)('n8n keeps static data under the ID of $file', ({ workflow }) => {
  // What has a longer one is never saved, and n8n says nothing (isWorkflowIdValid, n8n 2.41).
  expect(workflow.id?.length).toBeLessThanOrEqual(21);
});

test.each(desk)('the note of $file says where its source is', ({ file, workflow }) => {
  const about = workflow.nodes.find(({ name }) => name === 'About');
  const text = String(about?.parameters.content);
  expect(text).toContain(`Generated from \`desk/src/${file}/\``);
  expect(text).toContain('生成');
  expect(existsSync(path.join(__dirname, '../src', file, 'workflow.ts'))).toBe(true);
});

test('only the inbox has the trigger, because a pull takes the records out of the service', () => {
  expect(deskWith(({ type }) => type === `${PACKAGE}smsMessagingServiceTrigger`)).toEqual([
    'inbox',
  ]);
});

test('only the outbox sends: every message goes through it, and it asks first', () => {
  const isSend = ({ parameters }: INode) =>
    ['sendTemplate', 'sendCustom'].includes(String(parameters.operation)) &&
    (parameters.options as INodeParameters | undefined)?.checkOnly !== true;
  expect(deskWith(isSend)).toEqual(['outbox']);
});

test('who calls the outbox waits for its answer, once for all items', () => {
  const calls = desk.flatMap(({ workflow }) =>
    workflow.nodes.filter(
      ({ type, parameters }) =>
        type.endsWith('.executeWorkflow') &&
        (parameters.workflowId as { value?: string }).value === 'sms-outbox',
    ),
  );
  expect(calls.length).toBeGreaterThan(0);
  for (const { parameters } of calls) {
    expect(parameters).toMatchObject({ options: { waitForSubWorkflow: true } });
    expect(parameters.mode ?? 'once').toBe('once');
  }
});

// n8n takes a field `error` for a failure, even an empty one, and repeats the node with its pauses.
test('no node tries again that gives rows with a column `error`', () => {
  const named = Object.entries(TABLES).flatMap(([name, columns]) =>
    'error' in columns ? name : [],
  );
  expect(named).toEqual(['sms.service']);
  const repeated = deskNames()
    .flatMap((name) => readDesk(name).nodes)
    .filter(({ parameters, retryOnFail }) => {
      const query = String(parameters.query);
      return retryOnFail && named.some((name) => query.startsWith(`SELECT * FROM ${name}`));
    });
  expect(repeated.map(({ name }) => name)).toEqual([]);
});
