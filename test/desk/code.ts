/** The Code nodes of the desk: each a TypeScript module in desk/code/. */
import { readdirSync } from 'node:fs';
import path from 'node:path';

import { bundle } from '../../examples/src/bundle';

const FOLDER = 'desk/code';

/** The module of a Code node, as `codes` calls it. Not every system has file names with a question mark. */
export function moduleOf(workflow: string, node: string): string {
  return `${workflow}/${node.replace('?', '')}`;
}

/** The texts of all modules: a folder per workflow, a module per Code node. */
export function codes(): Map<string, string> {
  const folder = path.join(__dirname, '../..', FOLDER);
  const modules = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    // Parts of the nodes have names that begin with a small letter.
    .filter((file) => /\/[A-Z][^/]*\.ts$/.test(file))
    .map((file) => `${FOLDER}/${file}`);
  return bundle(modules);
}
