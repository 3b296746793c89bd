/** `npm run docs`: writes the check into the Code nodes of examples/service-check.json. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import prettier from 'prettier';

import { checkText, planText } from './load';

const EXAMPLE = path.join(__dirname, '../../examples/service-check.json');

interface Workflow {
  nodes: { name: string; parameters: { jsCode?: string } }[];
}

const TEXTS: Record<string, string> = { Requests: planText, Report: checkText };

async function main(): Promise<void> {
  const workflow = JSON.parse(readFileSync(EXAMPLE, 'utf8')) as Workflow;
  for (const { name, parameters } of workflow.nodes) {
    const text = TEXTS[name];
    // The last line of each, which calls it, stays.
    if (text) parameters.jsCode = `${text}\n${parameters.jsCode?.split('\n').at(-1)}`;
  }
  const options = { ...(await prettier.resolveConfig(EXAMPLE)), filepath: EXAMPLE };
  writeFileSync(EXAMPLE, await prettier.format(JSON.stringify(workflow), options));
}

void main();
