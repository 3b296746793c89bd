import { existsSync } from 'node:fs';
import path from 'node:path';

export const repository = path.resolve(__dirname, '../../..');

/** What a run of the suite leaves behind: logs, pictures, traces, and the data of n8n. */
export const outputFolder = path.join(repository, '.e2e');

/** Each start of n8n writes a log file of its own here. */
export const logFolder = path.join(outputFolder, 'logs');

/** The user folder of the suite's n8n. */
export const userFolder = path.join(outputFolder, 'n8n');

/** The database of the suite's n8n. */
export const database = path.join(userFolder, '.n8n/database.sqlite');

/**
 * Where a picture for people to look at is saved: with WRITE_PICTURES, where a page shows it. The tests
 * that take those have `@shown` in their titles.
 */
export function pictureFile(name: string): string {
  const file = `${name.replaceAll(' ', '-')}.png`;
  const shown = path.join(repository, 'docs/images', file);
  const isNew = process.env.WRITE_PICTURES && existsSync(shown);
  return isNew ? shown : path.join(outputFolder, 'pictures', file);
}

/** The folder of the pinned n8n, with its own package.json and lock file. */
export const pinnedFolder = path.join(repository, 'test/e2e');

/** Another version of n8n to run the suite on: `E2E_N8N=1.123.81 npm run e2e`. */
export const otherVersion = process.env.E2E_N8N;

/** Its editor differs: a workflow is activated with a switch. */
export const isVersion1 = otherVersion?.startsWith('1.') === true;

/** The folder of the n8n that is run. */
export const n8nFolder = otherVersion
  ? path.join(repository, '.cache', `n8n-${otherVersion}`)
  : pinnedFolder;

/** The version of Node.js that the native modules of the pinned n8n are built for. */
const NODE_MAJOR = '24';

const isSystemsNode = process.versions.node.split('.')[0] === NODE_MAJOR;

/** The folder of the Node.js that n8n runs on: the system's, if it has that version. */
export const n8nBin = isSystemsNode
  ? path.dirname(process.execPath)
  : path.join(n8nFolder, 'node_modules/.bin');
