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

/** The Node.js that the pinned n8n is made for. Its native modules are of this version. */
const NODE_MAJOR = '24';

const isSystemsNode = process.versions.node.split('.')[0] === NODE_MAJOR;

/** The folder of the Node.js that n8n runs on: the system's, if it is that version. */
export const n8nBin = isSystemsNode
  ? path.dirname(process.execPath)
  : path.join(n8nFolder, 'node_modules/.bin');
