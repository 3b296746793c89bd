// `npm run docs`: writes check.js into the Code nodes of examples/service-check.json. The last line of
// each, which calls it, stays.
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';

import prettier from 'prettier';

const EXAMPLE = fileURLToPath(new URL('../../examples/service-check.json', import.meta.url));

const text = fs.readFileSync(new URL('check.js', import.meta.url), 'utf8');
const workflow = JSON.parse(fs.readFileSync(EXAMPLE, 'utf8'));
for (const { parameters } of workflow.nodes) {
  if (parameters.jsCode) parameters.jsCode = `${text}\n${parameters.jsCode.split('\n').at(-1)}`;
}
const options = { ...(await prettier.resolveConfig(EXAMPLE)), filepath: EXAMPLE };
fs.writeFileSync(EXAMPLE, await prettier.format(JSON.stringify(workflow), options));
