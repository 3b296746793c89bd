// `npm run pack`: makes the tarball of what was built. In its pages, links to what the repository alone has
// (pictures, Chinese pages, the desk) become addresses. Arguments are those of `npm pack`.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

import { addressOf } from './address.cjs';

const QUIET = ['--ignore-scripts', '--loglevel=error'];
const staged = path.resolve('.cache/package');

const list = execFileSync('npm', ['pack', '--dry-run', '--json', ...QUIET], { encoding: 'utf8' });
const files = JSON.parse(list)[0].files.map((file) => file.path);
fs.rmSync(staged, { recursive: true, force: true });
for (const file of files) {
  const copy = path.join(staged, file);
  fs.cpSync(file, copy);
  if (file.endsWith('.md'))
    fs.writeFileSync(copy, withAddresses(fs.readFileSync(copy, 'utf8'), file));
}
execFileSync('npm', ['pack', staged, ...QUIET, ...process.argv.slice(2)], { stdio: 'inherit' });

/** A page, in which each link leads to a file of the tarball or to an address. */
function withAddresses(text, page) {
  return text.replace(/(!?)(\[[^\]]*\]\()(?![a-z]+:)([^)#\s]+)/g, (link, shown, words, to) => {
    const target = path.posix.join(path.posix.dirname(page), to);
    const isPacked = files.some((file) => file === target || file.startsWith(`${target}/`));
    return isPacked ? link : `${shown}${words}${addressOf(target, shown ? 'raw' : 'blob')}`;
  });
}
