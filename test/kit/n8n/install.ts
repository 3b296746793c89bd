import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

import { isInstalled } from '../../tools/installed.cjs';
import { n8nBin, n8nFolder, otherVersion, pinnedFolder } from './paths';
import { lastLines, run } from './processes';

const SQLITE = path.join(n8nFolder, 'node_modules/sqlite3/build/Release/node_sqlite3.node');

/** Installs n8n and the Node.js it runs on, unless they are installed. */
export async function ensureN8n(logFile: string, tell: (line: string) => void): Promise<void> {
  rmSync(logFile, { force: true });
  if (otherVersion) describeOtherVersion(otherVersion);
  if (!isInstalled(n8nFolder)) await installPackages(logFile, tell);
  if (!existsSync(path.join(n8nBin, 'node'))) {
    throw new Error(
      `n8n needs Node.js 24, and npm has none for ${process.platform} on ${process.arch}. Install Node.js 24 on this system, then run the command again.`,
    );
  }
  if (!existsSync(SQLITE)) await buildSqlite(logFile, tell);
}

/**
 * Without a lock file, an n8n before 2.40 gets packages that do not fit together. These versions fit. xlsx
 * is here because n8n takes it from outside the registry.
 */
const OLDER = {
  dependencies: { '@opentelemetry/core': '2.12.1' },
  overrides: {
    '@langchain/langgraph': '1.0.2',
    '@langchain/langgraph-checkpoint': '1.0.0',
    '@langchain/langgraph-sdk': '1.0.3',
    xlsx: '0.18.5',
  },
};

/** Writes a package.json for another version of n8n. There is no lock file: npm chooses the versions. */
function describeOtherVersion(version: string): void {
  const file = 'package.json';
  const manifest = JSON.parse(readFileSync(path.join(pinnedFolder, file), 'utf8')) as {
    dependencies: Record<string, string>;
    overrides: Record<string, string>;
  };
  manifest.dependencies.n8n = version;
  if (version.localeCompare('2.40', 'en', { numeric: true }) < 0) {
    Object.assign(manifest.dependencies, OLDER.dependencies);
    Object.assign(manifest.overrides, OLDER.overrides);
  }
  mkdirSync(n8nFolder, { recursive: true });
  writeFileSync(path.join(n8nFolder, file), JSON.stringify(manifest));
  cpSync(path.join(pinnedFolder, '.npmrc'), path.join(n8nFolder, '.npmrc'));
}

async function installPackages(logFile: string, tell: (line: string) => void): Promise<void> {
  await requireRegistry(logFile);
  tell('Installing n8n and the Node.js it runs on (2.4 GB; three to five minutes, only once) ...');
  try {
    await run(
      'npm',
      [
        otherVersion ? 'install' : 'ci',
        '--prefer-offline',
        '--no-audit',
        '--no-fund',
        '--loglevel=error',
      ],
      {
        cwd: n8nFolder,
        env: process.env,
        logFile,
        onProgress: (seconds) => tell(`  still installing, ${seconds} s`),
      },
    );
  } catch (error) {
    if (!lastLines(logFile).includes('ENOSPC')) throw error;
    throw new Error('The disk is full: n8n needs about 3 GB. Make room, then run it again.');
  }
}

/** Asks for one package first, because `npm ci` without a network keeps trying for many minutes. */
async function requireRegistry(logFile: string): Promise<void> {
  const args = ['view', 'n8n', 'version', '--fetch-retries=1', '--loglevel=error'];
  try {
    await run('npm', args, { cwd: n8nFolder, env: process.env, logFile });
  } catch {
    const output = lastLines(logFile);
    throw new Error(
      'The npm registry cannot be reached, and n8n is not installed yet. ' +
        `Check the network, then run the command again. npm says: ${/request to .*/.exec(output)?.[0] ?? output}`,
    );
  }
}

/** The Node.js that is installed with n8n contains its headers, so node-gyp need not download them. */
function headers(): { npm_config_nodedir?: string } {
  const node = path.join(n8nFolder, 'node_modules/.bin/node');
  if (!existsSync(node)) return {};
  return { npm_config_nodedir: path.resolve(path.dirname(realpathSync(node)), '..') };
}

/**
 * Runs the install script of the database driver, because n8n itself is installed without scripts. It
 * downloads a binary, or compiles one where it cannot.
 */
async function buildSqlite(logFile: string, tell: (line: string) => void): Promise<void> {
  tell("Installing n8n's database driver (a minute where it is compiled, only once) ...");
  try {
    await run('npm', ['rebuild', 'sqlite3', '--ignore-scripts=false', '--loglevel=error'], {
      cwd: n8nFolder,
      env: { ...process.env, ...headers() },
      logFile,
      onProgress: (seconds) => tell(`  still at it, ${seconds} s`),
    });
  } catch (error) {
    const missing = ['python3', 'make', 'g++'].filter((tool) => !isInPath(tool));
    if (missing.length === 0) throw error;
    throw new Error(
      `To compile n8n's database driver, ${missing.join(', ')} must be installed. ` +
        `On Debian or Ubuntu: apt-get install ${missing.join(' ')}`,
    );
  }
}

function isInPath(tool: string): boolean {
  return (process.env.PATH ?? '')
    .split(path.delimiter)
    .some((folder) => existsSync(path.join(folder, tool)));
}
