import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { assertBuilt } from '../tools/built.cjs';

/** A build that is not that of the sources is refused, by what `npm run build` would change. */

/** The message about a folder with these files, each as old as the number of seconds since 1970 says. */
function refusalOf(files: Record<string, number>): string | undefined {
  const root = mkdtempSync(path.join(tmpdir(), 'sms-built-'));
  for (const [file, modified] of Object.entries(files)) {
    const target = path.join(root, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, '');
    utimesSync(target, modified, modified);
  }
  try {
    assertBuilt(root);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  } finally {
    rmSync(root, { recursive: true });
  }
}

const SOURCE = { 'nodes/a.ts': 1 };
const BUILT = { ...SOURCE, 'dist/nodes/a.js': 2, 'dist/nodes/a.d.ts': 2 };

test.each<[string, Record<string, number>, string | undefined]>([
  ['a build of all sources', { ...BUILT, 'nodes/notes.md': 3 }, undefined],
  ['no build', SOURCE, 'There is no dist yet: run `npm run build`'],
  ['a change', { ...BUILT, 'nodes/a.ts': 3 }, 'dist is older than nodes/a.ts: run `npm run build`'],
  ['a new icon', { ...BUILT, 'icons/b.svg': 1 }, 'dist is older than icons/b.svg'],
  ['a source that is gone', { 'dist/nodes/a.js': 2 }, 'dist has nodes/a.js, which has no source'],
])('%s', (_, files, message) => {
  expect(refusalOf(files)).toEqual(message && expect.stringContaining(message));
});
