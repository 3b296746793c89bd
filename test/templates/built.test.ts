import { built } from '../../builder/build';
import { TEMPLATES } from '../../examples/src/build';
import { exampleNames, readExample } from '../kit/workflows/workflowFiles';

test('examples is what its sources give: npm run templates', async () => {
  const files = Object.fromEntries(exampleNames().map((name) => [name, readExample(name)]));
  expect(files).toEqual(Object.fromEntries(await built(TEMPLATES)));
});
