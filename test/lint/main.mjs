// `npm run lint:n8n`: n8n's own linter on what ships, with the configuration of its starter. It has a lock
// file of its own, because in ours it would bring 390 MB, of which the linter needs a quarter, and older
// versions of packages that we use. The tests, and the desk, use what n8n Cloud does not offer to nodes: they
// are no part of the package.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const PINS = ['package.json', 'package-lock.json', '.npmrc'];
const SHIPS = ['package.json', 'nodes', 'credentials', 'icons'];
const CONFIG = 'eslint.config.mjs';
const STARTER = 'node_modules/@n8n/node-cli/dist/template/templates/shared/default';

const installed = path.resolve('.cache/lint');
const linted = path.join(installed, 'package');

if (!isInstalled()) {
  console.log('Installing n8n-node ...');
  fs.rmSync(installed, { recursive: true, force: true });
  for (const file of PINS) fs.cpSync(path.join('test/lint', file), path.join(installed, file));
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], installed);
}
fs.rmSync(linted, { recursive: true, force: true });
for (const file of SHIPS) fs.cpSync(file, path.join(linted, file), { recursive: true });
fs.cpSync(path.join(installed, STARTER, CONFIG), path.join(linted, CONFIG));
run(path.join(installed, 'node_modules/.bin/n8n-node'), ['lint'], linted);

/** npm writes node_modules/.package-lock.json last. */
function isInstalled() {
  const isSame = (file) => {
    const copy = path.join(installed, file);
    return (
      fs.existsSync(copy) && fs.readFileSync(copy).equals(fs.readFileSync(`test/lint/${file}`))
    );
  };
  return (
    PINS.every(isSame) && fs.existsSync(path.join(installed, 'node_modules/.package-lock.json'))
  );
}

function run(command, args, cwd) {
  const shell = process.platform === 'win32';
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit', shell });
  if (status !== 0) process.exit(1);
}
