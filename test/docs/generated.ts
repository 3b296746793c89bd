import { readFileSync } from 'node:fs';
import path from 'node:path';
import { INFERRED_PATHS, inferredPaths } from './pages/codes';
import { withInclusions } from './pages/inclusions';

/** The folder of the repository. */
export const ROOT = path.resolve(__dirname, '../..');

/** Guides in which a few numbers are generated. */
const WITH_INCLUSIONS = [
  'README.md',
  'docs/use/sending.md',
  'docs/use/receiving.md',
  'docs/run/upgrading.md',
  'docs/use/zh-CN.md',
];

/** File → its text. */
export const GENERATED: Record<string, () => string> = {
  [INFERRED_PATHS]: inferredPaths,
  ...Object.fromEntries(
    WITH_INCLUSIONS.map((file) => [
      file,
      () => withInclusions(readFileSync(path.join(ROOT, file), 'utf8')),
    ]),
  ),
};
