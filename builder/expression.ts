/** Typed functions in expressions: what may not depend on a Code node, which runs in another process. */
import path from 'node:path';

import { buildSync } from 'esbuild';

/**
 * A call of a function as the text of an expression, without its braces.
 *
 * @param module its path in the repository, without `.ts`. It exports the function and imports nothing of n8n.
 * @param values expressions
 */
export function callOf(module: string, name: string, ...values: string[]): string {
  return `(() => {\n${bodyOf(module, name)}return ${name}(${values.join(', ')});\n})()`;
}

const made = new Map<string, string>();

/** The text of a function, with what it calls. */
function bodyOf(module: string, name: string): string {
  const contents = `export { ${name} } from './${module}';`;
  const known = made.get(contents);
  if (known !== undefined) return known;
  const { outputFiles } = buildSync({
    stdin: { contents, resolveDir: path.join(__dirname, '..'), loader: 'ts' },
    write: false,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    minifySyntax: true,
  });
  const text = (outputFiles[0]?.text ?? '')
    .replace(/export \{[^}]*\};\n$/, '')
    .replace(/^\/\/ .+\n/gm, '')
    // Two braces end an expression.
    .replace(/\}(?=\})/g, '} ');
  // n8n's engine loses the question mark: it makes sure first that the name is no dangerous one.
  if (/\?\.\[(?!["'\d])/.test(text)) throw new Error(`No expression has ?.[name]:\n${text}`);
  made.set(contents, text);
  return text;
}
