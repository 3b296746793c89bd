/** What the workflows look like on the canvas, what only one of them may do, and which nodes go on when they fail. */
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

const isSend = ({ operation, options }: INodeParameters) =>
  /^send(Template|Custom)$/.test(String(operation)) &&
  (options as INodeParameters | undefined)?.checkOnly !== true;

// A pull takes the records out of the service. Every message goes through the outbox, and it asks first.
test.each<[string, string, (node: INode) => boolean]>([
  ['inbox', 'has the trigger', ({ type }) => type === `${PACKAGE}smsMessagingServiceTrigger`],
  ['outbox', 'sends', ({ parameters }) => isSend(parameters)],
])('only the %s %s', (only, _, isIt) => {
  const found = desk.filter(({ workflow }) => workflow.nodes.some(isIt));
  expect(found.map(({ file }) => file)).toEqual([only]);
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

/** Who fails goes on, or has an output for its errors: all others end their execution. */
const FAILURES: Record<string, { goesOn?: string; hasErrorOutput?: string }> = {
  'ask-and-wait': {
    goesOn: 'Remember the batch of the SMS; What became of its SMS',
    hasErrorOutput: 'Send through the outbox; Wake the execution',
  },
  'campaign-buttons': { goesOn: 'Send through the outbox' },
  'campaign-load': { goesOn: 'Signatures to choose; Take the file; Templates to choose' },
  campaign: { goesOn: 'Heartbeat; Send through the outbox' },
  conversations: {
    goesOn:
      'Known templates; Message of the conversation; Message with this key; Opened message; Signatures; Templates; Token of the form; What was said',
    hasErrorOutput: 'Outbox',
  },
  dashboard: {
    goesOn:
      'Count them; Days; Does the inbox answer?; Does the service answer?; Heartbeats; Messages of the number; Not sent; Opt-outs in all; Rules; Sizes; Thresholds of the status; Who has subscribed',
  },
  'inbox-serve': { goesOn: 'Heartbeat', hasErrorOutput: 'Hand over' },
  outbox: {
    goesOn: 'Heartbeat; Known templates; Settle the messages',
    hasErrorOutput: 'Send a text; Send by template',
  },
  service: { goesOn: 'All signatures; All templates; Balance; Heartbeat' },
  upkeep: { goesOn: 'Heartbeat; Thresholds' },
  watchdog: {
    goesOn:
      'Does the inbox answer?; Get the latest record of the inbox; Get the sends that need a report; Get the subscribers; Get what was not sent; Heartbeat; Heartbeats; Send through the outbox; Sizes; Thresholds',
  },
};

test.each(desk)('of $file, only these go on when they fail', ({ file, workflow }) => {
  const withOutput = (output: string) => {
    const all = workflow.nodes.filter(({ onError }) => onError === output).map(({ name }) => name);
    return all.sort().join('; ');
  };
  const { goesOn = '', hasErrorOutput = '' } = FAILURES[file] ?? {};
  expect(withOutput('continueRegularOutput')).toBe(goesOn);
  expect(withOutput('continueErrorOutput')).toBe(hasErrorOutput);
});

test.each(desk)('$file waits for nobody for ever: its executions hold lists', ({ workflow }) => {
  for (const { name, type, parameters } of workflow.nodes) {
    const waits = type.endsWith('.form') || (type.endsWith('.wait') && 'resume' in parameters);
    if (waits) expect([name, parameters.limitWaitTime]).toEqual([name, true]);
  }
});
