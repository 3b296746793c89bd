import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { assertBuilt } from '../tools/built.cjs';

const ROOT = path.resolve(__dirname, '../..');

beforeAll(() => assertBuilt());

function releaseCheck(folder: string) {
  return spawnSync('node', [path.join(ROOT, 'test/tools/release-check.mjs'), folder], {
    cwd: ROOT,
    encoding: 'utf8',
    // jest sets NODE_ENV to "test". Some of n8n's rules then behave as in their own tests.
    env: { ...process.env, NODE_ENV: 'production' },
  });
}

test('release:check finds nothing in the sources and in the tarball', () => {
  const { status, stdout } = releaseCheck(ROOT);
  expect(stdout).toBe('sources: passed\ntarball: passed\n');
  expect(status).toBe(0);
});

test('release:check finds violations of the scanner rules, also suppressed ones', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'release-check-test-'));
  const write = (file: string, content: string) => {
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    fs.writeFileSync(path.join(folder, file), content);
  };
  try {
    const manifest = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as object;
    write('package.json', JSON.stringify({ ...manifest, dependencies: { axios: '*' } }));
    // The suppressions are what is tried: n8n's scanner does not follow them.
    write('nodes/Any/any.ts', '// eslint-disable-next-line no-console\nconsole.log(1);\n');
    write('dist/nodes/Any/any.js', '/* eslint-disable */\nsetTimeout(() => {}, 1);\n');

    const { status, stdout } = releaseCheck(folder);
    expect(stdout).toContain('no-runtime-dependencies');
    expect(stdout).toContain('no-console');
    expect(stdout).toContain('no-restricted-globals');
    expect(status).toBe(1);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});
