import { built } from '../../desk/src/build';
import { templateNames, templateOf } from '../../examples/src/build';
import { deskNames, readDesk, readExample } from '../e2e/lib/workflowFiles';

test.each(templateNames())(
  'examples/%s.json is what its source gives: npm run templates',
  async (name) => {
    expect(readExample(name)).toEqual(await templateOf(name));
  },
);

test('desk/workflows is what its sources give: npm run templates', async () => {
  const files = Object.fromEntries(deskNames().map((name) => [name, readDesk(name)]));
  expect(files).toEqual(Object.fromEntries(await built()));
});
