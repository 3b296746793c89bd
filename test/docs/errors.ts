import ts from 'typescript';
import { partsOf, sectionsOf, textOf } from './markdown';
import type { Part } from './markdown';

/** Where a part is known only when the code runs, and where a page leaves something out. */
const HOLE = '…';

/** More ways to put a text together than any text here has. */
const MOST = 64;

/** Every text in a source file that the code can make, with holes. */
export function textsIn(source: string): string[] {
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    const made = ts.isExpression(node) ? readings(node) : [];
    if (made.join() !== HOLE) texts.push(...made);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('a.js', source, ts.ScriptTarget.ES2022, false));
  return texts;
}

/** What an expression can be, as text. */
function readings(node: ts.Expression): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isParenthesizedExpression(node)) return readings(node.expression);
  if (ts.isConditionalExpression(node))
    return [...readings(node.whenTrue), ...readings(node.whenFalse)];
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    return joined(readings(node.left), readings(node.right));
  }
  if (!ts.isTemplateExpression(node)) return [HOLE];
  return node.templateSpans.reduce(
    (all, { expression, literal }) => joined(joined(all, readings(expression)), [literal.text]),
    [node.head.text],
  );
}

const joined = (firsts: string[], seconds: string[]) =>
  firsts.flatMap((first) => seconds.map((second) => first + second)).slice(0, MOST);

/** The errors that a page's advice is about: code that begins an item or a row. */
export function quotedErrors(page: Part): string[] {
  const section = sectionsOf(page, /^(?:Troubleshooting|常见问题|故障排除)$/);
  return partsOf(section, 'listItem', 'tableRow')
    .filter((entry) => !/[(（]n8n[)）]/.test(textOf(entry)))
    .map(firstOf)
    .filter(({ type }) => type === 'inlineCode')
    .map(({ value = '' }) => value);
}

/** What a reader sees first of an item or row. */
function firstOf(part: Part): Part {
  const [first] = part.children ?? [];
  return first && part.type !== 'inlineCode' ? firstOf(first) : part;
}

/** Whether one of the texts contains what a page quotes. */
export function isMade(quoted: string, texts: string[]): boolean {
  const parts = quoted.split(HOLE).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = new RegExp(parts.join('.*'), 's');
  return texts.some((text) => pattern.test(text));
}
