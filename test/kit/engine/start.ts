import type { INode, INodeType, INodeTypeDescription } from 'n8n-workflow';

/** The description of a node that is not of the package: with one input and one output. */
export const describeNode = (own: Partial<INodeTypeDescription>): INodeTypeDescription => ({
  displayName: 'Other',
  name: 'other',
  group: ['transform'],
  version: 1,
  description: 'A node of the tests',
  defaults: {},
  inputs: ['main'],
  outputs: ['main'],
  properties: [],
  ...own,
});

const nodeType: INodeType = {
  description: describeNode({ group: ['trigger'], inputs: [] }),
  async execute() {
    return [this.getInputData()];
  },
};

const node: INode = {
  id: 'start',
  name: 'Start',
  type: 'test.start',
  typeVersion: 1,
  position: [0, 0],
  parameters: {},
};

/** A start node: the node under test gets its items from a node before it, as in a real workflow. */
export const START = { type: node.type, nodeType, node };
