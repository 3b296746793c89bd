import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { request } from 'undici';
import { startForTest } from './startForTest';

interface Running {
  child: ChildProcess;
  output: () => string;
}

const run = (...args: string[]): Running =>
  start(process.execPath, '--import', 'tsx', join(__dirname, 'main.ts'), ...args);

function start(command: string, ...args: string[]): Running {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  }
  return { child, output: () => output };
}

/** The address of the virtual phones, once the sandbox serves. */
async function phonesOf({ child, output }: Running): Promise<string> {
  while (!output().includes('Ctrl-C')) {
    expect(child.exitCode).toBeNull();
    await pause(50);
  }
  return /Virtual phones\s+(\S+)/.exec(output())?.[1] ?? '';
}

describe('npm run sandbox', () => {
  it('prints an account, serves until it is told to end, and leaves its port', async () => {
    const running = start('npm', 'run', 'sandbox', '--', '--port', '0');
    const phones = await phonesOf(running);
    expect(running.output()).toMatch(/Base URL\s+http:\/\/127\.0\.0\.1:\d+\n/);
    expect(running.output()).toMatch(/API Key\s+\S+\n.*API Secret\s+\S+\n/);
    running.child.kill('SIGTERM');
    const isServing = () =>
      request(phones).then(
        ({ body }) => body.dump(),
        () => 'gone',
      );
    while ((await isServing()) !== 'gone') await pause(50);
  });

  it('exits with code 0 on Ctrl-C', async () => {
    const running = run('--port', '0');
    await phonesOf(running);
    running.child.kill('SIGINT');
    expect(await once(running.child, 'exit')).toEqual([0, null]);
  });

  it('says why it cannot start', async () => {
    const { port } = new URL((await startForTest()).origin);
    for (const [args, why] of [
      [['--port', port], `port ${port} is in use; choose another one with --port\n`],
      [['--port', 'abc'], '--port abc is not a port number\n'],
    ] as const) {
      const { child, output } = run(...args);
      expect(await once(child, 'close')).toEqual([1, null]);
      expect(output()).toContain(`The sandbox cannot start: ${why}`);
    }
  });
});
