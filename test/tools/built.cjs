'use strict';

const fs = require('node:fs');
const path = require('node:path');

const SOURCES = ['nodes', 'credentials', 'icons'];

/** What `tsc` compiles and `gulpfile.js` copies. A build leaves out anything else that stands there. */
const BUILT = /\.(?:ts|json|svg)$/;

/** A file that the build only copies keeps its time, but for a fraction of a millisecond. */
const COPY_MS = 1;

/** What a build derives beside the code, and does not ship. */
const DERIVED = /\.(?:d\.ts|map)$/;

/**
 * Refuses a build that is not that of the sources.
 *
 * @param {string} [root] the repository
 * @throws Error when a source is newer than what was built from it, or has no build, or is gone
 */
exports.assertBuilt = (root = path.resolve(__dirname, '../..')) => {
  const dist = path.join(root, 'dist');
  if (!fs.existsSync(dist)) throw new Error('There is no dist yet: run `npm run build`');
  /** @type {(source: string) => boolean} */
  const isBuilt = (source) =>
    modifiedAt(dist, source.replace(/\.ts$/, '.js')) + COPY_MS >= modifiedAt(root, source);
  const stale = SOURCES.flatMap((folder) => filesIn(root, folder)).find(
    (source) => BUILT.test(source) && !isBuilt(source),
  );
  if (stale) throw new Error(`dist is older than ${stale}: run \`npm run build\``);
  const orphan = SOURCES.flatMap((folder) => filesIn(dist, folder)).find(
    (built) => !DERIVED.test(built) && isNaN(modifiedAt(root, built.replace(/\.js$/, '.ts'))),
  );
  if (orphan) throw new Error(`dist has ${orphan}, which has no source: run \`npm run build\``);
};

/** @type {(root: string, folder: string) => string[]} */
function filesIn(root, folder) {
  const start = path.join(root, folder);
  if (!fs.existsSync(start)) return [];
  return fs
    .readdirSync(start, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
}

/** @type {(root: string, file: string) => number} NaN for a file that is not there. */
function modifiedAt(root, file) {
  return fs.statSync(path.join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? NaN;
}
