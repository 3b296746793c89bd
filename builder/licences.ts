/** The licences of the packages that Code nodes bring with them. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

const fileOf = (name: string, file: string): string =>
  readFileSync(path.join(__dirname, '../node_modules', name, file), 'utf8');

/** A package with its version and licence: `papaparse 5.7.1 (MIT)`. */
export function named(name: string): string {
  const { version, license } = JSON.parse(fileOf(name, 'package.json')) as Record<string, string>;
  return `${name} ${version} (${license})`;
}

/** What desk/NOTICE says: each package with the text of its licence. */
export function notice(names: string[]): string {
  const intro = `The SMS desk is under the MIT licence, as the whole repository. The code of some of its Code nodes, in
desk/workflows/, has parts of the packages below in it: minified, and of @e965/xlsx (SheetJS) without
what it has for other files than xlsx and xls. Each is under its own licence.`;
  const licences = names.map((name) => `${named(name)}\n\n${fileOf(name, 'LICENSE').trimEnd()}`);
  return `${[intro, ...licences].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
