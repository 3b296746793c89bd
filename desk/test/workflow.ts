/** Runs a workflow of the desk along its lines, on a real PostgreSQL. */
import { DateTime } from 'luxon';
import type { INode } from 'n8n-workflow';

import { moduleOf } from '../../builder/build';
import {
  allHold,
  deskOf,
  fieldsOf,
  type Conditions,
  type Sight,
} from '../../test/kit/workflows/expression';
import { DESK } from '../src/build';
import { statementOf } from '../kit/statements';
import { database, type Row } from './database';
import { items, runCode, type Item } from '../../test/kit/workflows/codeNode';

export type { Row };

/** What nodes have put out, by their names. A node that is not here has not run. */
export type Nodes = Record<string, Row[]>;

/** The moment of tests that need no other. */
export const NOW = DateTime.fromISO('2026-06-03T12:00:00', {
  zone: 'Asia/Shanghai',
}) as DateTime<true>;

/** So many minutes before it. */
export const ago = (minutes: number): string => NOW.minus({ minutes }).toUTC().toISO();

export interface World {
  /** Table → its rows, oldest first. One that is not here is empty. */
  tables: Record<string, Row[]>;
  /** What a node puts out: one that asks the service or another workflow, or that fails. */
  given?: Record<string, Row[] | ((input: Row[]) => Row[])>;
  /** `NOW` without it. */
  now?: DateTime;
  /** The ID of the execution. */
  execution?: string;
  /** What n8n keeps for the workflow. */
  memory?: Row;
}

/** Runs the workflow from one of its nodes, which puts out this, and gives back what each node has put out. */
export function runDesk(workflow: string, start: string, input: Row | Row[], world: World): Nodes {
  const { nodes, connections, name: title } = deskOf(workflow);
  const done: Nodes = {};
  const second: Nodes = {};
  const { now: $now = NOW, execution = '1', memory = {} } = world;
  const around = {
    ...{ $now, $execution: { id: execution, resumeUrl: 'https://n8n/webhook-waiting/1' } },
    $workflow: { id: `sms-${workflow}`, name: title },
  };
  const ofCode = {
    ...{ DateTime, ...around, $getWorkflowStaticData: () => memory as Item['json'] },
    params: Object.fromEntries(nodes.map(({ name, parameters }) => [name, parameters])),
  };

  const fill = () => database().fill(world.tables, String($now.toISO()));
  /** What stands for other workflows sees the tables as they are, and may change them. */
  const outside = (act: () => Row[]) => {
    database().read(world.tables, $now.zone);
    const rows = act();
    fill();
    return rows;
  };

  const visit = (name: string, all: Row[], before = ''): void => {
    const node = nodes.find((each) => each.name === name);
    if (!node || all.length === 0) return;
    const found = name === start ? [input].flat() : world.given?.[name];
    const given = typeof found === 'function' ? outside(() => found(all)) : found;
    const sights = (node.executeOnce ? all.slice(0, 1) : all).map(($json) => ({
      ...{ $json, input: all, nodes: { ...done, [before]: all } },
      ...{ $prevNode: { name: before }, ...around },
    }));
    const isError = given?.[0] && 'error' in given[0] && node.onError === 'continueErrorOutput';
    const outputs = given ? [isError ? [] : given, isError ? given : []] : outputsOf(node, sights);
    if (node.alwaysOutputData && outputs.every((rows) => rows.length === 0)) outputs[0] = [{}];
    done[name] = outputs.flat();
    second[name] = outputs[1] ?? [];
    for (const [output, rows] of outputs.entries()) {
      for (const next of connections[name]?.main?.[output] ?? []) visit(next.node, rows, name);
    }
  };

  const outputsOf = (node: INode, sights: (Sight & { $json: Row })[]): Row[][] => {
    const { name, type, parameters } = node;
    const all = sights.map(({ $json }) => $json);
    /** The items that go to each output. */
    const divided = (count: number, outputOf: (sight: Sight) => number) => {
      const at = sights.map(outputOf);
      return Array.from({ length: count }, (_, to) => all.filter((__, index) => at[index] === to));
    };
    const kind = type.split('.').at(-1);
    switch (kind) {
      case 'postgres':
        return [sights.flatMap((sight) => rowsOf(node, sight))];
      case 'code': {
        // What stands for another workflow or the service puts out an item for each.
        const seen = (of: Nodes) =>
          Object.fromEntries(
            Object.entries(of).map(([each, rows]) => [
              each,
              items(...rows).map((item, index) => ({ ...item, pairedItem: { item: index } })),
            ]),
          );
        const others = { ...ofCode, nodes: seen(done), second: seen(second) };
        const made = runCode(codeOf(workflow, name), items(...all), others).map(({ json }) => json);
        // Between two nodes, n8n keeps what JSON can say.
        return [JSON.parse(JSON.stringify(made)) as Row[]];
      }
      case 'set':
        return [sights.map((sight) => fieldsOf(workflow, name, sight))];
      case 'filter':
      case 'if': {
        const conditions = parameters.conditions as unknown as Conditions;
        const count = kind === 'filter' ? 1 : 2;
        return divided(count, (sight) => (allHold(conditions, sight) ? 0 : 1));
      }
      case 'switch': {
        const { values } = parameters.rules as unknown as { values: { conditions: Conditions }[] };
        return divided(values.length, (sight) =>
          values.findIndex(({ conditions }) => allHold(conditions, sight)),
        );
      }
      case 'splitOut':
        return [all.flatMap((row) => row[String(parameters.fieldToSplitOut)] as Row[])];
      default:
        return [all];
    }
  };

  fill();
  visit(start, [{}]);
  database().read(world.tables, $now.zone);
  return done;
}

/** What a Code node does. */
const codeOf = (workflow: string, name: string): Code =>
  jest.requireActual<{ default: Code }>(`../../${moduleOf(DESK, workflow, name)}`).default;

type Code = Parameters<typeof runCode<Row>>[0];

/** What a node of a table puts out for an item: also why it fails, if the workflow goes on then. */
function rowsOf(node: INode, sight: Sight): Row[] {
  try {
    return database().rows(statementOf(node, sight));
  } catch (error) {
    const { message } = error as Error;
    if (node.onError === 'continueRegularOutput') return [{ message, error: { message } }];
    throw error;
  }
}
