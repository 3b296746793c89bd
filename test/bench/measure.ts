import { Child } from './child';
import type { ContestantArgument, HeapQuestion, Measurement, Task } from './contestantProcess';
import { CONTESTANTS, OURS } from './contestants';
import type { GatewayAnswer, GatewayQuestion } from './gatewayProcess';

const MAX_ROUNDS = 7;
const TIME_IS_UP = 'left out: the time of the bench was up';

/** A run that is expected to take no longer is warmed up for. */
const QUICK_MS = 2_000;

/** What a contestant did at one size and latency. */
export interface Cell {
  contestant: number;
  size: number;
  latencyMs: number;
  /** Records per page, where it is a drain. */
  pageSize?: number;
  runs: Measurement[];
  requests: number;
  maxInFlight: number;
  /** What the process still holds after all runs and a garbage collection, in MB. */
  heapKept?: number;
  /** Why there is no result, or why it does not count. */
  remark?: string;
}

export interface Bench {
  gateway: Child<GatewayQuestion, GatewayAnswer>;
  /** By index in CONTESTANTS, in the order of their turns. */
  processes: Map<number, ContestantProcess>;
  /** Nothing new is started after this time (milliseconds, as Date.now). */
  deadline: number;
  /** A run that is expected to take longer, by the next smaller size, is left out. */
  longestRunMs: number;
  /** No further round for a contestant that has taken this long at one size and latency. */
  roundsBudgetMs: number;
  tell: (line: string) => void;
}

export type ContestantProcess = Child<Task | HeapQuestion, Measurement | number>;

/** Starts contestants, each in a process of its own, so that CPU and memory are its own. */
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

export interface Workload {
  size: number;
  latenciesMs: number[];
  /** Makes it a drain. */
  pageSize?: number;
}

/**
 * Measures the processes at one size: one after the other in rounds, so that whatever else the
 * machine does meets all of them. Courses are to be run from small to large: the highest memory of a
 * process is then that of the size at hand.
 *
 * @param known cells of smaller sizes, by which the duration of a run is estimated
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
    // Apart, because V8 forgets compiled code that rests while the slow ones run.
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

/** By the next smaller size; 0 for the smallest. */
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

/** One run that does not count: compiles the code paths and opens what stays open. */
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

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? NaN)) / 2;
}
