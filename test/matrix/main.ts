/**
 * `npm run matrix`: runs the engine tests with the n8n-core of several versions of n8n. Each n8n-core
 * is installed once. `npm run matrix -- 1.100 2.0` runs only some versions. The last line of output
 * is `N passed, N failed`.
 */
import { spawnSync } from 'node:child_process';
import type { SpawnSyncOptions } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { VERSIONS } from './versions';

const repository = path.resolve(__dirname, '../..');

/** The part of jest's JSON report that is used. */
interface Report {
  numPassedTests: number;
  numPendingTests: number;
  testResults: {
    status: string;
    message: string;
    assertionResults: { status: string }[];
  }[];
}

function main(): number {
  const chosen = process.argv.slice(2);
  const unknown = chosen.filter((version) => !(version in VERSIONS));
  if (unknown.length > 0) {
    throw new Error(
      `Unknown version ${unknown.join(', ')}. Known versions: ${Object.keys(VERSIONS).join(', ')}`,
    );
  }
  let passed = 0;
  let failed = 0;
  for (const [version, core] of Object.entries(VERSIONS)) {
    if (chosen.length > 0 && !chosen.includes(version)) continue;
    const folder = path.join(repository, '.cache/matrix', core);
    install(core, folder);
    const { numPassedTests, numPendingTests, testResults } = runTests(folder);
    const broken = testResults.filter(({ status }) => status === 'failed');
    for (const { message } of broken) console.log(message);
    const failures = broken.reduce((sum, file) => sum + failuresOf(file), 0);
    console.log(
      `n8n ${version}, n8n-core ${core}: ${numPassedTests} passed, ${failures} failed, ${numPendingTests} skipped`,
    );
    passed += numPassedTests;
    failed += failures;
  }
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/** Installs a version of n8n-core, unless the folder has it already. */
function install(core: string, folder: string): void {
  // npm writes this file last, so the installation is complete if it exists.
  if (existsSync(path.join(folder, 'node_modules/.package-lock.json'))) return;
  console.log(`Installing n8n-core ${core} ...`);
  mkdirSync(folder, { recursive: true });
  const manifest = {
    private: true,
    dependencies: { 'n8n-core': core, 'reflect-metadata': '0.2.2' },
    // n8n-core 1.x allows newer versions, which do not work with the other packages that it needs.
    overrides: core.startsWith('1.') ? { 'zod-to-json-schema': '3.23.3' } : {},
  };
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
  const options = ['--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund'];
  const { status } = run('npm', ['install', ...options, '--loglevel=error'], { cwd: folder });
  if (status !== 0) throw new Error(`n8n-core ${core} could not be installed`);
}

/** Number of failed tests in a file. A file that cannot be loaded counts as one failed test. */
function failuresOf({ assertionResults }: Report['testResults'][number]): number {
  return assertionResults.filter(({ status }) => status === 'failed').length || 1;
}

/** Runs the tests with the n8n-core in the folder, on the sources: others may build meanwhile. */
function runTests(folder: string): Report {
  const outputFile = path.join(folder, 'report.json');
  rmSync(outputFile, { force: true });
  const config = path.join(__dirname, 'jest.config.js');
  const args = ['--config', config, '--json', '--outputFile', outputFile];
  const env = { ...process.env, MATRIX_FOLDER: folder };
  run('jest', args, { cwd: repository, env, stdio: 'ignore' });
  return JSON.parse(readFileSync(outputFile, 'utf8')) as Report;
}

function run(command: string, args: string[], options: SpawnSyncOptions) {
  return spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options });
}

process.exitCode = main();
