/** What every workflow looks like on the canvas, and what it leaves to its user to choose. */
import type { INode, INodeParameters } from 'n8n-workflow';

import type { WorkflowFile } from '../e2e/lib/client';
import { deskNames, exampleNames, readDesk, readExample } from '../e2e/lib/workflowFiles';

const STICKY = 'n8n-nodes-base.stickyNote';
const PACKAGE = 'n8n-nodes-sms-messaging-service.';

const desk = deskNames().map((file) => ({ file, workflow: readDesk(file) }));

const templates = exampleNames().map((file) => ({ file, workflow: readExample(file) }));

const workflows = [...desk, ...templates];

const stickies = ({ nodes }: WorkflowFile) => nodes.filter(({ type }) => type === STICKY);
const steps = ({ nodes }: WorkflowFile) => nodes.filter(({ type }) => type !== STICKY);

/** Every value in the parameters, with the path to it. */
function* valuesIn(parameters: unknown, at = ''): Generator<[string, unknown]> {
  yield [at, parameters];
  if (typeof parameters !== 'object' || parameters === null) return;
  for (const [key, value] of Object.entries(parameters)) yield* valuesIn(value, `${at}.${key}`);
}

const ZONE = 'Asia/Shanghai';

/** Which workflows of the desk have such a node. */
const deskWith = (isIt: (node: INode) => boolean) =>
  desk.filter(({ workflow }) => workflow.nodes.some(isIt)).map(({ file }) => file);

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

// The data of an execution has the codes, whatever became of it.
test.each([readDesk('outbox'), readExample('verification-code')])(
  'n8n keeps no execution of $name, failed or started by hand',
  ({ settings }) => {
    expect(settings).toMatchObject({
      saveDataSuccessExecution: 'none',
      saveDataErrorExecution: 'none',
      saveManualExecutions: false,
      saveExecutionProgress: false,
    });
  },
);

/** What the workflows have of something, with their names: a test expects nothing of what may not be. */
const inAll = (find: (workflow: WorkflowFile, file: string) => unknown[]): string[] =>
  workflows.flatMap(({ file, workflow }) =>
    find(workflow, file).map((each) => `${file}: ${String(each)}`),
  );

test('each is named, tagged and timed as the others', () => {
  for (const { file, workflow } of workflows) {
    // A template is imported alone, and gets an ID from n8n.
    const tag = workflow.id === undefined ? 'SMS' : 'SMS desk';
    expect(workflow).toMatchObject({ tags: [{ name: tag }], settings: { timezone: ZONE } });
    expect(workflow.name).toMatch(/^SMS · /);
    expect(steps(workflow).length).toBeLessThanOrEqual(24);
    if (workflow.id !== undefined) expect(workflow.id).toBe(`sms-${file}`);
  }
});

test('notes name workflows and tables that there are', () => {
  const known = new Set(workflows.map(({ workflow }) => workflow.name));
  const tables = new Set(JSON.stringify(desk).match(/(?<="tableName":")\w+/g));
  const unknown = inAll((workflow) =>
    stickies(workflow).flatMap(({ parameters }) => {
      const text = String(parameters.content);
      const names = [...text.matchAll(/\*(SMS · [^*]+)\*/g)].map(([, name = '']) => name);
      const named = [...text.matchAll(/\*(sms_\w+)\*/g)].map(([, name = '']) => name);
      return [
        ...names.filter((name) => !known.has(name)),
        ...named.filter((name) => !tables.has(name)),
      ];
    }),
  );
  expect(unknown).toEqual([]);
});

test('no record of somebody’s account is chosen, nor a credential, and no workflow but one of the desk', () => {
  const chosen = inAll((file) =>
    steps(file).flatMap(({ name, type, parameters, credentials }) => [
      ...Object.entries(credentials ?? {})
        .filter(([, { id }]) => id !== null)
        .map(([key]) => `${name}: ${key}`),
      ...[...valuesIn(parameters)]
        .filter(([key, value]) => {
          if (typeof value !== 'object' || value === null || !('__rl' in value)) return false;
          const locator = value as unknown as { mode: string; value: string };
          const isOurs = type.startsWith(PACKAGE) || key.endsWith('.workflowId');
          const isOfTheDesk = workflows.some((each) => each.workflow.id === locator.value);
          return isOurs && !isOfTheDesk && !/^$|^=/.test(locator.value);
        })
        .map(([key]) => `${name}${key}`),
    ]),
  );
  expect(chosen).toEqual([]);
});

// docs/run/upgrading.md says so. n8n 3.0 has no such mode and none of these nodes.
test('nothing is used that n8n 3.0 removes', () => {
  const removed = /\.(function|functionItem|itemLists|aiTransform)$/;
  const isRemoved = ({ type, parameters }: INode) =>
    removed.test(type) || (type.endsWith('.executeWorkflow') && parameters.mode === 'each');
  expect(inAll((workflow) => steps(workflow).filter(isRemoved))).toEqual([]);
});

// n8n takes every other condition of these two for "equals", without an error.
test('whether a row exists is asked with "equals"', () => {
  const others = inAll((workflow) =>
    steps(workflow)
      .filter(({ parameters }) => {
        const { conditions = [] } = (parameters.filters ?? {}) as {
          conditions?: INodeParameters[];
        };
        const isAsked = /^row(Not)?Exists$/.test(String(parameters.operation));
        return isAsked && conditions.some(({ condition = 'eq' }) => condition !== 'eq');
      })
      .map(({ name }) => name),
  );
  expect(others).toEqual([]);
});

// For a thousand items it would do the same a thousand times.
test('a table or the service is asked once for what has nothing of the item', () => {
  const others = inAll((workflow) => {
    const isStart = ({ type }: INode) => /trigger$|\.webhook$/i.test(type);
    const starts = new Set(workflow.nodes.filter(isStart).map(({ name }) => name));
    const behindOthers = Object.entries(workflow.connections).flatMap(([name, { main }]) =>
      starts.has(name) ? [] : (main ?? []).flatMap((to) => (to ?? []).map(({ node }) => node)),
    );
    return steps(workflow)
      .filter(({ name, type, parameters, executeOnce }) => {
        const isAsked = /\.(dataTable|smsMessagingService)$/.test(type);
        const has = /\$json|\.item\b|autoMap/.test(JSON.stringify(parameters));
        return isAsked && !has && !executeOnce && behindOthers.includes(name);
      })
      .map(({ name }) => name);
  });
  // These get one item.
  expect(others).toEqual([
    'ask-and-wait: Replace older questions',
    'campaign: Give up rows under way',
    'campaign: Is nothing left?',
    'campaign: Mark it as done',
    'conversations-reply: Token',
    'conversations-reply: Message with this key',
    'conversations-reply: Use up the tokens of the conversation',
    'inbox-serve: Move the cursor',
    'outbox-upkeep: Are there rules?',
    'balance-low: Told today',
    'verification-code: Keep its hash',
    'workflow-failed: Note the failure',
    'workflow-failed: Told',
    'workflow-failed: Not told',
  ]);
});

/** Who looks at it does so once, and its Code nodes are generated. */
const LARGE = 'service-check';

/** What each template is: small enough to understand, and to choose for in two minutes. */
describe.each(templates)('$file', ({ file: name, workflow: file }) => {
  const own = steps(file);

  test('one credential of this package', () => {
    const names = own.flatMap(({ type, credentials }) =>
      type.startsWith(PACKAGE) ? [credentials?.smsMessagingServiceApi?.name] : [],
    );
    expect([...new Set(names)]).toEqual(['SMS Messaging Service account']);
  });

  test('its first note says in a line of Chinese what it does', () => {
    if (name === LARGE) return;
    expect(String(stickies(file)[0]?.parameters.content)).toMatch(
      /^## .*\n.*\n.*\p{Script=Han}.*$/su,
    );
  });

  // Where n8n has data of the nodes before a send, it empties the fields of its parameters when the user
  // chooses the template: seen in n8n 2.40.7.
  test('no data is pinned', () => {
    expect(file).not.toHaveProperty('pinData');
  });

  test('a send has pickers, a field for each parameter, a key, and a branch for what was not accepted', () => {
    for (const { name: step, parameters, type } of own) {
      if (!['sendTemplate', 'sendCustom'].includes(String(parameters.operation))) continue;
      const toChoose = { __rl: true, mode: 'list', value: '' };
      expect(parameters).toMatchObject({
        templateId: toChoose,
        signatureId: toChoose,
        parameterMode: 'fields',
        options: { idempotencyKey: expect.stringMatching(/^=\w+-.*\{\{ .* \}\}/) as unknown },
      });
      if (!type.endsWith('Tool'))
        expect(file.connections[step]?.main?.[1]?.length ?? 0).toBeGreaterThan(0);
    }
  });

  test('a list is read to its end: otherwise it ends at 50', () => {
    if (name === LARGE) return;
    for (const { parameters } of own) {
      const { resource, operation } = parameters;
      if (operation !== 'getAll' && (resource !== 'row' || operation !== 'get')) continue;
      expect(parameters).toMatchObject({ returnAll: true });
    }
  });

  test('who calls it has a secret, or an account of n8n', () => {
    if (name === LARGE) return;
    for (const { type, parameters } of own) {
      if (!/\.(webhook|formTrigger)$/.test(type)) continue;
      expect(parameters.authentication).toMatch(/^(headerAuth|n8nUserAuth)$/);
    }
  });

  // Of two executions that make it at the same moment, n8n fails one.
  test('to make a table is tried again', () => {
    for (const { parameters, retryOnFail } of own) {
      if (parameters.resource === 'table') expect(retryOnFail).toBe(true);
    }
  });

  test('records come from the trigger, or from another workflow: an account has one trigger', () => {
    const trigger = own.find(({ type }) => type === `${PACKAGE}smsMessagingServiceTrigger`);
    // That one is what calls the others.
    if (!trigger || name === 'one-trigger') return;
    const called = own.find(({ type }) => type.endsWith('.executeWorkflowTrigger'));
    expect(called?.parameters).toEqual({ inputSource: 'passthrough' });
    expect(file.connections[called?.name ?? '']).toEqual(file.connections[trigger.name]);
  });
});
