import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contractOperations } from './contract';
import { interfacePage } from './interface';

test('docs/interface.md is what `npm run docs` writes', () => {
  const page = readFileSync(join(__dirname, '../../docs/interface.md'), 'utf8');
  expect(page).toBe(interfacePage());
});

test.each(contractOperations())('docs/interface.md has $path', ({ path, inferred }) => {
  expect(interfacePage()).toContain(inferred ? `| \`${path}\` |` : `\`POST ${path}\``);
});
