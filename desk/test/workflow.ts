/** Runs a workflow of the desk in n8n's own engine, on a real PostgreSQL. */
import { DateTime } from 'luxon';
import type { IDataObject, INodeExecutionData, INodeType } from 'n8n-workflow';

import { createHarness, type Harness } from '../../test/kit/engine';
import { action } from '../../test/kit/engine/descriptions';
import { jsonOf } from '../../test/kit/engine/package';
import { runFile } from '../../test/kit/engine/workflow';
import { N8nNodes } from '../../test/kit/n8nNodes/n8nNodes';
import { PACKAGE } from '../../test/kit/workflows/canvas';
import { deskOf } from '../../test/kit/workflows/expression';
import { database, type Row } from './database';

export type { Row };

/** What nodes have put out, by their names. A node that is not here has not run. */
export type Nodes = Record<string, Row[]>;

/** The moment of tests that need no other. */
export const NOW = DateTime.fromISO('2026-06-03T12:00:00', {
  zone: 'Asia/Shanghai',
}) as DateTime<true>;

/** So many minutes before it. */
export const ago = (minutes: number): string => NOW.minus({ minutes }).toUTC().toISO();

type Gives = (input: Row[]) => Row[] | Promise<Row[]>;

export interface World {
  /** Table → its rows, oldest first. One that is not here is empty. */
  tables: Record<string, Row[]>;
  /** What a node puts out: one that asks the service or another workflow, or that fails. An error of it is a crash. */
  given?: Record<string, Row[] | Gives>;
  /** `NOW` without it. */
  now?: DateTime;
  /** The ID of the execution. */
  execution?: string;
  /** What n8n keeps for the workflow. */
  memory?: Row;
}

export const n8n = new N8nNodes();

/** What the world of the execution that is under way gives for a node, if anything. */
let give: (node: string, input: Row[]) => Promise<Row[] | undefined>;

/** A node as it is, but for what is given. */
const unlessGiven = ({ description, execute }: INodeType): INodeType => ({
  description,
  async execute() {
    const rows = await give(this.getNode().name, jsonOf(this.getInputData()));
    if (!rows) return (await execute?.call(this)) ?? [];
    return [rows.map((json, item) => ({ json: json as IDataObject, pairedItem: { item } }))];
  },
});

let harness: Harness;
beforeAll(async () => {
  const types = Object.entries({ ...n8n.types, [`${PACKAGE}smsMessagingService`]: action });
  const otherNodes = Object.fromEntries(types.map(([name, type]) => [name, unlessGiven(type)]));
  harness = await createHarness({}, { otherNodes });
  n8n.database = (statement) => database().rows(statement);
});

/** Runs the workflow from one of its nodes, which puts out this, and gives back what each node has put out. */
export async function runDesk(...run: Parameters<typeof itemsOfDesk>): Promise<Nodes> {
  const items = Object.entries(await itemsOfDesk(...run));
  return Object.fromEntries(items.map(([node, all]) => [node, jsonOf(all)]));
}

/** The same, as items. */
export async function itemsOfDesk(
  workflow: string,
  start: string,
  input: Row | Row[],
  { tables, given = {}, now = NOW, execution, memory = {} }: World,
): Promise<Record<string, INodeExecutionData[]>> {
  const file = deskOf(workflow);
  const fill = () => {
    database().fill(tables, String(now.toISO()));
    jest.spyOn(Date, 'now').mockReturnValue(now.toMillis());
  };
  const before = give;
  const crash = new Promise<never>((_, end) => {
    give = async (node, items) => {
      const found = given[node];
      if (typeof found !== 'function') return structuredClone(found);
      // What stands for other workflows sees the tables as they are, and may change them.
      database().read(tables, now.zone);
      try {
        const rows = await found(items);
        fill();
        return rows;
      } catch (error) {
        end(error);
        return await new Promise(() => undefined);
      }
    };
  });
  fill();
  try {
    const run = runFile(harness, file, start, [input].flat() as IDataObject[], {
      ...{ timezone: String(now.zoneName), executionId: execution },
      ...{ workflowId: file.id, workflowName: file.name },
      staticData: { global: memory as IDataObject },
    });
    const { error, runData } = (await Promise.race([run, crash])).data.resultData;
    if (error) throw error;
    const outputs = Object.entries(runData).map(([node, runs]) => {
      const { main = [] } = runs.at(-1)?.data ?? {};
      return [node, main.flatMap((items) => items ?? [])] as const;
    });
    return Object.fromEntries(outputs);
  } finally {
    give = before;
    // What was done before a crash is done.
    database().read(tables, now.zone);
  }
}

/** What comes of each, one after the other: there is one database. */
export async function inTurn<T, R>(all: T[], act: (each: T) => Promise<R>): Promise<R[]> {
  const made: R[] = [];
  for (const each of all) made.push(await act(each));
  return made;
}
