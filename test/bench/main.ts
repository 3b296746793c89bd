/**
 * `npm run bench`: compares how fast the package and its alternatives send and drain, in the engine
 * of the pinned n8n. Writes docs/build/figures.md. With `--quick`: a small run that only prints the result.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { format } from 'prettier';
import { ensureN8n } from '../kit/n8n/install';
import { installPackage, packPackage } from '../kit/n8n/pack';
import { repository } from '../kit/n8n/paths';
import { startChild, type Child } from '../kit/n8n/child';
import type { ContestantArgument, Measurement, Task } from './contestantProcess';
import { CONTESTANTS, type Name } from './contestants';
import type { GatewayAnswer, GatewayQuestion } from './gatewayProcess';
import { report, type Row } from './report';

/** What all contestants do: send to `size` recipients, or drain `size` records. */
export interface Workload {
  latencyMs: number;
  size: number;
  /** Records per page of a drain. Undefined for a send. */
  pageSize?: number;
}

const atEach = (workloads: Omit<Workload, 'latencyMs'>[]): Workload[] =>
  [20, 0].flatMap((latencyMs) => workloads.map((workload) => ({ latencyMs, ...workload })));

const FULL = [
  ...atEach([
    { size: 10_000, pageSize: 100 },
    { size: 100_000, pageSize: 500 },
  ]),
  ...atEach([{ size: 100 }, { size: 1_000 }, { size: 10_000 }, { size: 100_000 }]),
];

const QUICK: Workload[] = [
  { latencyMs: 20, size: 10_000, pageSize: 100 },
  { latencyMs: 20, size: 100 },
  { latencyMs: 20, size: 10_000 },
];

const ROUNDS = 5;
/** In each process V8 has to compile the code first. */
const WARM_UP: Workload = { latencyMs: 0, size: 500 };

const startedAt = Date.now();

function tell(line: string): void {
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  console.log(`[${String(seconds).padStart(4)} s] ${line}`);
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
  const userFolder = mkdtempSync(path.join(os.tmpdir(), 'sms-bench-'));
  try {
    await ensureN8n(path.join(userFolder, 'install.log'), tell);
    await installPackage(await packPackage(userFolder, tell), userFolder);
    const { rows, peaks } = await measure(values.quick ? QUICK : FULL, userFolder);
    const page = await format(report(rows, peaks), { parser: 'markdown' });
    console.log(`\n${page}`);
    if (!values.quick) writeFileSync(path.join(repository, 'docs/build/figures.md'), page);
  } finally {
    rmSync(userFolder, { recursive: true, force: true });
  }
}

type Gateways = Child<GatewayQuestion, GatewayAnswer>;
type Runner = Child<Task, Measurement>;

async function measure(workloads: Workload[], userFolder: string) {
  const packageFolder = path.join(
    userFolder,
    '.n8n/nodes/node_modules/n8n-nodes-sms-messaging-service',
  );
  const gateways: Gateways = await startChild('bench/gatewayProcess.ts', userFolder);
  const runners = new Map<Name, Runner>();
  const rows: Row[] = [];
  const peaks = new Map<Name, number>();
  try {
    for (const { name } of CONTESTANTS) {
      const argument: ContestantArgument = { name, packageFolder };
      const runner: Runner = await startChild('bench/contestantProcess.ts', userFolder, argument);
      runners.set(name, runner);
      await run(gateways, runner, WARM_UP);
    }
    for (const workload of workloads) {
      const walls = new Map<Name, number[]>();
      // They take turns, so that other work on the machine affects all of them.
      for (let round = 0; round < ROUNDS; round++) {
        for (const { name } of takingPart(workload)) {
          const { wallMs, peakMb } = await run(gateways, runners.get(name) as Runner, workload);
          walls.set(name, [...(walls.get(name) ?? []), wallMs]);
          peaks.set(name, peakMb);
        }
      }
      rows.push({ ...workload, walls });
      tell(JSON.stringify(workload));
    }
    return { rows, peaks };
  } finally {
    await Promise.all([gateways, ...runners.values()].map((child) => child.stop()));
  }
}

/** The trigger drains for this package. */
const takingPart = ({ size, pageSize }: Workload) =>
  CONTESTANTS.filter(({ name, largest }) =>
    pageSize ? name === 'Raw client' || name === 'This node' : size <= largest,
  );

/** @throws Error when the contestant did not do all of it, or did some of it twice */
async function run(gateways: Gateways, runner: Runner, workload: Workload): Promise<Measurement> {
  const { latencyMs, size, pageSize } = workload;
  const reset = { reports: pageSize ? size : 0 };
  const { credential } = await gateways.ask({ latencyMs, reset });
  const measurement = await runner.ask({ credential, size, pageSize });
  const { reached, repeated, reportsLeft } = await gateways.ask({ latencyMs });
  const truth = pageSize ? size - reportsLeft : reached;
  if (measurement.done !== size || truth !== size || repeated > 0) {
    const result = JSON.stringify({ workload, measurement, truth, repeated });
    throw new Error(`A contestant has not done what it was to do: ${result}`);
  }
  return measurement;
}

main().catch((error: Error) => {
  console.error(`The bench did not finish: ${error.stack ?? error.message}`);
  process.exitCode = 1;
});
