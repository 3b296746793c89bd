'use strict';

const fs = require('node:fs/promises');
const { dest, parallel, series, src } = require('gulp');

const { addressOf } = require('./test/tools/address.cjs');

/** Removes what an earlier build left behind, so that a deleted file cannot ship. */
async function clean() {
  await fs.rm('dist', { recursive: true, force: true });
}

/** Icons sit at the top level: the credential and both nodes share them. */
function icons() {
  return src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));
}

/** Codex files (search words, category) stand beside the node they describe. */
function codex() {
  return src('nodes/**/*.node.json').pipe(dest('dist/nodes'));
}

/** Output schemas, from which the editor offers the fields of an output before the first run. */
function schemas() {
  return src('nodes/**/__schema__/**/*.json').pipe(dest('dist/nodes'));
}

/** Links to pages of the repository get its address, which stands in package.json alone. */
async function addresses() {
  for (const file of await fs.readdir('dist', { recursive: true })) {
    if (!/\.(?:credentials\.js|node\.json)$/.test(file)) continue;
    const text = await fs.readFile(`dist/${file}`, 'utf8');
    await fs.writeFile(
      `dist/${file}`,
      text.replace(/https:\/\/repository\.invalid\/([\w./-]+)/g, (_, page) => addressOf(page)),
    );
  }
}

exports.clean = clean;
exports.assets = series(parallel(icons, codex, schemas), addresses);
