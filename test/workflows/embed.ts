/** `npm run docs`: writes the modules of examples/code into the Code nodes of the example workflows. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import prettier from 'prettier';

import { exampleNames } from '../e2e/lib/examples';
import { codes, moduleOf } from './code';

interface Workflow {
  nodes: { name: string; parameters: { jsCode?: string } }[];
}

async function main(): Promise<void> {
  const texts = codes();
  for (const name of exampleNames()) {
    const file = path.join(__dirname, `../../examples/${name}.json`);
    const workflow = JSON.parse(readFileSync(file, 'utf8')) as Workflow;
    const nodes = workflow.nodes.filter((node) => texts.has(moduleOf(name, node.name)));
    if (nodes.length === 0) continue;
    for (const node of nodes) node.parameters.jsCode = texts.get(moduleOf(name, node.name));
    const options = { ...(await prettier.resolveConfig(file)), filepath: file };
    writeFileSync(file, await prettier.format(JSON.stringify(workflow), options));
  }
}

void main();
