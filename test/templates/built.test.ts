/** The templates are what their sources give; what the builder refuses. */
import { built } from '../../builder/build';
import { callOf } from '../../builder/expression';
import { base, lane, workflow } from '../../builder/parts';
import { TEMPLATES } from '../../examples/src/build';
import { evaluate } from '../kit/workflows/expression';
import { exampleNames, readExample } from '../kit/workflows/workflowFiles';

test('examples is what its sources give: npm run templates', async () => {
  const files = Object.fromEntries(exampleNames().map((name) => [name, readExample(name)]));
  expect(files).toEqual(Object.fromEntries(await built(TEMPLATES)));
});

const noOp = (name: string) => base('filter', name);

test.each([
  ['a step', lane('', [noOp('Start'), 'Ende']), 'No node has the title "Ende".'],
  ['a note', lane([['Ende', 'A note']], [noOp('Start')]), 'No node has the title "Ende".'],
  ['a node', lane('', [noOp('Ende'), noOp('Ende')]), 'Two nodes have the title "Ende".'],
])('a title of %s', (_, drawn, message) => {
  expect(() => workflow({ name: 'A', about: '' }, drawn)).toThrow(message);
});

test('in an expression, what n8n’s engine reads in another way is refused', () => {
  const module = 'test/templates/optionalName';
  expect(() => callOf(module, 'valueOf', '$json')).toThrow('No expression has ?.[name]');
});

test.each([
  [[{}], 90],
  [[{ name: 'keep_days', value: 7 }, { name: 'keep_days' }], 7],
])('with %j, rows of the desk are kept for %j days', (rows, days) => {
  const module = 'desk/src/common/messages/thresholds';
  const thresholds = callOf(module, 'thresholdsIn', "$('Thresholds').all()");
  const nodes = { Thresholds: rows };
  expect(evaluate(`={{ ${thresholds}.keep_days }}`, { nodes })).toBe(days);
});
