import { built } from '../../builder/build';
import { DESK } from '../src/build';
import { deskNames, readDesk } from '../../test/kit/workflows/workflowFiles';

test('desk/workflows is what its sources give: npm run templates', async () => {
  const files = Object.fromEntries(deskNames().map((name) => [name, readDesk(name)]));
  expect(files).toEqual(Object.fromEntries(await built(DESK)));
});
