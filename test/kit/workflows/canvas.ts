/** What every workflow looks like on the canvas, and what it leaves to its user to choose. */
import type { INode, INodeParameters } from 'n8n-workflow';

import type { WorkflowFile } from '../n8n/client';
import { deskNames, exampleNames, readDesk, readExample } from './workflowFiles';

const STICKY = 'n8n-nodes-base.stickyNote';

/** How the types of this package's nodes begin. */
export const PACKAGE = 'n8n-nodes-sms-messaging-service.';

/** A workflow, and the name of its file. */
export interface Named {
  file: string;
  workflow: WorkflowFile;
}

export const desk: Named[] = deskNames().map((file) => ({ file, workflow: readDesk(file) }));

export const templates: Named[] = exampleNames().map((file) => ({
  file,
  workflow: readExample(file),
}));

const known = [...desk, ...templates];

export const stickies = ({ nodes }: WorkflowFile): INode[] =>
  nodes.filter(({ type }) => type === STICKY);

export const steps = ({ nodes }: WorkflowFile): INode[] =>
  nodes.filter(({ type }) => type !== STICKY);

/** Every value in the parameters, with the path to it. */
function* valuesIn(parameters: unknown, at = ''): Generator<[string, unknown]> {
  yield [at, parameters];
  if (typeof parameters !== 'object' || parameters === null) return;
  for (const [key, value] of Object.entries(parameters)) yield* valuesIn(value, `${at}.${key}`);
}

/** What each node and note covers, with the text below a node: as n8n paints it, and where it is wider than that. */
function boxes({ nodes, connections }: WorkflowFile) {
  const lines = Object.values(connections).flatMap((types) => Object.entries(types));
  const served = new Set(
    lines.flatMap(([type, to]) =>
      type === 'main' ? [] : to.flatMap((all) => (all ?? []).map(({ node }) => node)),
    ),
  );
  return nodes.map(({ name, type, parameters, position: [x, top] }) => {
    if (type === STICKY) {
      const { width, height } = parameters as { width: number; height: number };
      return { name, left: x, right: x + width, top, bottom: top + height };
    }
    const right = x + (served.has(name) ? 224 : 96);
    return {
      name,
      left: Math.min(x, right - 144),
      right: Math.max(right, x + 144),
      top,
      bottom: top + 160,
    };
  });
}

const ZONE = 'Asia/Shanghai';

/** Tests that n8n keeps no execution of a workflow: the data of one has the codes, whatever became of it. */
export function testThatNothingIsKept({ name, settings }: WorkflowFile): void {
  test(`n8n keeps no execution of ${name}, failed or started by hand`, () => {
    expect(settings).toMatchObject({
      saveDataSuccessExecution: 'none',
      saveDataErrorExecution: 'none',
      saveManualExecutions: false,
      saveExecutionProgress: false,
    });
  });
}

/**
 * Tests what is so in every workflow.
 *
 * @param workflows the desk's, or the templates
 * @param withOneItem nodes that ask for what has nothing of the item, but get one item
 */
export function testCanvas(workflows: Named[], withOneItem: string[]): void {
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
      expect(steps(workflow).length).toBeLessThanOrEqual(workflow.id === undefined ? 12 : 41);
      if (workflow.id !== undefined) expect(workflow.id).toBe(`sms-${file}`);
    }
  });

  test('notes name workflows, tables and functions that there are', () => {
    const names = new Set(known.map(({ workflow }) => workflow.name));
    const made = /(?<=CREATE (?:OR REPLACE )?(?:TABLE|FUNCTION|VIEW) (?:IF NOT EXISTS )?)sms\.\w+/g;
    const tables = new Set(JSON.stringify(desk).match(made));
    const unknown = inAll((workflow) =>
      stickies(workflow).flatMap(({ parameters }) => {
        const text = String(parameters.content);
        const named = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name);
        return [
          ...named(/\*(SMS · [^*]+)\*/g).filter((name) => !names.has(name)),
          ...named(/\*(sms\.\w+)\*/g).filter((name) => !tables.has(name)),
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
            const isOfTheDesk = known.some((each) => each.workflow.id === locator.value);
            return isOurs && !isOfTheDesk && !/^$|^=/.test(locator.value);
          })
          .map(([key]) => `${name}${key}`),
      ]),
    );
    expect(chosen).toEqual([]);
  });

  test('nothing hides anything', () => {
    const hidden = inAll((workflow) =>
      boxes(workflow).flatMap((one, index, all) =>
        all
          .slice(index + 1)
          .filter(({ left, right }) => one.left < right && left < one.right)
          .filter(({ top, bottom }) => one.top < bottom && top < one.bottom)
          .map(({ name }) => `${one.name} and ${name}`),
      ),
    );
    expect(hidden).toEqual([]);
  });

  // docs/run/install-and-upgrade.md says so. n8n 3.0 has no such mode and none of these nodes.
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
          const isAsked = /\.(dataTable|postgres|smsMessagingService)$/.test(type);
          const has = /\$json|\.item\b|autoMap/.test(JSON.stringify(parameters));
          return isAsked && !has && !executeOnce && behindOthers.includes(name);
        })
        .map(({ name }) => name);
    });
    expect(others).toEqual(withOneItem);
  });
}
