'use strict';

const { repository, version } = require('../../package.json');

/**
 * The address of a file of the repository, as it was in this version. The repository's own stands in
 * package.json alone.
 *
 * @param {string} file
 * @param {string} kind `raw` for what a page shows
 * @returns {string}
 */
exports.addressOf = (file, kind = 'blob') =>
  `${repository.url.replace(/^git\+|\.git$/g, '')}/${kind}/v${version}/${file}`;
