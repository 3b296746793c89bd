// Writes nodeTypes.json: the versions and parameters of n8n's nodes that the templates and the desk use, from
// the n8n that the end-to-end suite has installed. Labels and explanations are left out.
//
//   node test/kit/n8nNodes/read-node-types.mjs           writes it
//   node test/kit/n8nNodes/read-node-types.mjs --check   fails if it says something else
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const installed = path.join(here, '../../e2e');
const folders = ['examples', 'desk/workflows'].map((name) => path.join(here, '../../..', name));

const FOR_PEOPLE = ['description', 'placeholder', 'hint', 'action', 'builderHint', 'codex'];

/** A value without the texts for people. A parameter may be called like one of them. */
function bare(value) {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== 'object' || value === null) return value;
  const isProperty = 'displayName' in value || 'value' in value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !(isProperty && FOR_PEOPLE.includes(key)))
      .map(([key, each]) => [key, isProperty && key === 'displayName' ? '' : bare(each)]),
  );
}

/** Node type and version → it; node type → the resources and operations that its nodes have. */
const used = new Map();
const chosen = new Map();
const files = folders.flatMap((folder) =>
  readdirSync(folder).map((name) => path.join(folder, name)),
);
for (const file of files.filter((name) => name.endsWith('.json'))) {
  const { nodes } = JSON.parse(readFileSync(file, 'utf8'));
  for (const { type, typeVersion, parameters } of nodes) {
    used.set(`${type} ${typeVersion}`, { type, typeVersion });
    const { resource, operation } = parameters;
    chosen.set(type, [...(chosen.get(type) ?? []), resource, operation]);
  }
}

/** Not the fields of resources and operations that no workflow has. */
function isShown(type, properties, { displayOptions: { show = {} } = {} }) {
  return ['resource', 'operation'].every((name) => {
    const defaults = properties.filter((each) => each.name === name).map((each) => each.default);
    const values = [...chosen.get(type), ...defaults];
    return !show[name] || show[name].some((value) => values.includes(value));
  });
}

const require = createRequire(path.join(installed, 'package.json'));
const hitl = path.join(installed, 'node_modules/n8n/dist/tool-generation/hitl-tools.js');
const { convertNodeToHitlTool, hasSendAndWaitOperation } = require(hitl);

/** The human reviews that n8n makes of nodes that can send and wait. */
const reviewsOf = (all) =>
  all
    .filter(hasSendAndWaitOperation)
    .map((each) => convertNodeToHitlTool({ description: structuredClone(each) }).description);

const found = [];
for (const name of ['n8n-nodes-base', '@n8n/n8n-nodes-langchain']) {
  const folder = path.dirname(require.resolve(`${name}/package.json`));
  const all = JSON.parse(readFileSync(path.join(folder, 'dist/types/nodes.json'), 'utf8'));
  for (const { name: short, version, properties, ...more } of [...all, ...reviewsOf(all)]) {
    const type = `${name}.${short}`;
    const versions = [version].flat().filter((each) => used.delete(`${type} ${each}`));
    if (versions.length === 0) continue;
    const { group, inputs, outputs, requiredInputs } = more;
    const known = { name: type, version: versions, group, inputs, outputs, requiredInputs };
    const shown = properties.filter((each) => isShown(type, properties, each));
    found.push({ ...known, properties: bare(shown) });
  }
}
const missing = [...used.values()].filter(({ type }) => !type.startsWith('n8n-nodes-sms-'));
if (missing.length > 0)
  throw new Error(`n8n has no ${missing.map(({ type }) => type).join(', ')}.`);
const lines = found.map((each) => JSON.stringify(each)).join(',\n');
const text = `[\n${lines}\n]\n`;
const written = path.join(here, 'nodeTypes.json');
if (process.argv[2] !== '--check') writeFileSync(written, text);
else if (readFileSync(written, 'utf8') !== text) throw new Error(`${written} is of another n8n.`);
