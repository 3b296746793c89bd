import type { INode, INodeType } from 'n8n-workflow';

const nodeType: INodeType = {
  description: {
    displayName: 'Start',
    name: 'start',
    group: ['trigger'],
    version: 1,
    description: 'Passes its items on',
    defaults: {},
    inputs: [],
    outputs: ['main'],
    properties: [],
  },
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
