/** Where the examples send from: every message goes through the outbox, which asks first. */
import type { IDataObject } from 'n8n-workflow';

import type { WorkflowFile } from '../e2e/lib/client';
import { exampleNames, readExample } from '../e2e/lib/examples';

/** A tool of an AI agent, and the campaign that keeps its recipients in a database of its own. */
const SEND_THEMSELVES = ['agent-with-human-review', 'campaign-postgres', 'outbox'];

const isSend = ({ parameters }: WorkflowFile['nodes'][number]) =>
  ['sendTemplate', 'sendCustom'].includes(String(parameters.operation)) &&
  (parameters.options as IDataObject | undefined)?.checkOnly !== true;

const isOutbox = ({ type, parameters }: WorkflowFile['nodes'][number]) =>
  type.endsWith('.executeWorkflow') &&
  (parameters.workflowId as { value?: string }).value === 'sms-outbox';

const examples = exampleNames().map((name) => ({ name, nodes: readExample(name).nodes }));

test('no other example sends by itself', () => {
  const sending = examples.filter(({ nodes }) => nodes.some(isSend)).map(({ name }) => name);
  expect(sending).toEqual(SEND_THEMSELVES);
});

test('who calls the outbox waits for its answer, once for all items', () => {
  const calls = examples.flatMap(({ nodes }) => nodes.filter(isOutbox));
  expect(calls.length).toBeGreaterThan(0);
  for (const { parameters } of calls) {
    expect(parameters).toMatchObject({ options: { waitForSubWorkflow: true } });
    expect(parameters.mode ?? 'once').toBe('once');
  }
});

test('the outbox returns results also where a full table does not take the outcomes', () => {
  const settle = readExample('outbox').nodes.find(({ name }) => name === 'Settle the rows');
  expect(settle?.onError).toBe('continueRegularOutput');
});
