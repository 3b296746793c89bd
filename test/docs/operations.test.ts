import { spawnSync } from 'node:child_process';
import { ROOT } from './files';

test('docs/operations.md is up to date with the descriptions of the nodes', () => {
  const { status, stderr } = spawnSync('node', ['test/tools/operations-docs.mjs', '--check'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
});
