// Puts the desk into an n8n by its public API, connects its workflows and publishes them:
//
//   npm run desk -- --url http://localhost:5678 --key <n8n API key> [--only outbox,inbox,…] [--timezone Europe/Berlin] [--store postgres]
//
// It makes the logins of pages and webhooks that are missing, and prints them once. Run it again after an
// update: what has changed is replaced and keeps its executions, and what the desk no longer has is deleted.
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { inOrder } from './order.mjs';
import { toPostgres } from './postgres.mjs';

const folder = new URL('workflows/', import.meta.url);

/** The tag by which a workflow of the desk is known later. */
const TAG = 'SMS desk';

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: process.env.N8N_URL },
    key: { type: 'string', default: process.env.N8N_API_KEY },
    only: { type: 'string' },
    timezone: { type: 'string' },
    store: { type: 'string', default: 'tables' },
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

if (!['tables', 'postgres'].includes(values.store)) {
  console.error(`--store is tables (n8n's data tables) or postgres, not ${values.store}.`);
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
  settings: {
    ...settings,
    ...(settings.errorWorkflow && { errorWorkflow: ids.get(settings.errorWorkflow) }),
    ...(values.timezone && { timezone: values.timezone }),
  },
});

const only = values.only?.split(',').map((name) => `sms-${name.trim()}`);
const sources = inOrder(
  readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8'))),
);
const workflows = values.store === 'postgres' ? sources.map(toPostgres) : sources;
const files = workflows.filter(({ id }) => !only || only.includes(id));

const present = await all('workflows');
const credentials = await all('credentials');

if (values.store === 'postgres' && !credentials.some(({ type }) => type === 'postgres')) {
  console.error(
    'There is no Postgres credential in n8n. Create a database for the desk, then in n8n: Overview → Create credential → Postgres, with its host, database, user and password. Its user must be allowed to create tables. Run this again.',
  );
  process.exit(1);
}

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
for (const file of workflows) {
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
  const value = ids.get(workflowId?.value) ?? workflowId?.value;
  const parameters = workflowId
    ? { ...node.parameters, workflowId: { ...workflowId, value } }
    : node.parameters;
  return {
    ...node,
    parameters,
    ...(node.credentials && { credentials: Object.fromEntries(entries) }),
  };
}

/** Whether n8n has all of this: it adds fields of its own. */
function has(there, wanted) {
  if (typeof wanted !== 'object' || wanted === null) return there === wanted;
  const keys = Object.keys(wanted);
  if (Array.isArray(wanted) && there?.length !== wanted.length) return false;
  return keys.every((key) => has(there?.[key], wanted[key]));
}

const done = { new: 0, updated: 0, unchanged: 0, deleted: 0 };
const say = (name, what, id) =>
  console.log(`${what.padEnd(10)}${name}${id ? `   /workflow/${id}` : ''}`);

// Before the others are published: n8n publishes no second workflow with the address of a page.
const ours = new Set(ids.values());
for (const { id, name, tags: own = [] } of only ? [] : present) {
  if (ours.has(id) || !own.some((tag) => tag.name === TAG)) continue;
  await call('DELETE', `workflows/${id}`);
  done.deleted += 1;
  say(name, 'deleted');
}

let problems = 0;
for (const file of files) {
  const id = ids.get(file.id);
  const before = present.find((each) => each.id === id);
  const body = bodyOf({ ...file, nodes: file.nodes.map(connected) });
  const own = (file.tags ?? []).map(({ name }) => ({ id: tagIds.get(name) }));
  const isSame = before?.active && has(before, { ...body, tags: file.tags });
  const what = isSame ? 'unchanged' : before ? 'updated' : 'new';
  try {
    if (!isSame) {
      await call('PUT', `workflows/${id}`, body);
      await call('PUT', `workflows/${id}/tags`, own);
      await call('POST', `workflows/${id}/activate`, {});
    }
    done[what] += 1;
    say(file.name, what, id);
  } catch (error) {
    problems += 1;
    say(file.name, 'NOT PUBLISHED', id);
    console.log(`          ${error.message.replace(/\s+/g, ' ')}`);
  }
}

const counts = Object.entries(done)
  .filter(([, count]) => count > 0)
  .map(([what, count]) => `${count} ${what}`);
console.log(
  problems === 0
    ? `${counts.join(', ')}. All ${files.length} workflows are published.`
    : `${counts.join(', ')}, ${problems} not published: open them, choose what is marked red, and publish them.`,
);
