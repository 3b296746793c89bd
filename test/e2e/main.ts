/**
 * `npm run e2e`: what the package promises, on a real n8n with the packed package and in a real
 * browser. Goes on after a step that does not pass, and ends with `N passed, N failed`.
 */
import { rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { aiTool } from './browser/aiTool';
import { sendTemplate } from './browser/sendTemplate';
import { firstUse } from './browser/firstUse';
import { forms } from './browser/forms';
import { examples } from './examples';
import { expressions } from './expressions';
import { claim } from './lib/claim';
import { ensureN8n } from './lib/install';
import { packPackage } from './lib/pack';
import { repository } from './lib/paths';
import { stopAll } from './lib/processes';
import { RealStage } from './lib/stage';
import type { Step } from './lib/step';
import { joining } from './joining';
import { sending } from './sending';
import { pickers } from './pickers';
import { queue } from './queue';
import { security } from './security';
import { smoke } from './smoke';
import { trigger } from './trigger';

/** In the order in which they run. Adding steps is adding a file and a line here. */
const GROUPS: Record<string, Step[]> = {
  smoke,
  sending,
  pickers,
  sendTemplate,
  firstUse,
  forms,
  aiTool,
  trigger,
  joining,
  expressions,
  examples,
  queue,
  security,
};

const FOLDER = path.join(repository, '.e2e');

/** No step takes longer; n8n's triggers poll once a minute, so some wait for minutes. */
const STEP_LIMIT_MS = 5 * 60_000;

const startedAt = Date.now();
let stage: RealStage | undefined;
let claimed: { release(): void } | undefined;
let interrupted = false;

async function main(): Promise<number> {
  const groups = chosenGroups();
  claimed = claim(FOLDER, 'The end-to-end suite');
  for (const part of ['n8n', 'pictures']) {
    rmSync(path.join(FOLDER, part), { recursive: true, force: true });
  }
  await ensureN8n(path.join(FOLDER, 'install.log'), tell);
  const tarball = await packPackage(FOLDER, tell);

  stage = new RealStage({ folder: FOLDER, tarball, tell });
  tell(`Starting n8n with ${path.basename(tarball)} installed ...`);
  await stage.open();
  tell(`n8n is up: ${stage.n8n.url}`);

  let failed = 0;
  let passed = 0;
  for (const group of groups) {
    console.log(`\n${group}`);
    for (const step of GROUPS[group] ?? []) {
      if (await passes(step, stage)) passed += 1;
      else failed += 1;
    }
  }
  console.log(`\n${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

async function passes(step: Step, stage: RealStage): Promise<boolean> {
  const begin = Date.now();
  const findings: unknown[] = [];
  try {
    await withinLimit(step.run(stage));
  } catch (error) {
    findings.push(error);
    await stage.keepEvidence(step.name);
  }
  try {
    const violations = await stage.endStep();
    findings.push(...violations.map((each) => `The contract was broken: ${each}`));
  } catch (error) {
    findings.push(error);
  }
  const seconds = ((Date.now() - begin) / 1000).toFixed(1);
  console.log(`  ${findings.length === 0 ? '✓' : '✗'} ${step.name} (${seconds} s)`);
  for (const finding of findings) console.log(indented(finding));
  return findings.length === 0;
}

async function withinLimit(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`Not done after ${STEP_LIMIT_MS / 1000} s`));
    }, STEP_LIMIT_MS);
  });
  try {
    await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

function chosenGroups(): string[] {
  const all = Object.keys(GROUPS);
  const { values } = parseArgs({ options: { only: { type: 'string' } } });
  const chosen = values.only?.split(',') ?? all;
  const unknown = chosen.filter((group) => !all.includes(group));
  if (unknown.length > 0) {
    throw new Error(`There is no group "${unknown.join('", "')}". Groups: ${all.join(', ')}`);
  }
  return all.filter((group) => chosen.includes(group));
}

function tell(line: string): void {
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  console.log(`[${String(seconds).padStart(4)} s] ${line}`);
}

function indented(finding: unknown): string {
  const text = finding instanceof Error ? (finding.stack ?? finding.message) : String(finding);
  return text.replaceAll(/^/gm, '      ');
}

async function end(exitCode: number): Promise<never> {
  await stage?.close().catch(() => undefined);
  await stopAll();
  claimed?.release();
  process.exit(exitCode);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    // A terminal's Ctrl-C may arrive twice: from the terminal, and passed on by npm.
    if (interrupted) return;
    interrupted = true;
    tell('Stopping ...');
    void end(signal === 'SIGINT' ? 130 : 143);
  });
}

main()
  .then(end)
  .catch((error: unknown) => {
    // What fails because everything is being stopped is no news.
    if (interrupted) return;
    console.error(`\n${error instanceof Error ? error.message : String(error)}`);
    return end(1);
  });
