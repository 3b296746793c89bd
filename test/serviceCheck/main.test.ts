import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Gateway } from '../sandbox/gateway';
import { optionsOf } from '../sandbox/personalities';
import { startForTest } from '../sandbox/startForTest';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'service-check-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the command in an environment that holds only these variables. */
async function run(environment: Record<string, string>, ...args: string[]) {
  const child = spawn(process.execPath, ['--import', 'tsx', join(__dirname, 'main.ts'), ...args], {
    env: { PATH: process.env.PATH, ...environment },
  });
  const output = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (output.out += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => (output.err += chunk.toString('utf8')));
  const [code] = (await once(child, 'close')) as [number];
  return { code, ...output };
}

function environmentOf({ baseUrl, apiKey, apiSecret }: Gateway): Record<string, string> {
  return { SMS_BASE_URL: baseUrl, SMS_API_KEY: apiKey, SMS_API_SECRET: apiSecret };
}

test('--help prints the variables, and asks nothing', async () => {
  const { code, out } = await run({}, '--help');
  expect(code).toBe(0);
  expect(out).toMatch(/SMS_BASE_URL .*SMS_ALLOW_HTTP .*Exit code/s);
});

const MINE = { SMS_API_KEY: 'key-of-mine', SMS_API_SECRET: 'secret-of-mine' };
const NOBODY = { ...MINE, SMS_BASE_URL: 'https://127.0.0.1:1' };

test('exit code 1, with a clear text, when it cannot ask', async () => {
  const runs: [Record<string, string>, string[], string][] = [
    [{}, [], 'Not in the environment: SMS_BASE_URL, SMS_API_KEY, SMS_API_SECRET.'],
    [{ ...MINE, SMS_BASE_URL: 'http://sms.example' }, [], 'Base URL uses plain http. Anybody'],
    [{ ...NOBODY, SMS_SIGNATURE_ALGORITHM: 'md5' }, [], 'SMS_SIGNATURE_ALGORITHM is neither'],
    [NOBODY, ['--odd'], "Unknown option '--odd'"],
    [NOBODY, ['--pull', __filename], 'The file of --pull exists already'],
    [NOBODY, ['--pull', `${__filename}/x`], 'The file of --pull cannot be written (ENOTDIR)'],
  ];
  const ended = await Promise.all(runs.map(([environment, args]) => run(environment, ...args)));
  for (const [index, { code, out, err }] of ended.entries()) {
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(runs[index]?.[2]);
    expect(err).not.toMatch(/of-mine|\n +at /);
  }
});

test('prints what was seen and what to set, and writes pulled answers into a new file', async () => {
  const gateway = await startForTest(optionsOf(['percent-marks']));
  gateway.queueReplies(2);
  const file = join(folder, 'pulled.txt');
  const { code, out, err } = await run(environmentOf(gateway), '--pull', file);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toContain('Asking 25 questions ...');
  expect(out).toMatch(/\n {2}works {4}Answers +25 of 25 requests were answered\n/);
  expect(out).toContain('1. Specify Parameters: As JSON   (Message: Send Template SMS)');
  expect(out).toMatch(/are kept in\s+\S+pulled\.txt\./);
  expect(out.split('\n').filter((line) => line.length > 100)).toEqual([]);
  const pulled = readFileSync(file, 'utf8');
  expect(pulled).toMatch(
    /^POST \/sendsms\/report\/pull\nHTTP 200\n{.*}\nPOST \/sendsms\/mo\/pull\nHTTP 200\n{.*"mobile".*}\n$/,
  );
  expect(statSync(file).mode & 0o077).toBe(0);
  expect(gateway.state.replies.peek(9)).toHaveLength(1);
});

test('exit code 0 when it could ask, whatever it found', async () => {
  const { code, out } = await run(NOBODY);
  expect(code).toBe(0);
  expect(out).toContain('0 of 23 requests were answered; no connection (3)');
  expect(out).toContain('1. Base URL   (Credential)');
});
