import { templateNames, templateOf } from '../../examples/src/build';
import { readExample } from '../kit/workflows/workflowFiles';

test.each(templateNames())(
  'examples/%s.json is what its source gives: npm run templates',
  async (name) => {
    expect(readExample(name)).toEqual(await templateOf(name));
  },
);
