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
/** A function that changes something takes the version of its workflow. */
const isRead = (node: INode) => /^SELECT (?!.*version =>)/s.test(queryOf(node));
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
  // A page has what the service said before: it comes at once, also while the service hangs.
  [
    'asks the service',
    ({ type }) => type === `${PACKAGE}smsMessagingService`,
    [
      'campaign: Read the balance',
      ...['outbox: Send by template', 'outbox: Send a text'],
      ...['service: Balance', 'service: All templates', 'service: All signatures'],
    ],
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
  // All others that fail end their execution, but for reads, without which a page says why.
  [
    'changes something, and goes on when it fails',
    (node) =>
      node.onError === 'continueRegularOutput' && node.name !== 'Heartbeat' && !isRead(node),
    [
      ...['ask-and-wait: Remember the batch of the SMS', 'campaign-load: Take the file'],
      ...['campaign: Send through the outbox', 'campaign-buttons: Send through the outbox'],
      ...['dashboard: Does the inbox answer?', 'outbox: Settle the messages'],
      ...['service: Balance', 'service: All templates', 'service: All signatures'],
      ...['watchdog: Does the inbox answer?', 'watchdog: Send through the outbox'],
    ],
  ],
  [
    'reads, and does not go on when it fails',
    (node) => (isRead(node) || node.name === 'Heartbeat') && node.onError === undefined,
    [
      ...['ask-and-wait: Has the outbox taken it?', 'campaign-load: Campaign stored before'],
      ...['campaign-page: Rows of the file', 'inbox-serve: Subscribers to serve'],
      ...['opt-outs: Change the list', 'opt-outs: Numbers on the list'],
    ],
  ],
  [
    'has an output for its errors',
    ({ onError }) => onError === 'continueErrorOutput',
    [
      ...['ask-and-wait: Send through the outbox', 'ask-and-wait: Wake the execution'],
      ...['conversations: Outbox', 'inbox-serve: Hand over'],
      ...['outbox: Send by template', 'outbox: Send a text'],
    ],
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
