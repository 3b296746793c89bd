import path from 'node:path';

export const repository = path.resolve(__dirname, '../../..');

/** The folder of the pinned n8n, with its own package.json and lock file. */
export const n8nFolder = path.join(repository, 'test/e2e');

/** n8n's own Node.js and command-line tools. */
export const n8nBin = path.join(n8nFolder, 'node_modules/.bin');
