// Where docs/interface.md describes a path. It has `POST <path>` below the heading of the operation, and the
// path alone in the table of those that the specification only names.
import fs from 'node:fs';
import path from 'node:path';
import { linkTo } from './markdown.mjs';
import { ROOT } from './package.mjs';

const [, ...parts] = fs
  .readFileSync(path.join(ROOT, 'docs/interface.md'), 'utf8')
  .split(/^#+ (.*)$/m);
const sections = parts.flatMap((heading, index) =>
  index % 2 === 0 ? [{ heading, text: parts[index + 1] }] : [],
);

/**
 * A link to the description of an operation's interface.
 *
 * @param {{ path: string, isInferred: boolean }} operation
 * @throws for an operation that docs/interface.md does not describe
 */
export function interfaceLink({ path: address, isInferred }) {
  const needle = isInferred ? `\`${address}\`` : `\`POST ${address}\``;
  const section = sections.find(({ text }) => text.includes(needle));
  if (!section) throw new Error(`docs/interface.md has no section with ${needle}`);
  const text = isInferred ? 'inferred' : section.heading;
  return linkTo(section.heading, { text, page: 'interface.md' });
}
