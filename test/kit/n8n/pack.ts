import { execFile } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

import { n8nFolder, repository } from './paths';

const command = promisify(execFile);

const { name, version } = JSON.parse(
  readFileSync(path.join(repository, 'package.json'), 'utf8'),
) as { name: string; version: string };

/** The tarball that `packPackage` leaves in a folder. */
export function tarballIn(folder: string): string {
  return path.join(folder, `${name}-${version}.tgz`);
}

/** Builds and packs the package as `npm run pack` does, and returns the tarball. */
export async function packPackage(folder: string, tell: (line: string) => void): Promise<string> {
  tell('Building and packing the package ...');
  await command('npm', ['run', 'pack', '--', '--pack-destination', folder], { cwd: repository });
  return tarballIn(folder);
}

/** What README tells to type before the folder of an n8n's own nodes and the tarball. */
export const INSTALL = 'npm install --legacy-peer-deps --prefix';

/**
 * Installs the package into an n8n user folder, as README says.
 *
 * @param what a tarball, or name and version as the registry knows them
 */
export async function installPackage(what: string, userFolder: string): Promise<void> {
  const nodesFolder = path.join(userFolder, '.n8n/nodes');
  const [program = '', ...args] = INSTALL.split(' ');
  await command(program, [...args, nodesFolder, what]);

  // n8n offers packages its own n8n-workflow through NODE_PATH. Node.js looks there last, and would
  // find this repository's copy before. n8n does not recognise the errors of another copy.
  const shared = path.join(nodesFolder, 'node_modules/n8n-workflow');
  if (!existsSync(shared)) symlinkSync(path.join(n8nFolder, 'node_modules/n8n-workflow'), shared);
}
