import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { request } from 'undici';
import { startGateway } from './gateway';

function run(...args: string[]): { child: ChildProcess; output: () => string } {
  const child = spawn(process.execPath, ['--import', 'tsx', join(__dirname, 'main.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  }
  return { child, output: () => output };
}

describe('npm run sandbox', () => {
  it('prints base URL, API key and API secret, serves, and exits with code 0 on Ctrl-C', async () => {
    const { child, output } = run('--port', '0');
    while (!output().includes('Ctrl-C')) {
      expect(child.exitCode).toBeNull();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const phones = /Virtual phones\s+(\S+)/.exec(output())?.[1] ?? '';
    expect(output()).toMatch(/Base URL\s+http:\/\/127\.0\.0\.1:\d+\n/);
    expect(output()).toMatch(/API Key\s+\S+\n.*API Secret\s+\S+\n/);
    const page = await request(phones);
    expect(page.statusCode).toBe(200);
    await page.body.dump();
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([0, null]);
  }, 30_000);

  it('reports a port that is in use', async () => {
    const gateway = await startGateway();
    const port = new URL(gateway.origin).port;
    const { child, output } = run('--port', port);
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(output()).toBe(
      `The sandbox cannot start: port ${port} is in use; choose another one with --port\n`,
    );
    await gateway.close();
  }, 30_000);

  it('reports an invalid port number', async () => {
    const { child, output } = run('--port', 'abc');
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(output()).toBe('The sandbox cannot start: --port abc is not a port number\n');
  }, 30_000);

  it('reports a personality that it does not know, with those that it knows', async () => {
    const { child, output } = run('--port', '0', '--personality', 'prefix,odd');
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(output()).toMatch(
      /^The sandbox cannot start: there is no personality odd; there are prefix, /,
    );
  }, 30_000);
});
