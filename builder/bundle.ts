/** The code of Code nodes: TypeScript modules, each bundled with what it imports for n8n's editor. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { buildSync } from 'esbuild';

const ROOT = path.join(__dirname, '..');

/** How esbuild says what a module exports, at the end of the bundle, and in a small one. */
const EXPORT = /export \{\n {2}(\w+) as default\n\};\n$/;
const EXPORTS = /export\{([^}]*)\};\n$/;

/** How it says what a module imports of a package, and from where in the repository. */
const IMPORT = /^(?:\/\/ .+\n)?import \{ (.+) \} from "(.+)";\n/gm;

/** What SheetJS has for other files than xlsx and xls: a third of it. */
const LEFT_OUT =
  /^(function|var) (parse_numbers_iwa|parse_xlml|WK_|SYLK|DBF|PRN|XLSBRecordEnum|parse_ws_bin)(?= =|\()/gm;

/** The texts of modules of the repository, by their paths in it: `desk/src/outbox/verdicts.ts`. */
export function bundle(modules: string[]): Map<string, string> {
  const { outputFiles } = buildSync({
    absWorkingDir: ROOT,
    entryPoints: modules,
    outdir: '.',
    outbase: '.',
    write: false,
    bundle: true,
    packages: 'external',
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
  const packages = [...bundled.matchAll(IMPORT)].map(([, , from = '']) => named(from));
  const licences = packages.length > 0 && ` Licences of ${packages.join(', ')}: desk/NOTICE.`;
  const source = `// Bundled: the files that the comments name are in the repository of the SMS nodes.${licences || ''}`;
  const call = `return ${name}({ ${needs.trim().replace(/\s+/g, ' ')} });`;
  const text = bundled.replace(IMPORT, (_, names: string, from: string) => small(names, from));
  return `${source}\n${text.replace(EXPORT, () => call)}`;
}

/** The packages that Code nodes may use, each as a module of what they use. */
const PACKAGES: Record<string, () => string> = {
  '@e965/xlsx': () => {
    const text = readFileSync(path.join(ROOT, 'node_modules/@e965/xlsx/xlsx.mjs'), 'utf8');
    return `${withoutOthers(text)}\nexport { readSync as read, SSF };`;
  },
  // n8n lets no code define a property, as esbuild would to import from what is no ES module.
  papaparse: () => "const { parse } = require('papaparse');\nexport { parse };",
};

const fileOf = (name: string, file: string): string =>
  readFileSync(path.join(ROOT, 'node_modules', name, file), 'utf8');

/** A package with its version and licence: `papaparse 5.7.1 (MIT)`. */
function named(name: string): string {
  const { version, license } = JSON.parse(fileOf(name, 'package.json')) as Record<string, string>;
  return `${name} ${version} (${license})`;
}

const INTRO = `The SMS desk is under the MIT licence, as the whole repository. The code of some of its Code nodes, in
desk/workflows/, has parts of the packages below in it: minified, and of @e965/xlsx (SheetJS) without
what it has for other files than xlsx and xls. Each is under its own licence.`;

/** What desk/NOTICE says: each package with the text of its licence. */
export const NOTICE = [
  INTRO,
  ...Object.keys(PACKAGES).map((name) => `${named(name)}\n\n${fileOf(name, 'LICENSE').trimEnd()}`),
]
  .join(`\n\n${'-'.repeat(80)}\n\n`)
  .concat('\n');

/** SheetJS, without what it exports and what is left out. */
function withoutOthers(text: string): string {
  return text
    .slice(0, text.indexOf('\nexport '))
    .replace(LEFT_OUT, (_, kind: string, name: string) =>
      kind === 'var'
        ? `var ${name} = {};\nvar not_${name}`
        : `function ${name}() {}\nfunction not_${name}`,
    );
}

/** What is taken of a package, as short as can be: nobody reads it in the editor. */
function small(names: string, from: string): string {
  const contents = PACKAGES[from]?.();
  if (contents === undefined) throw new Error(`No Code node may use ${from}.`);
  const { outputFiles } = buildSync({
    // n8n takes a call of $ for a look at a node, whatever has that name: so nothing gets it.
    stdin: { contents: `${contents}\nexport const free = () => $;`, resolveDir: ROOT },
    write: false,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    // Whose it is, and under which licence.
    legalComments: 'inline',
  });
  const text = outputFiles[0]?.text ?? '';
  const found = EXPORTS.exec(text)?.[1] ?? '';
  const members = found.split(',').map((each) => each.split(' as ').reverse().join(':'));
  const body = text.replace(EXPORTS, () => `return{${members.join()}}`);
  return `// ${from}\nconst { ${names} } = (() => {${body}})();\n`;
}
