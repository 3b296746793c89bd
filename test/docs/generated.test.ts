import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { GENERATED, ROOT } from './generated';

/** What is generated is what is committed. `npm run docs` runs this to write it. */
test.each(Object.entries(GENERATED))('%s is up to date: npm run docs', (name, generate) => {
  const file = path.join(ROOT, name);
  const text = generate();
  if (process.env.WRITE_DOCS) writeFileSync(file, text);
  expect(readFileSync(file, 'utf8')).toBe(text);
});
