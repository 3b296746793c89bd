import fs from 'node:fs';
import path from 'node:path';
import { isMade, quotedErrors, textsIn } from '../errors';
import { ROOT } from '../files';
import { parse } from '../markdown';
import { faultsIn, GUIDES, pageNamed } from '../pages';

const DIST = path.join(ROOT, 'dist/nodes');

const TEXTS = fs
  .readdirSync(DIST, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.js'))
  .flatMap((file) => textsIn(fs.readFileSync(path.join(DIST, file), 'utf8')));

test('the README says what to do about errors', () => {
  expect(quotedErrors(pageNamed('README.md').tree).length).toBeGreaterThanOrEqual(5);
});

test('each error that a page quotes is one that the nodes make', () => {
  const made = ({ tree }: (typeof GUIDES)[0]) =>
    quotedErrors(tree).filter((quoted) => !isMade(quoted, TEXTS));
  expect(faultsIn(GUIDES, made)).toEqual({});
});

describe('the check of errors', () => {
  const TEXT = [
    '# Other',
    '- `not about an error`',
    '## Troubleshooting',
    '- `The name … is wrong`: mend it, not `this`.',
    '- `From the database` (n8n): wait.',
    '- No code.',
    '### More',
    '| Error | |\n|--|--|\n| `Never made` | |',
    '## End',
    '- `nor this`',
  ];

  test('finds what a page quotes', () => {
    expect(quotedErrors(parse(TEXT.join('\n\n')))).toEqual(['The name … is wrong', 'Never made']);
  });

  test.each([
    ['The name … is wrong', true],
    ['The name "…" is wrong', true],
    ['The name "x" is wrong', false],
    ['The names … are wrong', true],
    ['The names … is wrong', false],
    ['name', true],
    ['Two parts in one', true],
  ])('knows whether %s is made', (quoted, made) => {
    const source = `
      const a = \`The name "\${name}" is wrong (\${code})\`;
      const b = \`The names \${list} \${n === 1 ? 'is not known' : 'are wrong'}\`;
      const c = 'Two parts ' + (one ? 'in one' : 'in two');`;
    expect(isMade(quoted, textsIn(source))).toBe(made);
  });
});
