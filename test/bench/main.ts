/**
 * `npm run bench`: compares how fast the package and its alternatives send and drain, in the engine
 * of the pinned n8n. Writes docs/bench.md. With `--quick`: a small run that only prints the result.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { format } from 'prettier';
import { ensureN8n } from '../e2e/lib/install';
import { installPackage, packPackage } from '../e2e/lib/pack';
import { n8nBin, n8nFolder, repository } from '../e2e/lib/paths';
import { Child } from './child';
import { BARE, CONTESTANTS, contestantOf, OURS, RAW } from './contestants';
import type { Engine } from './contestants';
import { measureWorkload, startContestants } from './measure';
import type { Bench, Cell, Workload } from './measure';
import { report } from './report';
import type { GatewayAnswer, GatewayQuestion } from './gatewayProcess';

const PACKAGE = 'n8n-nodes-sms-messaging-service';
const PAGE = path.join(repository, 'docs/bench.md');

/** What is measured, and how long it may take. */
interface Plan extends Pick<Bench, 'longestRunMs' | 'roundsBudgetMs'> {
  sizes: number[];
  latenciesMs: number[];
  drains: { size: number; pageSize: number }[];
  engines: Engine[];
  /** After this time no further run starts. */
  minutes: number;
}

const FULL: Plan = {
  sizes: [100, 1_000, 10_000, 100_000],
  // 20 ms is first because it says more: a slow machine may have no time for the second one.
  latenciesMs: [20, 0],
  drains: [
    { size: 10_000, pageSize: 100 },
    { size: 100_000, pageSize: 100 },
    { size: 100_000, pageSize: 500 },
  ],
  engines: ['vm', 'legacy'],
  minutes: 15,
  longestRunMs: 60_000,
  roundsBudgetMs: 8_000,
};

const QUICK: Plan = {
  sizes: [100, 1_000],
  latenciesMs: [20],
  drains: [{ size: 10_000, pageSize: 100 }],
  engines: ['vm'],
  minutes: 1.5,
  longestRunMs: 10_000,
  roundsBudgetMs: 3_000,
};

const startedAt = Date.now();

function tell(line: string): void {
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  console.log(`[${String(seconds).padStart(4)} s] ${line}`);
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
  const plan = values.quick ? QUICK : FULL;
  const userFolder = mkdtempSync(path.join(os.tmpdir(), 'sms-bench-'));
  try {
    await ensureN8n(path.join(userFolder, 'install.log'), tell);
    await installPackage(await packPackage(userFolder, tell), userFolder);
    const { sends, drains } = await measure(plan, userFolder);
    const page = await format(
      report(sends, drains, { command: 'npm run bench', versions: versions() }),
      { parser: 'markdown' },
    );
    console.log(`\n${page}`);
    if (!values.quick) {
      writeFileSync(PAGE, page);
    }
  } finally {
    rmSync(userFolder, { recursive: true, force: true });
  }
}

async function measure(
  { sizes, latenciesMs, drains, engines, minutes, ...bounds }: Plan,
  userFolder: string,
): Promise<{ sends: Cell[]; drains: Cell[] }> {
  const packageFolder = path.join(userFolder, '.n8n/nodes/node_modules', PACKAGE);
  const gateway = await Child.start<GatewayQuestion, GatewayAnswer>(
    'bench/gatewayProcess.ts',
    null,
    userFolder,
  );
  const deadline = Date.now() + minutes * 60_000;

  const run = async (contestants: number[], workloads: Omit<Workload, 'latenciesMs'>[]) => {
    const cells: Cell[] = [];
    tell(`Starting ${contestants.length} contestants ...`);
    const processes = await startContestants(contestants, packageFolder, userFolder);
    const bench: Bench = { gateway, processes, deadline, tell, ...bounds };
    for (const workload of workloads) {
      cells.push(...(await measureWorkload(bench, { ...workload, latenciesMs }, cells)));
    }
    await Promise.all([...processes.values()].map((contestantProcess) => contestantProcess.stop()));
    return cells;
  };
  try {
    return {
      // Drains are first because they take little time. The trigger drains for this package.
      drains: await run([RAW, contestantOf(BARE), contestantOf(OURS)], drains),
      sends: await run(
        [...CONTESTANTS.keys()].filter((index) =>
          engines.includes(CONTESTANTS[index]?.engine ?? 'vm'),
        ),
        sizes.map((size) => ({ size })),
      ),
    };
  } finally {
    await gateway.stop();
  }
}

function versions(): Record<string, string> {
  const versionOf = (name: string) => {
    const manifest = path.join(n8nFolder, 'node_modules', name, 'package.json');
    return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
  };
  return {
    'Node.js': execFileSync(path.join(n8nBin, 'node'), ['--version'], { encoding: 'utf8' })
      .trim()
      .slice(1),
    n8n: versionOf('n8n'),
    'n8n-core': versionOf('n8n-core'),
  };
}

main().catch((error: Error) => {
  console.error(`The bench did not finish: ${error.stack ?? error.message}`);
  process.exitCode = 1;
});
