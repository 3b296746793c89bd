import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { assertBuilt } from '../tools/built.cjs';

/** A build that is not that of the sources is refused, by what `npm run build` would change. */

let root = '';

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'sms-built-'));
  write('nodes/a.ts', 1);
  write('dist/nodes/a.js', 2);
  write('dist/nodes/a.d.ts', 2);
});

afterEach(() => rmSync(root, { recursive: true }));

/** Writes a file that is as old as the number of seconds since 1970 says. */
function write(file: string, modified: number) {
  const target = path.join(root, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, '');
  utimesSync(target, modified, modified);
}

test('a build of all sources passes', () => {
  expect(() => assertBuilt(root)).not.toThrow();
});

test('no build', () => {
  rmSync(path.join(root, 'dist'), { recursive: true });
  expect(() => assertBuilt(root)).toThrow('There is no dist yet: run `npm run build`');
});

test('a source that was changed since', () => {
  write('nodes/a.ts', 3);
  expect(() => assertBuilt(root)).toThrow('dist is older than nodes/a.ts: run `npm run build`');
});

test.each(['nodes/b.ts', 'nodes/b.node.json', 'icons/b.svg'])('a new source: %s', (source) => {
  write(source, 1);
  expect(() => assertBuilt(root)).toThrow(`dist is older than ${source}: run \`npm run build\``);
});

test('a source that is gone', () => {
  rmSync(path.join(root, 'nodes/a.ts'));
  expect(() => assertBuilt(root)).toThrow('dist has nodes/a.js, which has no source');
});

test.each(['nodes/notes.md', 'icons/sketch.png'])('no build would have %s', (file) => {
  write(file, 3);
  expect(() => assertBuilt(root)).not.toThrow();
});
