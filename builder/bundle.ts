/** The code of Code nodes: TypeScript modules, each bundled with what it imports for n8n's editor. */
import path from 'node:path';

import { buildSync } from 'esbuild';

const ROOT = path.join(__dirname, '..');

/** How esbuild says what a module exports, at the end of the bundle. */
const EXPORT = /export \{\n {2}(\w+) as default\n\};\n$/;

/** The texts of modules of the repository, by their paths in it: `desk/src/outbox/verdicts.ts`. */
export function bundle(modules: string[]): Map<string, string> {
  const { outputFiles } = buildSync({
    absWorkingDir: ROOT,
    entryPoints: modules,
    outdir: '.',
    outbase: '.',
    write: false,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
  });
  return new Map(
    outputFiles.map(({ path: output, text }) => [
      path.relative(ROOT, output).replace(/\.js$/, '.ts'),
      bodyOf(text),
    ]),
  );
}

/** The body of a function that runs the module. The module's function names what of n8n it needs. */
function bodyOf(bundled: string): string {
  const name = EXPORT.exec(bundled)?.[1] ?? '';
  const needs = new RegExp(`function ${name}\\(\\{([\\w$,\\s]+)\\}\\)`).exec(bundled)?.[1];
  if (!name || !needs) throw new Error(`The default export takes nothing of n8n:\n${bundled}`);
  const source =
    '// Bundled: the files that the comments name are in the repository of the SMS nodes.';
  const call = `return ${name}({ ${needs.trim().replace(/\s+/g, ' ')} });`;
  return `${source}\n${bundled.replace(EXPORT, () => call)}`;
}
