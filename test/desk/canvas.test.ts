/** What every workflow looks like on the canvas, and what it leaves to its user to choose. */
import type { INode, INodeParameters } from 'n8n-workflow';

import type { WorkflowFile } from '../e2e/lib/client';
import { deskNames, exampleNames, readDesk, readExample } from '../e2e/lib/workflowFiles';

interface Box {
  name: string;
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** A node is 96 pixels wide and high. Its name stands below it, in at most two lines. */
const NODE = 96;

const STICKY = 'n8n-nodes-base.stickyNote';
const PACKAGE = 'n8n-nodes-sms-messaging-service.';

/** Names that n8n gives to a node, with or without a number. They do not say what it does. */
const DEFAULT_NAMES =
  /^(edit fields|http request|code|if|switch|merge|filter|set|data table|wait|webhook|crypto|aggregate|limit|send email|postgres|date & time|split out|sms messaging service( trigger)?|schedule trigger|execute (sub-)?workflow|when (?!published$).*)\d*$/i;

const desk = deskNames().map((file) => ({ file, workflow: readDesk(file) }));

const workflows = [
  ...desk,
  ...exampleNames().map((file) => ({ file, workflow: readExample(file) })),
];

const stickies = ({ nodes }: WorkflowFile) => nodes.filter(({ type }) => type === STICKY);
const steps = ({ nodes }: WorkflowFile) => nodes.filter(({ type }) => type !== STICKY);

/** The place of a note, or of a node with so much beside and below it. */
function boxOf({ name, type, position, parameters }: INode, beside = 0, below = 0): Box {
  const [left, top] = position;
  const { width, height } = parameters as { width: number; height: number };
  return type === STICKY
    ? { name, left, top, right: left + width, bottom: top + height }
    : { name, left: left - beside, top, right: left + NODE + beside, bottom: top + NODE + below };
}

function overlap(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

/** The lines that lead through something on their way, as n8n bends them. One that leads back is drawn below. */
function crossings({ nodes, connections }: WorkflowFile): string[] {
  const places = new Map(nodes.map((node) => [node.name, node.position]));
  const boxes = nodes.map((node) => boxOf(node));
  const lines = Object.entries(connections).flatMap(([from, { main = [] }]) =>
    main.flatMap((targets, output) =>
      (targets ?? []).map(({ node: to }) => ({ from, to, shift: output - (main.length - 1) / 2 })),
    ),
  );
  return lines.flatMap(({ from, to, shift }) => {
    const [x1 = 0, y1 = 0] = places.get(from) ?? [];
    const [x2 = 0, y2 = 0] = places.get(to) ?? [];
    const start = [x1 + NODE, y1 + NODE / 2 + shift * 24] as const;
    const end = [x2, y2 + NODE / 2] as const;
    const bend = Math.max(40, (end[0] - start[0]) / 2);
    if (end[0] < start[0]) return [];
    const crossed = Array.from({ length: 59 }, (_, index) => (index + 1) / 60).flatMap((t) => {
      const mix = (a: number, b: number, c: number, d: number) =>
        (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t ** 2 * c + t ** 3 * d;
      const x = mix(start[0], start[0] + bend, end[0] - bend, end[0]);
      const y = mix(start[1], start[1], end[1], end[1]);
      return boxes.filter((box) => box.left < x && x < box.right && box.top < y && y < box.bottom);
    });
    return [...new Set(crossed.map(({ name }) => name))]
      .filter((name) => name !== from && name !== to)
      .map((name) => `${from} to ${to} through ${name}`);
  });
}

/** Every value in the parameters, with the path to it. */
function* valuesIn(parameters: unknown, at = ''): Generator<[string, unknown]> {
  yield [at, parameters];
  if (typeof parameters !== 'object' || parameters === null) return;
  for (const [key, value] of Object.entries(parameters)) yield* valuesIn(value, `${at}.${key}`);
}

/** How early n8n's button "Execute workflow" runs a trigger. It looks at nothing but the type. */
const BUTTON = ['form', 'webhook', 'smsMessagingService', 'schedule', 'manual'];

const ZONE = 'Asia/Shanghai';

/** The trigger that the button runs. */
function runByButton(workflow: WorkflowFile): INode | undefined {
  const enabled = steps(workflow).filter(({ disabled }) => !disabled);
  return BUTTON.flatMap((type) =>
    enabled.filter((node) => new RegExp(`\\.${type}(Trigger)?$`).test(node.type)),
  ).find(({ type }) => /Trigger$|\.webhook$/.test(type));
}

test('only the inbox has the trigger, because a pull takes the records out of the service', () => {
  const pulling = desk
    .filter(({ workflow }) =>
      JSON.stringify(workflow).includes(`${PACKAGE}smsMessagingServiceTrigger"`),
    )
    .map(({ file }) => file);
  expect(pulling).toEqual(['inbox']);
});

/** Whether a node puts its items into a table. */
const stores = ({ type, parameters }: INode) =>
  /\.(dataTable|postgres)$/.test(type) &&
  ['insert', 'upsert', 'executeQuery'].includes(String(parameters.operation));

/** The nodes behind these, up to the first of each branch that stores. */
function untilStored({ nodes, connections }: WorkflowFile, names: string[]): INode[] {
  const found = new Set<INode>();
  const visit = (name: string): void => {
    const node = nodes.find((each) => each.name === name);
    if (!node || found.has(node)) return;
    found.add(node);
    if (stores(node)) return;
    for (const next of connections[name]?.main?.flat() ?? []) if (next) visit(next.node);
  };
  names.forEach(visit);
  return [...found];
}

// At a stop, n8n ends its task runner first: then each Code node fails, and the trigger still brings pages.
test('what the trigger brings is stored before any Code node', () => {
  for (const { file, workflow } of desk) {
    const triggers = steps(workflow).filter(({ type }) => type.endsWith('ServiceTrigger'));
    const before = untilStored(
      workflow,
      triggers.map(({ name }) => name),
    );
    expect([file, before.some(stores)]).toEqual([file, triggers.length > 0]);
    const ids = before.map(
      ({ parameters }) => parameters.workflowId as { value?: string } | undefined,
    );
    const called = desk.filter(({ workflow: { id } }) => ids.some((each) => each?.value === id));
    const all = [...before, ...called.flatMap((each) => steps(each.workflow))];
    const codeNodes = all.filter(({ type }) => type.endsWith('.code'));
    expect([file, codeNodes.map(({ name }) => name)]).toEqual([file, []]);
  }
});

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
    if (workflow.id !== undefined) expect(workflow.id).toBe(`sms-${file}`);
  }
});

// In n8n's window, a larger one cannot be read without zooming.
test('at most 24 nodes', () => {
  expect(
    inAll((workflow) =>
      steps(workflow)
        .slice(24)
        .map(({ name }) => name),
    ),
  ).toEqual([]);
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

test('the button "Execute workflow" runs the manual trigger, if there is one', () => {
  for (const { file, workflow } of workflows) {
    const manual = steps(workflow).filter(({ type }) => type.endsWith('.manualTrigger'));
    expect(manual.length).toBeLessThanOrEqual(1);
    if (manual[0]) expect([file, runByButton(workflow)?.name]).toEqual([file, manual[0].name]);
  }
});

test('nothing on the canvas lies on something else', () => {
  const pairs = inAll(({ nodes }) => {
    const boxes = nodes.map((node) => boxOf(node, 40, 56));
    return boxes.flatMap((a, index) =>
      boxes.slice(index + 1).flatMap((b) => (overlap(a, b) ? `${a.name} and ${b.name}` : [])),
    );
  });
  expect(pairs).toEqual([]);
});

test('no line leads through a note or a node', () => {
  expect(inAll(crossings)).toEqual([]);
});

test('a node is named after what it does, and no two have the same name', () => {
  expect(
    inAll((workflow) => steps(workflow).filter(({ name }) => DEFAULT_NAMES.test(name))),
  ).toEqual([]);
  // n8n refuses a workflow with equal names, those of notes included.
  for (const { workflow } of workflows) {
    expect(new Set(workflow.nodes.map(({ name }) => name)).size).toBe(workflow.nodes.length);
  }
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

test('values are entered in fields, not as JSON', () => {
  // The service check asks with an empty body. The template of the outbox comes from its callers, so no
  // fields can be known.
  const knowsNoFields = ['service-check', 'outbox', 'campaign-form', 'campaign-page'];
  const json = inAll((workflow, file) =>
    knowsNoFields.includes(file)
      ? []
      : steps(workflow).flatMap(({ name, parameters }) =>
          [...valuesIn(parameters as INodeParameters)]
            .filter(
              ([key, value]) =>
                /\.(parametersJson|jsonOutput|jsonBody|jsonHeaders|jsonQuery)$/.test(key) ||
                (/\.parameterMode$/.test(key) && value === 'json') ||
                (key === '.mode' && value === 'raw'),
            )
            .map(([key]) => name + key),
        ),
  );
  expect(json).toEqual([]);
});
