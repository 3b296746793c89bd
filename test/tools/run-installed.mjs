// `node run-installed.mjs <command> [arguments]`: installs the development dependencies if they are
// missing or older than the lock file, then runs the command with node_modules/.bin in PATH.
// `npm test` and `npm run demo` use it in a fresh clone, so it needs only Node.js.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { isInstalled } from './installed.cjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const [command, ...args] = process.argv.slice(2);

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 15)) {
  console.error(`Node.js 20.15 or newer is needed; this is ${process.version}.`);
  process.exit(1);
}

if (!isInstalled(root)) {
  const reason = existsSync(path.join(root, 'node_modules'))
    ? 'node_modules is older than package-lock.json'
    : 'there is no node_modules';
  console.log(`Running \`npm ci\`, because ${reason} (about two minutes the first time) ...`);
  const install = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (install.status !== 0) {
    console.error(
      '`npm ci` did not finish. Check that the npm registry can be reached, then run the command again.',
    );
    process.exit(1);
  }
}

// Without a command it only installs; an npm script goes on with `&&`.
if (command === undefined) process.exit(0);

const child = spawn(command, args, {
  cwd: root,
  stdio: 'inherit',
  shell: process.platform === 'win32',
  env: {
    ...process.env,
    PATH: path.join(root, 'node_modules', '.bin') + path.delimiter + process.env.PATH,
  },
});
// Ctrl-C reaches the child too, because it is in the same process group. A signal that is sent only
// to this process does not.
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
process.on('SIGINT', () => {});
// npm sends SIGTERM to the shell between it and this process, which ends without passing it on.
const parent = process.ppid;
setInterval(() => process.ppid === parent || child.kill('SIGTERM'), 200).unref();
child.on('error', (error) => {
  console.error(`Cannot start ${command}: ${error.message}`);
  process.exit(1);
});
child.on('exit', (code, signal) => process.exit(signal ? 1 : code));
