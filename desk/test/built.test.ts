import { readFileSync } from 'node:fs';
import path from 'node:path';

import { built } from '../../builder/build';
import { NOTICE } from '../../builder/bundle';
import { DESK, ON_POSTGRES } from '../src/build';
import { deskNames, readDesk, readOnPostgres } from '../../test/kit/workflows/workflowFiles';

test.each([
  [DESK, readDesk],
  [ON_POSTGRES, readOnPostgres],
])('$files is what its sources give: npm run templates', async (house, read) => {
  const files = Object.fromEntries(deskNames().map((name) => [name, read(name)]));
  expect(files).toEqual(Object.fromEntries(await built(house)));
});

test('NOTICE has the licences of the packages in Code nodes: npm run templates', () => {
  expect(readFileSync(path.join(__dirname, '../NOTICE'), 'utf8')).toBe(NOTICE);
});
