// Imports the workflows of this folder into an n8n by its public API, connects them and publishes them:
//
//   npm run workflows -- --url http://localhost:5678 --key <n8n API key> [--only inbox,outbox,…] [--timezone Europe/Berlin]
//
// It makes the logins of pages and webhooks that are missing, and prints them once. Run it again after an
// update: a workflow that is there is replaced, and keeps its executions.
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const folder = new URL('.', import.meta.url);

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: process.env.N8N_URL },
    key: { type: 'string', default: process.env.N8N_API_KEY },
    only: { type: 'string' },
    timezone: { type: 'string' },
  },
});
if (!values.url || !values.key) {
  console.error(
    'Tell --url (such as http://localhost:5678) and --key (n8n: Settings → n8n API → Create an API key).',
  );
  process.exit(1);
}

if (values.timezone && !Intl.supportedValuesOf('timeZone').includes(values.timezone)) {
  console.error(`${values.timezone} is not a time zone. Give one such as Europe/Berlin.`);
  process.exit(1);
}

/** Calls n8n's public API. Throws what n8n says when it refuses. */
async function call(method, path, body) {
  const response = await fetch(new URL(`/api/v1/${path}`, values.url), {
    method,
    headers: { 'X-N8N-API-KEY': values.key, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.ok) return JSON.parse(text);
  let message = text.slice(0, 300);
  try {
    message = JSON.parse(text).message ?? message;
  } catch {
    // Not n8n's own answer: a proxy's page, say.
  }
  throw new Error(`n8n answered ${response.status}: ${message}`);
}

/** All records of a list that n8n gives in pages. */
async function all(path) {
  const found = [];
  for (let cursor = ''; cursor !== undefined;) {
    const { data, nextCursor } = await call('GET', `${path}?limit=100&cursor=${cursor}`);
    found.push(...data);
    cursor = nextCursor ?? undefined;
  }
  return found;
}

/** The fields that n8n takes. */
const bodyOf = ({ name, nodes, connections, settings = {} }) => ({
  name,
  nodes,
  connections,
  settings: { ...settings, ...(values.timezone && { timezone: values.timezone }) },
});

/** The IDs of the workflows that a workflow calls. */
function calledBy({ nodes }) {
  return nodes
    .map(({ parameters }) => parameters.workflowId?.value)
    .filter((id) => typeof id === 'string' && !id.startsWith('='));
}

/** Puts a workflow behind those that it calls, because n8n publishes it only then. */
function inOrder(files) {
  const done = [];
  const visit = (file) => {
    if (!file || done.includes(file)) return;
    for (const id of calledBy(file))
      if (id !== file.id) visit(files.find((each) => each.id === id));
    if (!done.includes(file)) done.push(file);
  };
  files.forEach(visit);
  return done;
}

const only = values.only?.split(',').map((name) => `sms-${name.trim()}`);
const examples = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')));
const files = examples.filter(({ id }) => !only || only.includes(id));

const present = await all('workflows');
const credentials = await all('credentials');

const secret = () => randomBytes(18).toString('base64url');

/** The logins that this script makes when n8n has none of their type: its name in the files, and its data. */
const LOGINS = {
  httpBasicAuth: ['Basic Auth account', () => ({ user: 'sms', password: secret() })],
  httpHeaderAuth: ['Header Auth account', () => ({ name: 'X-Key', value: secret() })],
};

for (const [type, [name, dataOf]] of Object.entries(LOGINS)) {
  const isNeeded = files.some(({ nodes }) => nodes.some((node) => node.credentials?.[type]));
  if (!isNeeded || credentials.some((each) => each.type === type)) continue;
  const data = dataOf();
  credentials.push(await call('POST', 'credentials', { name, type, data }));
  console.log(`New credential "${name}": ${Object.values(data).join('   ')}   (shown only now)`);
}

const tags = await all('tags');
/** The ID of each tag in the files. */
const tagIds = new Map();
for (const { name } of files.flatMap((file) => file.tags ?? [])) {
  if (tagIds.has(name)) continue;
  const tag = tags.find((each) => each.name === name) ?? (await call('POST', 'tags', { name }));
  tagIds.set(name, tag.id);
}

/** The ID in the file → the ID in this n8n. An import in the editor keeps the ID; n8n's API does not. */
const ids = new Map();
for (const file of examples) {
  const same = present.filter(({ isArchived }) => !isArchived);
  const found =
    same.find(({ id }) => id === file.id) ?? same.find(({ name }) => name === file.name);
  if (found) ids.set(file.id, found.id);
}
for (const file of files) {
  if (ids.has(file.id)) continue;
  const empty = bodyOf({ ...file, nodes: [], connections: {} });
  ids.set(file.id, (await call('POST', 'workflows', empty)).id);
}

/** The node with the credentials and workflows of this n8n. */
function connected(node) {
  const entries = Object.entries(node.credentials ?? {}).flatMap(([type, { name }]) => {
    const fitting = credentials.filter((each) => each.type === type);
    const chosen = fitting.find((each) => each.name === name) ?? fitting[0];
    return chosen ? [[type, { id: chosen.id, name: chosen.name }]] : [];
  });
  const { workflowId } = node.parameters;
  // In an expression too: the outbox's upkeep calls the outbox by one, because n8n would not publish a circle.
  const value = workflowId?.value?.replace(/\bsms-[a-z-]+/g, (id) => ids.get(id) ?? id);
  const parameters = workflowId
    ? { ...node.parameters, workflowId: { ...workflowId, value } }
    : node.parameters;
  return {
    ...node,
    parameters,
    ...(node.credentials && { credentials: Object.fromEntries(entries) }),
  };
}

let problems = 0;
for (const file of inOrder(files)) {
  const id = ids.get(file.id);
  try {
    await call('PUT', `workflows/${id}`, bodyOf({ ...file, nodes: file.nodes.map(connected) }));
    const own = (file.tags ?? []).map(({ name }) => ({ id: tagIds.get(name) }));
    await call('PUT', `workflows/${id}/tags`, own);
    await call('POST', `workflows/${id}/activate`, {});
    console.log(`${file.name}: published (/workflow/${id})`);
  } catch (error) {
    problems += 1;
    console.log(
      `${file.name}: imported, not published (/workflow/${id}). ${error.message.replace(/\s+/g, ' ')}`,
    );
  }
}
console.log(
  problems === 0
    ? `${files.length} workflows are published.`
    : `${files.length - problems} of ${files.length} workflows are published. Open the others, choose what is marked red, and publish them.`,
);
