import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

import type { N8nClient } from './client';
import { n8nBin, n8nFolder, repository } from './paths';
import { run } from './processes';

const command = promisify(execFile);

interface Manifest {
  name: string;
  version: string;
  author?: { name?: string; email?: string };
  dependencies?: Record<string, string>;
  [key: string]: unknown;
}

/** The package.json in the tarball is the same. */
const manifest = JSON.parse(
  readFileSync(path.join(repository, 'package.json'), 'utf8'),
) as Manifest;

/** The tarball that `packPackage` leaves in a folder. */
export function tarballIn(folder: string): string {
  return path.join(folder, `${manifest.name}-${manifest.version}.tgz`);
}

/** Builds and packs the package, and returns the tarball. */
export async function packPackage(folder: string, tell: (line: string) => void): Promise<string> {
  tell('Building and packing the package ...');
  const logFile = path.join(folder, 'build.log');
  rmSync(logFile, { force: true });
  await run('npm', ['run', 'build'], { cwd: repository, env: process.env, logFile });
  const args = ['pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder];
  await command('npm', args, { cwd: repository });
  return tarballIn(folder);
}

/**
 * Installs the tarball into an n8n user folder. These are the steps of n8n's own install of a community
 * package, which fetches the tarball from the registry first.
 */
export async function installPackage(tarball: string, userFolder: string): Promise<void> {
  const nodesFolder = path.join(userFolder, '.n8n/nodes');
  if (Object.keys(manifest.dependencies ?? {}).length > 0) {
    throw new Error(
      `${manifest.name} has dependencies. n8n would install them, and this function does not.`,
    );
  }

  const target = path.join(nodesFolder, 'node_modules', manifest.name);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  await command('tar', ['-xzf', tarball, '-C', target, '--strip-components=1']);

  // n8n offers packages its own n8n-workflow through NODE_PATH. Node.js looks there last, and would
  // find this repository's copy before. n8n does not recognise the errors of another copy.
  const shared = path.join(nodesFolder, 'node_modules/n8n-workflow');
  rmSync(shared, { force: true });
  symlinkSync(path.join(n8nFolder, 'node_modules/n8n-workflow'), shared);

  const developmentOnly = ['devDependencies', 'peerDependencies', 'optionalDependencies'];
  writeJson(
    path.join(target, 'package.json'),
    Object.fromEntries(Object.entries(manifest).filter(([key]) => !developmentOnly.includes(key))),
  );
  writeJson(path.join(nodesFolder, 'package.json'), {
    name: 'installed-nodes',
    private: true,
    dependencies: { [manifest.name]: manifest.version },
  });
}

/**
 * Adds the installed package to the tables of n8n's SQLite database, as n8n's own install does. The
 * nodes work without that, but n8n's settings page would not list the package.
 */
export async function registerPackage(userFolder: string, client: N8nClient): Promise<void> {
  const { name, version, author } = manifest;
  const nodes = (await client.nodeTypes()).filter((type) => type.name.startsWith(`${name}.`));
  // n8n makes a tool for AI agents from a node. The tool is not part of the package.
  const own = nodes.filter((type) => !nodes.some((other) => `${other.name}Tool` === type.name));

  const now = new Date().toISOString().replace(/[TZ]/g, ' ').trim();
  const rows = [
    [
      'installed_packages',
      {
        packageName: name,
        createdAt: now,
        updatedAt: now,
        installedVersion: version,
        authorName: author?.name ?? null,
        authorEmail: author?.email ?? null,
      },
    ],
    ...own.map((type) => [
      'installed_nodes',
      {
        name: type.displayName,
        type: type.name,
        latestVersion: [type.version].flat().at(-1),
        package: name,
      },
    ]),
  ];
  await command(path.join(n8nBin, 'node'), [
    '--disable-warning=ExperimentalWarning',
    path.join(__dirname, 'insert-rows.mjs'),
    path.join(userFolder, '.n8n/database.sqlite'),
    JSON.stringify(rows),
  ]);
}

function writeJson(file: string, content: unknown): void {
  writeFileSync(file, JSON.stringify(content, null, 2));
}
