import { spawnSync } from 'node:child_process';
import { OPERATIONS, RESOURCES } from '../descriptions';
import { EXAMPLES, ROOT } from '../files';
import { linksOf, parse, partsOf, sectionsOf, textOf } from '../markdown';
import type { Part } from '../markdown';
import { pageNamed } from '../pages';

test('docs/operations.md is up to date with the descriptions of the nodes', () => {
  const { status, stderr } = spawnSync('node', ['test/tools/operations-docs.mjs', '--check'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
});

test('the README lists every operation of every resource, and no other', () => {
  expect(operationsIn(pageNamed('README.md').tree)).toEqual(
    OPERATIONS.map(({ resource, option }) => `${RESOURCES.get(resource)}: ${option.name}`).sort(),
  );
});

test('docs/workflows.md leads to every example', () => {
  const links = linksOf(pageNamed('docs/workflows.md').tree);
  expect(EXAMPLES.filter((file) => !links.includes(`../${file}`))).toEqual([]);
});

/** What stands under Operations: resources in bold, and what can be done with each. */
function operationsIn(page: Part): string[] {
  const items = partsOf(sectionsOf(page, /^Operations$/), 'listItem');
  const operations = items.flatMap((item) => {
    const [, names = ''] = textOf(item).split(': ');
    const resources = partsOf(item, 'strong').map((part) => textOf(part));
    return resources.flatMap((resource) => names.split(', ').map((name) => `${resource}: ${name}`));
  });
  return operations.sort();
}

test('the list of operations is read as it is written', () => {
  const text = '## Operations\n\n- **A**, **B**: Get, Get Many\n\n## Other\n\n- **C**: Get';
  expect(operationsIn(parse(text))).toEqual(['A: Get', 'A: Get Many', 'B: Get', 'B: Get Many']);
});
