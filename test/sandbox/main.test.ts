import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { request } from 'undici';
import { startGateway } from './gateway';

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
  it('prints base URL, API key and API secret, serves, and exits with code 0 on Ctrl-C', async () => {
    const running = run('--port', '0');
    const { child, output } = running;
    const phones = await phonesOf(running);
    expect(output()).toMatch(/Base URL\s+http:\/\/127\.0\.0\.1:\d+\n/);
    expect(output()).toMatch(/API Key\s+\S+\n.*API Secret\s+\S+\n/);
    const page = await request(phones);
    expect(page.statusCode).toBe(200);
    await page.body.dump();
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('leaves its port when npm is told to end', async () => {
    const running = start('npm', 'run', 'sandbox', '--', '--port', '0');
    const phones = await phonesOf(running);
    running.child.kill('SIGTERM');
    const isServing = () =>
      request(phones).then(
        ({ body }) => body.dump(),
        () => 'gone',
      );
    while ((await isServing()) !== 'gone') await pause(50);
  });

  it('reports a port that is in use', async () => {
    const gateway = await startGateway();
    const port = new URL(gateway.origin).port;
    const { child, output } = run('--port', port);
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(output()).toBe(
      `The sandbox cannot start: port ${port} is in use; choose another one with --port\n`,
    );
    await gateway.close();
  });

  it('reports an invalid port number', async () => {
    const { child, output } = run('--port', 'abc');
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(output()).toBe('The sandbox cannot start: --port abc is not a port number\n');
  });

  it('reports a personality that it does not know, with those that it knows', async () => {
    const { child, output } = run('--port', '0', '--personality', 'prefix,odd');
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(output()).toMatch(
      /^The sandbox cannot start: there is no personality odd; there are prefix, /,
    );
  });
});
