/** What holds for the nodes of all workflows: which may do something, and which go on when they fail. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import type { INode, INodeParameters } from 'n8n-workflow';

import { built, moduleOf } from '../../builder/build';
import { NOTICE } from '../../builder/bundle';
import { desk, PACKAGE, testCanvas, testThatNothingIsKept } from '../../test/kit/workflows/canvas';
import { readDesk } from '../../test/kit/workflows/workflowFiles';
import { DESK } from '../src/build';
import { TABLES } from '../src/tables';

const ROOT = path.join(__dirname, '../..');

testCanvas(desk, [
  'conversations: Token of the form',
  'conversations: Message with this key',
  'conversations: Use up the tokens of the conversation',
  'inbox-serve: Move the cursor',
]);

testThatNothingIsKept(readDesk('outbox'));

test('the files are what their sources give: npm run templates', async () => {
  const files = Object.fromEntries(desk.map(({ file, workflow }) => [file, workflow]));
  expect(files).toEqual(Object.fromEntries(await built(DESK)));
  expect(readFileSync(path.join(ROOT, 'desk/NOTICE'), 'utf8')).toBe(NOTICE);
});

test.each(desk)('$file has an ID, a note and modules as it must', ({ file, workflow }) => {
  const { id = '', nodes } = workflow;
  // n8n keeps no static data under a longer one, and says nothing (isWorkflowIdValid, n8n 2.41).
  expect(id.length).toBeLessThanOrEqual(21);
  const about = String(nodes.find(({ name }) => name === 'About')?.parameters.content);
  expect(about).toContain(`Generated from \`desk/src/${file}/\``);
  expect(about).toContain('生成');
  const folder = path.join(DESK.sources, file);
  expect(existsSync(path.join(ROOT, folder, 'workflow.ts'))).toBe(true);
  const modules = readdirSync(path.join(ROOT, folder))
    .map((name) => path.join(folder, name))
    .filter((each) =>
      /^export default (async )?function/m.test(readFileSync(path.join(ROOT, each), 'utf8')),
    );
  const codes = nodes.filter(({ type }) => type === 'n8n-nodes-base.code');
  expect(modules).toEqual(codes.map((node) => moduleOf(DESK, file, node.name)).sort());
});

const isSend = ({ operation, options }: INodeParameters) =>
  /^send(Template|Custom)$/.test(String(operation)) && Object(options).checkOnly !== true;

/** The workflow that a node calls. */
const calledBy = ({ type, parameters }: INode): unknown =>
  type.endsWith('.executeWorkflow') && Object(parameters.workflowId).value;
const isWaiting = ({ parameters }: INode) =>
  Object(parameters.options).waitForSubWorkflow !== false;

const codeOf = ({ parameters }: INode) => String(parameters.jsCode ?? '');
const queryOf = ({ parameters }: INode) => String(parameters.query ?? '');
const valuesOf = ({ parameters }: INode): string =>
  String(Object(parameters.options).queryReplacement ?? '').slice(3, -2);

/** The tables with a column `error`. */
const WITH_ERROR = Object.entries(TABLES).flatMap(([name, own]) => ('error' in own ? name : []));

/** What only these nodes may do, or none. */
test.each<[string, (node: INode, file: string) => boolean, string[]?]>([
  // A pull takes the records out of the service.
  [
    'has the trigger',
    ({ type }) => type === `${PACKAGE}smsMessagingServiceTrigger`,
    ['inbox: New reports and replies'],
  ],
  // Every message goes through the outbox, and it asks first.
  [
    'sends',
    ({ parameters }) => isSend(parameters),
    ['outbox: Send by template', 'outbox: Send a text'],
  ],
  [
    'calls the outbox for each item, or without its answer',
    (node) =>
      calledBy(node) === 'sms-outbox' &&
      !(isWaiting(node) && (node.parameters.mode ?? 'once') === 'once'),
  ],
  // Nothing else waits for a subscriber.
  [
    'of the inbox waits for what it calls',
    (node, file) => file.startsWith('inbox') && Boolean(calledBy(node)) && isWaiting(node),
    ['inbox-serve: Hand over'],
  ],
  // At a stop, n8n ends its task runner first: then each Code node fails, and the trigger still brings pages.
  ['of the inbox is code', ({ type }, file) => file === 'inbox' && type.endsWith('.code')],
  // n8n takes a field `error` for a failure, even an empty one, and repeats the node with its pauses.
  [
    'tries again, and gives rows with a column `error`',
    ({ retryOnFail, ...node }) =>
      retryOnFail === true &&
      WITH_ERROR.some((name) => queryOf(node as INode).startsWith(`SELECT * FROM ${name}`)),
  ],
  // An answer may be lost. What is remembered by a key has one row, or the same in two.
  [
    'adds rows at every try',
    (node) =>
      node.retryOnFail === true && /INSERT INTO sms\.(?!.*DO UPDATE SET)/s.test(queryOf(node)),
    ['conversations: Remember the token'],
  ],
  ['has an expression that ends where n8n ends none', (node) => /\{\{|\}\}/.test(valuesOf(node))],
  [
    'takes all items for each of them',
    (node) => valuesOf(node).includes('.map(({ json }) => json)') && !node.executeOnce,
  ],
  // n8n gives a node that runs once only its first item: a check of all of them would see one.
  [
    'runs once, and reads all its items',
    (node) => node.executeOnce === true && /\$input\s*\.all\(/.test(codeOf(node)),
  ],
  [
    'uses what n8n gives no code',
    (node) => /\b(?:URLSearchParams|structuredClone|fetch)\b(?=\()|\bnew URL\b/.test(codeOf(node)),
  ],
  // Otherwise n8n hands over the items of all nodes: 120,000 rows, for a count of three.
  [
    'takes items of a node that it does not name, or not at once',
    (node) =>
      /(?<![\w.$])\$\((?!(?:"[^"]*"|'[^']*')\)\s*\.(?:all|first|params|isExecuted)\b)/.test(
        codeOf(node),
      ),
    // It has a package that calls a function `$`.
    ['campaign-load: Read the table'],
  ],
  // Its executions hold lists.
  [
    'waits for somebody for ever',
    ({ type, parameters }) =>
      (type.endsWith('.form') || (type.endsWith('.wait') && 'resume' in parameters)) &&
      parameters.limitWaitTime !== true,
  ],
])('what %s: only these nodes', (_, does, names = []) => {
  const found = desk.flatMap(({ file, workflow }) =>
    workflow.nodes.filter((node) => does(node, file)).map(({ name }) => `${file}: ${name}`),
  );
  expect(found.sort()).toEqual(names.sort());
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
