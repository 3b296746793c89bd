/** The Code nodes of the desk and of the service check: each a TypeScript module, bundled for n8n's editor. */
import { readdirSync } from 'node:fs';
import path from 'node:path';

import { buildSync } from 'esbuild';

const ROOT = path.join(__dirname, '../..');
const FOLDERS = ['desk/code', 'examples/src'];

/** How esbuild says what a module exports, at the end of the bundle. */
const EXPORT = /export \{\n {2}(\w+) as default\n\};\n$/;

/** The module of a Code node, as `codes` calls it. Not every system has file names with a question mark. */
export function moduleOf(workflow: string, node: string): string {
  return `${workflow}/${node.replace('?', '')}`;
}

/** The texts of all modules: a folder per workflow, a module per Code node. */
export function codes(): Map<string, string> {
  const { outputFiles } = buildSync({
    absWorkingDir: ROOT,
    entryPoints: modules(),
    outdir: '.',
    write: false,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
  });
  return new Map(
    outputFiles.map(({ path: output, text }) => {
      const { dir, name } = path.parse(output);
      return [`${path.basename(dir)}/${name}`, bodyOf(text)];
    }),
  );
}

function modules(): string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      // Parts of the nodes have names that begin with a small letter.
      .filter((file) => /\/[A-Z][^/]*\.ts$/.test(file))
      .map((file) => `${folder}/${file}`),
  );
}

/** The body of a function that runs the module. The module's function names what of n8n it needs. */
function bodyOf(bundle: string): string {
  const name = EXPORT.exec(bundle)?.[1] ?? '';
  const needs = new RegExp(`function ${name}\\(\\{([\\w$,\\s]+)\\}\\)`).exec(bundle)?.[1];
  if (!name || !needs) throw new Error(`The default export takes nothing of n8n:\n${bundle}`);
  const source =
    '// Bundled: the files that the comments name are in the repository of the SMS nodes.';
  const call = `return ${name}({ ${needs.trim().replace(/\s+/g, ' ')} });`;
  return `${source}\n${bundle.replace(EXPORT, () => call)}`;
}
