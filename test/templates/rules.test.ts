/** What holds for each template, by its nodes alone: each rule was broken once, and somebody was not told. */
import { isDeepStrictEqual } from 'node:util';

import type { INode } from 'n8n-workflow';

import {
  PACKAGE,
  steps,
  stickies,
  templates,
  testCanvas,
  testThatNothingIsKept,
} from '../kit/workflows/canvas';
import { readExample } from '../kit/workflows/workflowFiles';

testCanvas(templates, ['balance-low: Told today']);

testThatNothingIsKept(readExample('verification-code'));

/** Who looks at it does so once, and its Code nodes are generated. */
const LARGE = 'service-check';

/** The nodes of the templates, with the names of both. */
const NODES = templates.flatMap(({ file, workflow }) =>
  steps(workflow).map((node) => ({
    ...{ file, node, connections: workflow.connections },
    name: `${file}: ${node.name}`,
  })),
);

type Of = (typeof NODES)[number];

/** Every text in the parameters of a node. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

/** A time whose zone is that of the settings, which n8n's menu drops. A moment with its offset is clear. */
const ZONELESS =
  /\$today|DateTime\.(?:now|local)\(|\$now(?:\.(?:minus|plus)\((?:[^()]|\([^()]*\))*\))*\.(?!minus|plus|setZone\(|toUTC\(\)|toISO\(\)|toMillis\(\))/;

/** What starts at an hour or on a day does so in the zone of the settings. */
function startsByTheClock({ type, parameters }: INode): boolean {
  if (!type.endsWith('.scheduleTrigger')) return false;
  const { interval } = parameters.rule as { interval: { field: string }[] };
  return interval.some(({ field }) => !['seconds', 'minutes', 'hours'].includes(field));
}

/** The templates whose trigger repeats records. */
const REPEATING = NODES.filter(
  ({ node: { parameters } }) => Object(parameters.options).repeatFailed === true,
).map(({ file }) => file);

const isSend = ({ parameters }: INode) =>
  ['sendTemplate', 'sendCustom'].includes(String(parameters.operation));

const TO_CHOOSE = { __rl: true, mode: 'list', value: '' };

/** A rule, and which nodes break it. */
const RULES: [rule: string, breaks: (node: INode, of: Of) => boolean][] = [
  // A field of a Set node has a name, which says what a long one is for.
  [
    'an expression outside of a Set node is one that can be read',
    ({ type, parameters }) =>
      !type.endsWith('.set') &&
      textsIn(parameters).some((text) => /^=.*\{\{(?:(?!\}\})[^]){231}/s.test(text)),
  ],
  // It remembers an item as it lets it through: what then fails is never done.
  [
    'what is remembered is remembered after it was done: nothing remembers as it asks',
    ({ type, parameters }) =>
      type.endsWith('.removeDuplicates') &&
      parameters.operation === 'removeItemsSeenInPreviousExecutions',
  ],
  [
    'nothing done is never shown as success: what goes on after an error goes somewhere',
    ({ name, onError }, { connections }) => {
      const output = { continueErrorOutput: 1, continueRegularOutput: 0 }[onError as string];
      return output !== undefined && (connections[name]?.main?.[output] ?? []).length === 0;
    },
  ],
  // Another try would send the good ones again. The trigger repeats records, and watch what is not told.
  [
    'a mail is tried again: a mail server is away for seconds. Mails of several items are not',
    ({ type, executeOnce, retryOnFail }, { file }) => {
      const isSeveral = [...REPEATING, 'watch'].includes(file) && !executeOnce;
      return type.endsWith('.emailSend') && Boolean(retryOnFail) === isSeveral;
    },
  ],
  [
    'a time has a zone in the node',
    (node, { name }) =>
      (startsByTheClock(node) || textsIn(node.parameters).some((text) => ZONELESS.test(text))) &&
      // Its page names the zone that it has.
      name !== 'service-check: Page with the report',
  ],
  // A missing value would be the text "undefined", but for `?? ''`. A number is sent as its digits.
  [
    'what a send reads itself has no String() around it',
    ({ type, parameters }) =>
      type.startsWith(PACKAGE) &&
      textsIn(parameters).some((text) => /\bString\(\$json(?!\S* \?\? '')/.test(text)),
  ],
  [
    'a send has pickers, a field for each parameter, and a key',
    (node) => {
      const { templateId, signatureId, parameterMode, options } = node.parameters;
      const isRight = [templateId, signatureId].every((each) => isDeepStrictEqual(each, TO_CHOOSE));
      const isKey = /^=\w+-.*\{\{ .* \}\}/.test(String(Object(options).idempotencyKey));
      return isSend(node) && !(isRight && parameterMode === 'fields' && isKey);
    },
  ],
  // Who presses the button of first-sms sees its failure.
  [
    'a send has a branch for what was not accepted',
    (node, { file, connections }) =>
      isSend(node) &&
      !node.type.endsWith('Tool') &&
      file !== 'first-sms' &&
      !connections[node.name]?.main?.[1]?.length,
  ],
  [
    'a list is read to its end: otherwise it ends at 50',
    ({ parameters: { resource, operation, returnAll } }, { file }) =>
      file !== LARGE &&
      (operation === 'getAll' || (resource === 'row' && operation === 'get')) &&
      returnAll !== true,
  ],
  [
    'who calls a webhook has a secret',
    ({ type, parameters }) =>
      type.endsWith('.webhook') && parameters.authentication !== 'headerAuth',
  ],
  // That of form-sms texts its owner alone: formSms.test.ts.
  [
    'who opens a form may run the workflow',
    ({ type, parameters: { authentication, requireExecuteAccess } }, { file }) =>
      type.endsWith('.formTrigger') &&
      file !== 'form-sms' &&
      !(authentication === 'n8nUserAuth' && requireExecuteAccess === true),
  ],
  // One that is not public stands in the editor: it is for who may run the workflow.
  [
    'no chat is public',
    ({ type, parameters }) => type.endsWith('.chatTrigger') && parameters.public !== undefined,
  ],
  // Of two executions that make it at the same moment, n8n fails one.
  [
    'to make a table is tried again',
    ({ parameters, retryOnFail }) => parameters.resource === 'table' && retryOnFail !== true,
  ],
];

test.each(RULES)('%s', (_, breaks) => {
  expect(NODES.filter((of) => breaks(of.node, of)).map(({ name }) => name)).toEqual([]);
});

test('six templates repeat records', () => expect(REPEATING).toHaveLength(6));

// n8n cannot even ask whether it was executed.
test('no note has a node deleted that an expression names', () => {
  const named = templates.flatMap(({ file, workflow }) => {
    const lines = stickies(workflow).flatMap(({ parameters }) =>
      String(parameters.content).split('\n'),
    );
    const texts = textsIn(workflow.nodes.map(({ parameters }) => parameters));
    return lines
      .filter((line) => /delete|删掉/i.test(line))
      .flatMap((line) => [...line.matchAll(/\*([^*]+)\*/g)].map(([, name]) => name))
      .filter((name) => texts.some((text) => text.includes(`$('${name}')`)))
      .map((name) => `${file}: ${name}`);
  });
  expect(named).toEqual([]);
});

// n8n publishes no workflow with one path twice. A form's path is an option.
test('no two starts have one path', () => {
  const paths = NODES.flatMap(
    ({
      node: {
        parameters: { path, options },
      },
    }) => path ?? Object(options).path ?? [],
  );
  expect(new Set(paths).size).toBe(paths.length);
});

test.each(templates)(
  '$file has one credential of this package, a line of Chinese in its first note, and no data',
  ({ file, workflow }) => {
    const own = steps(workflow).flatMap(({ type, credentials }) =>
      type.startsWith(PACKAGE) ? [credentials?.smsMessagingServiceApi?.name] : [],
    );
    expect([...new Set(own)]).toEqual(['SMS Messaging Service account']);
    if (file !== LARGE)
      expect(stickies(workflow)[0]?.parameters.content).toMatch(
        /^## .*\n.*\n.*\p{Script=Han}.*$/su,
      );
    // Where n8n has data of the nodes before a send, it empties the fields of its parameters when the user
    // chooses the template: seen in n8n 2.40.7.
    expect(workflow).not.toHaveProperty('pinData');
  },
);

const ofType = (nodes: INode[], type: string) => nodes.find((node) => node.type.endsWith(type));

const RECEIVING = templates.filter(
  ({ file, workflow: { nodes } }) =>
    // That one is what calls the others.
    file !== 'one-trigger' && ofType(nodes, '.smsMessagingServiceTrigger'),
);

test.each(RECEIVING)(
  '$file gets records from the trigger, or from another workflow: an account has one trigger',
  ({ workflow: { nodes, connections } }) => {
    const called = ofType(nodes, '.executeWorkflowTrigger');
    expect(called?.parameters).toEqual({ inputSource: 'passthrough' });
    const trigger = ofType(nodes, '.smsMessagingServiceTrigger')?.name ?? '';
    expect(connections[called?.name ?? '']).toEqual(connections[trigger]);
  },
);
