import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { interfacePage } from './interface';

test('docs/interface.md is what `npm run docs` writes', () => {
  const page = readFileSync(join(__dirname, '../../docs/interface.md'), 'utf8');
  expect(page).toBe(interfacePage());
});
