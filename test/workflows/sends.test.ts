/** Where the examples send from: every message goes through the outbox, which asks first. */
import type { WorkflowFile } from '../e2e/lib/client';
import { exampleNames, readExample } from '../e2e/lib/examples';

/** Not yet through the outbox, or with a table and rules of their own. */
const SEND_THEMSELVES = [
  'agent-with-human-review',
  'ask-and-wait',
  'balance-alert',
  'campaign',
  'campaign-postgres',
  'not-delivered-other-channel',
  'outbox',
  'reply-joined-to-send',
  'reply-opt-out',
  'verification-code',
  'watchdog',
];

const isSend = ({ parameters }: WorkflowFile['nodes'][number]) =>
  ['sendTemplate', 'sendCustom'].includes(String(parameters.operation));

const isOutbox = ({ type, parameters }: WorkflowFile['nodes'][number]) =>
  type.endsWith('.executeWorkflow') &&
  (parameters.workflowId as { value?: string }).value === 'sms-outbox';

const examples = exampleNames().map((name) => ({ name, nodes: readExample(name).nodes }));

test('no other example sends by itself', () => {
  const sending = examples.filter(({ nodes }) => nodes.some(isSend)).map(({ name }) => name);
  expect(SEND_THEMSELVES).toEqual(expect.arrayContaining(sending));
});

test('who calls the outbox waits for its answer, once for all items', () => {
  const calls = examples.flatMap(({ nodes }) => nodes.filter(isOutbox));
  expect(calls.length).toBeGreaterThan(0);
  for (const { parameters, onError } of calls) {
    expect(parameters).toMatchObject({ options: { waitForSubWorkflow: true } });
    expect(parameters.mode ?? 'once').toBe('once');
    // Nothing was sent if the outbox fails: the caller must not go on as if something was.
    expect(onError ?? 'stopWorkflow').not.toBe('continueRegularOutput');
  }
});

test('the outbox returns results also where a full table does not take the outcomes', () => {
  const settle = readExample('outbox').nodes.find(({ name }) => name === 'Settle the rows');
  expect(settle?.onError).toBe('continueRegularOutput');
});
