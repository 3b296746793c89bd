import fs from 'node:fs';
import ts from 'typescript';

const titles = new Map<string, string[]>();

/** The titles of the tests in a file, and of their groups, without those that are skipped. */
export function titlesIn(file: string): string[] {
  const known = titles.get(file);
  if (known) return known;
  const found: string[] = [];
  const source = ts.createSourceFile(
    file,
    fs.readFileSync(file, 'utf8'),
    ts.ScriptTarget.ES2022,
    false,
  );
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const words = wordsOf(node.expression);
      if (words.some((word) => SKIPPED.has(word))) return;
      const [title] = node.arguments;
      if (REGISTERED.has(words[0] ?? '') && title) found.push(...textOf(title));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  titles.set(file, found);
  return found;
}

/** The text of a title; `…` for each part that is known only when the test runs. */
function textOf(title: ts.Expression): string[] {
  if (ts.isStringLiteralLike(title)) return [title.text];
  if (!ts.isTemplateExpression(title)) return [];
  return [title.head.text + title.templateSpans.map(({ literal }) => `…${literal.text}`).join('')];
}

const REGISTERED = new Set(['test', 'it', 'describe']);

const SKIPPED = new Set(['skip', 'todo', 'failing', 'xtest', 'xit', 'xdescribe']);

/** The names in `test`, `test.skip`, `test.each(table)`: test, skip, each. */
function wordsOf(callee: ts.Expression): string[] {
  if (ts.isIdentifier(callee)) return [callee.text];
  if (ts.isPropertyAccessExpression(callee))
    return [...wordsOf(callee.expression), callee.name.text];
  if (ts.isCallExpression(callee)) return wordsOf(callee.expression);
  return ts.isTaggedTemplateExpression(callee) ? wordsOf(callee.tag) : [];
}
