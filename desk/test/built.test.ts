import { readFileSync } from 'node:fs';
import path from 'node:path';

import { built } from '../../builder/build';
import { NOTICE } from '../../builder/bundle';
import { DESK } from '../src/build';
import { deskNames, readDesk } from '../../test/kit/workflows/workflowFiles';

test('the files are what their sources give: npm run templates', async () => {
  const files = Object.fromEntries(deskNames().map((name) => [name, readDesk(name)]));
  expect(files).toEqual(Object.fromEntries(await built(DESK)));
});

test('NOTICE has the licences of the packages in Code nodes: npm run templates', () => {
  expect(readFileSync(path.join(__dirname, '../NOTICE'), 'utf8')).toBe(NOTICE);
});
