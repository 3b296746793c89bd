/** The Code nodes of the examples: each a TypeScript module in examples/code, bundled for n8n's editor. */
import { readdirSync } from 'node:fs';
import path from 'node:path';

import { buildSync } from 'esbuild';

const ROOT = path.join(__dirname, '../..');
const FOLDER = 'examples/code';

/** How esbuild says what a module exports, at the end of the bundle. */
const EXPORT = /export \{\n {2}(\w+) as default\n\};\n$/;

/** A Code node and its text. */
export interface Code {
  /** Name of a workflow in examples/. */
  workflow: string;
  node: string;
  text: string;
}

/** All Code nodes in examples/code: a folder per workflow, a module per node. */
export function codes(): Code[] {
  const files = readdirSync(path.join(ROOT, FOLDER), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) =>
      readdirSync(path.join(ROOT, FOLDER, name))
        .filter((f) => f.endsWith('.ts'))
        .map((file) => `${FOLDER}/${name}/${file}`),
    );
  const { outputFiles } = buildSync({
    absWorkingDir: ROOT,
    entryPoints: files,
    outbase: FOLDER,
    outdir: FOLDER,
    write: false,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
  });
  return outputFiles.map(({ path: file, text }) => ({
    workflow: path.basename(path.dirname(file)),
    node: path.basename(file, '.js'),
    text: bodyOf(text),
  }));
}

/** The body of a function that runs the module. The module's function names what of n8n it needs. */
function bodyOf(bundle: string): string {
  const name = EXPORT.exec(bundle)?.[1] ?? '';
  const needs = new RegExp(`function ${name}\\((.*)\\) \\{`).exec(bundle)?.[1];
  if (needs === undefined) throw new Error(`No function is exported as default:\n${bundle}`);
  const source =
    '// Bundled: the files that the comments name are in the repository of the SMS nodes.';
  return `${source}\n${bundle.replace(EXPORT, `return ${name}(${needs});`)}`;
}
