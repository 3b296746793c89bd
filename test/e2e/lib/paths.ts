import path from 'node:path';

export const repository = path.resolve(__dirname, '../../..');

/** The folder of the pinned n8n, with its own package.json and lock file. */
export const pinnedFolder = path.join(repository, 'test/e2e');

/** Another version of n8n to run everything on, for instance `E2E_N8N=2.41.3 npm run e2e`. */
export const otherVersion = process.env.E2E_N8N;

/** The folder of the n8n to run. */
export const n8nFolder = otherVersion
  ? path.join(repository, '.cache', `n8n-${otherVersion}`)
  : pinnedFolder;

/** n8n's own Node.js and command-line tools. */
export const n8nBin = path.join(n8nFolder, 'node_modules/.bin');
