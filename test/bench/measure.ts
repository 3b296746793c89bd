import { Child } from './child';
import type { ContestantArgument, HeapQuestion, Measurement, Task } from './contestantProcess';
import { CONTESTANTS, OURS } from './contestants';
import type { GatewayAnswer, GatewayQuestion } from './gatewayProcess';

const MAX_ROUNDS = 7;
const TIME_IS_UP = 'left out: the time of the bench was up';

/** A contestant that is expected to take no longer than this has a warm-up run. */
const QUICK_MS = 2_000;

/** The result of one contestant at one size and latency: a cell of the report's table. */
export interface Cell {
  contestant: number;
  size: number;
  latencyMs: number;
  /** Records per page of a drain. Undefined for a send. */
  pageSize?: number;
  runs: Measurement[];
  requests: number;
  maxInFlight: number;
  /** Heap size of the process after all runs and a garbage collection, in MB. */
  heapKept?: number;
  /** Why there is no result, or why the result does not count. */
  remark?: string;
}

/** The processes and limits of a measurement. */
export interface Bench {
  gateway: Child<GatewayQuestion, GatewayAnswer>;
  /** Index in CONTESTANTS → process, in the order of their turns. */
  processes: Map<number, ContestantProcess>;
  /** After this time no further run starts. Milliseconds, as in Date.now. */
  deadline: number;
  /** A run is left out if, from the next smaller size, it is expected to take longer than this. */
  longestRunMs: number;
  /** A contestant that has taken this long at one size and latency has no further round. */
  roundsBudgetMs: number;
  /** Prints a line of progress. */
  tell: (line: string) => void;
}

export type ContestantProcess = Child<Task | HeapQuestion, Measurement | number>;

/**
 * Starts a process for each contestant.
 *
 * @param contestants indexes in CONTESTANTS
 */
export async function startContestants(
  contestants: number[],
  packageFolder: string,
  userFolder: string,
): Promise<Map<number, ContestantProcess>> {
  const processes = new Map<number, ContestantProcess>();
  for (const contestant of contestants) {
    const argument: ContestantArgument = { contestant, packageFolder };
    processes.set(
      contestant,
      await Child.start('bench/contestantProcess.ts', argument, userFolder),
    );
  }
  return processes;
}

/** What all contestants do: send to `size` recipients, or drain `size` records. */
export interface Workload {
  size: number;
  latenciesMs: number[];
  /** Records per page of a drain. Undefined for a send. */
  pageSize?: number;
}

/**
 * Measures all contestants at one size. They take turns in rounds, so that other work on the
 * machine affects all of them. Measure small workloads before large ones: then the highest memory of a
 * process is that of the current size.
 *
 * @param known cells of smaller sizes, to estimate how long a run takes
 */
export async function measureWorkload(
  bench: Bench,
  workload: Workload,
  known: Cell[],
): Promise<Cell[]> {
  const cells: Cell[] = [];
  for (const latencyMs of workload.latenciesMs) {
    const running = [...bench.processes.keys()].map((contestant) => {
      const smaller = known
        .filter((cell) => cell.contestant === contestant && cell.latencyMs === latencyMs)
        .at(-1);
      const cell: Cell = {
        contestant,
        size: workload.size,
        latencyMs,
        pageSize: workload.pageSize,
        runs: [],
        requests: 0,
        maxInFlight: 0,
      };
      const expectedMs = expectedDuration(cell, smaller);
      return { ...cell, remark: reasonToLeaveOut(bench, expectedMs, smaller), expectedMs };
    });
    const [quick, slow] = [true, false].map((isQuick) =>
      running.filter(({ expectedMs }) => expectedMs <= QUICK_MS === isQuick),
    ) as [typeof running, typeof running];
    for (const cell of quick) await warmUp(bench, cell);
    // Quick and slow contestants have separate rounds, because V8 drops compiled code that is idle.
    for (const group of [quick, slow]) {
      for (let round = 0; round < MAX_ROUNDS; round++) {
        for (const cell of group) await runCell(bench, cell);
      }
    }
    for (const cell of running) {
      if (cell.runs.length === 0 || cell.remark !== undefined) continue;
      cell.heapKept = await bench.processes.get(cell.contestant)?.ask<number>('heap');
    }
    cells.push(...running);
  }
  return cells;
}

/** Expected milliseconds of a run, from the next smaller size. 0 for the smallest size. */
function expectedDuration({ size }: Cell, smaller?: Cell): number {
  if (smaller === undefined) return 0;
  return (median(smaller.runs.map(({ wallMs }) => wallMs)) * size) / smaller.size;
}

function reasonToLeaveOut(
  { deadline, longestRunMs }: Bench,
  expectedMs: number,
  smaller?: Cell,
): string | undefined {
  if (Date.now() > deadline) return TIME_IS_UP;
  if (smaller?.remark !== undefined) return 'left out: see the smaller size';
  if (expectedMs <= longestRunMs) return undefined;
  return `left out: would take about ${Math.round(expectedMs / 1000)} s`;
}

/** A run that does not count: V8 compiles the code, and the client opens its connections. */
async function warmUp({ gateway, processes }: Bench, cell: Cell): Promise<void> {
  if (cell.remark !== undefined) return;
  const { size, latencyMs, pageSize } = cell;
  const { credential } = await gateway.ask({ latencyMs, reset: { reports: size } });
  await processes.get(cell.contestant)?.ask({ credential, size, pageSize });
}

async function runCell(
  { gateway, processes, deadline, roundsBudgetMs, tell }: Bench,
  cell: Cell,
): Promise<void> {
  const { contestant, size, latencyMs, pageSize, runs } = cell;
  const contestantProcess = processes.get(contestant);
  const spent = runs.reduce((sum, { wallMs }) => sum + wallMs, 0);
  if (cell.remark !== undefined || contestantProcess === undefined || spent > roundsBudgetMs)
    return;
  if (Date.now() > deadline) {
    if (runs.length === 0) cell.remark = TIME_IS_UP;
    return;
  }

  const { credential } = await gateway.ask({
    latencyMs,
    reset: { reports: pageSize === undefined ? 0 : size },
  });
  try {
    runs.push(await contestantProcess.ask<Measurement>({ credential, size, pageSize }));
  } catch (error) {
    cell.remark = `did not finish: ${(error as Error).message.split('\n')[0]}`;
    return;
  }
  const served = await gateway.ask({ latencyMs });
  cell.requests = served.requests;
  cell.maxInFlight = Math.max(cell.maxInFlight, served.maxInFlight);
  const { done, error, wallMs } = runs.at(-1) as Measurement;
  const truth = pageSize === undefined ? served.reached : size - served.reportsLeft;
  if (done !== size || truth !== size || served.repeated > 0) {
    cell.remark =
      `reported ${done} and did ${truth} of ${size}, ${served.repeated} more than once` +
      (error ? `: ${error}` : '');
  }
  tell(
    `${describe(cell)}: ${Math.round(wallMs)} ms${cell.remark === undefined ? '' : `, ${cell.remark}`}`,
  );
}

function describe({ contestant, size, latencyMs, pageSize }: Cell): string {
  const { name, engine } = CONTESTANTS[contestant] ?? {};
  const who = `${name}${engine ? ` (${engine})` : ''}`;
  return pageSize === undefined
    ? `${who}, ${size} recipients, ${latencyMs} ms`
    : `Drain by ${name === OURS ? 'the trigger' : who}, ${size} records by ${pageSize}, ${latencyMs} ms`;
}

/** The median. NaN without values. */
export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? NaN)) / 2;
}
