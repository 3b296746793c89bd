/** `npm run docs`: writes examples/code into the Code nodes of the example workflows. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import prettier from 'prettier';

import { codes } from './code';

interface Workflow {
  nodes: { name: string; parameters: { jsCode?: string } }[];
}

async function main(): Promise<void> {
  for (const { workflow: name, node: nodeName, text } of codes()) {
    const file = path.join(__dirname, `../../examples/${name}.json`);
    const workflow = JSON.parse(readFileSync(file, 'utf8')) as Workflow;
    const node = workflow.nodes.find((each) => each.name === nodeName);
    if (!node) throw new Error(`examples/${name}.json has no node "${nodeName}".`);
    node.parameters.jsCode = text;
    const options = { ...(await prettier.resolveConfig(file)), filepath: file };
    writeFileSync(file, await prettier.format(JSON.stringify(workflow), options));
  }
}

void main();
