'use strict';

const fs = require('node:fs');
const path = require('node:path');

/**
 * Whether a folder's node_modules are as new as its lock file. npm writes
 * node_modules/.package-lock.json last, so its age is the age of the install.
 *
 * @param {string} folder
 * @returns {boolean}
 */
exports.isInstalled = (folder) => {
  const modifiedAt = (/** @type {string} */ file) =>
    fs.statSync(path.join(folder, file), { throwIfNoEntry: false })?.mtimeMs;
  const installedAt = modifiedAt('node_modules/.package-lock.json');
  // A folder without a lock file has the install that it has.
  return installedAt !== undefined && installedAt >= (modifiedAt('package-lock.json') ?? 0);
};
