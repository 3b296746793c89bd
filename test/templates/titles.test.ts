/** How a path names a node that stands in another one. */
import { base, lane, workflow } from '../../builder/parts';

const TEXTS = { name: 'A', about: '' };
const noOp = (name: string) => base('filter', name);

it('finds a node by its title, also in another lane', () => {
  const { lanes, nodes } = workflow(
    TEXTS,
    lane(
      [['Start', 'A note']],
      ['Start', noOp('End')],
      [
        [noOp('Start'), 1],
        ['End', 0, 2],
      ],
    ),
    lane('', [noOp('Other'), 'End']),
  );
  const [start, end] = lanes[0]?.nodes ?? [];
  expect([start?.name, end?.name]).toEqual(['Start', 'End']);
  expect(lanes).toEqual([
    {
      notes: [[start, 'A note']],
      nodes: [start, end],
      lines: [
        { from: start, to: end, output: 0, input: 0 },
        { from: start, to: end, output: 1, input: 2 },
      ],
    },
    expect.objectContaining({ lines: [expect.objectContaining({ to: end })] }),
  ]);
  expect(nodes).toHaveLength(3);
});

it.each([
  ['a step', lane('', [noOp('Start'), 'Ende'])],
  ['a note', lane([['Ende', 'A note']], [noOp('Start')])],
])('knows no node by the title of %s', (_, drawn) => {
  expect(() => workflow(TEXTS, drawn)).toThrow('No node has the title "Ende".');
});

it('wants another title for each node', () => {
  const lanes = [lane('', [noOp('Start')]), lane('', [[noOp('Start'), 1]])];
  expect(() => workflow(TEXTS, ...lanes)).toThrow('Two nodes have the title "Start".');
});
