/** Where the desk sends from: every message goes through the outbox, which asks first. */
import type { IDataObject } from 'n8n-workflow';

import type { WorkflowFile } from '../e2e/lib/client';
import { deskNames, readDesk } from '../e2e/lib/workflowFiles';

const isSend = ({ parameters }: WorkflowFile['nodes'][number]) =>
  ['sendTemplate', 'sendCustom'].includes(String(parameters.operation)) &&
  (parameters.options as IDataObject | undefined)?.checkOnly !== true;

const isOutbox = ({ type, parameters }: WorkflowFile['nodes'][number]) =>
  type.endsWith('.executeWorkflow') &&
  (parameters.workflowId as { value?: string }).value === 'sms-outbox';

const workflows = deskNames().map((name) => ({ name, nodes: readDesk(name).nodes }));

test('no other workflow sends by itself', () => {
  const sending = workflows.filter(({ nodes }) => nodes.some(isSend)).map(({ name }) => name);
  expect(sending).toEqual(['outbox']);
});

test('who calls the outbox waits for its answer, once for all items', () => {
  const calls = workflows.flatMap(({ nodes }) => nodes.filter(isOutbox));
  expect(calls.length).toBeGreaterThan(0);
  for (const { parameters } of calls) {
    expect(parameters).toMatchObject({ options: { waitForSubWorkflow: true } });
    expect(parameters.mode ?? 'once').toBe('once');
  }
});

test('the outbox returns results also where a full table does not take the outcomes', () => {
  const settle = readDesk('outbox').nodes.find(({ name }) => name === 'Settle the rows');
  expect(settle?.onError).toBe('continueRegularOutput');
});
