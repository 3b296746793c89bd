// Puts the desk into an n8n by its public API, connects its workflows and publishes them:
//
//   npm run desk -- --url http://localhost:5678 --key <n8n API key> [--dry-run] [--only outbox,inbox,…] [--timezone Europe/Berlin] [--store postgres]
//
// It says what it will do before it does it; with --dry-run it does no more. Run it again to update: what their
// owner has set in the workflows stays (`update.mjs`), and so do their executions.
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { inOrder } from './order.mjs';
import { toPostgres } from './postgres.mjs';
import { fileIdOf, keeping, KEPT, marked, storeOf } from './update.mjs';

const folder = new URL('workflows/', import.meta.url);

/** Ends the command before anything is changed. */
function refuse(...problems) {
  console.error([...problems, 'Nothing was changed.'].join('\n'));
  process.exit(1);
}

const { values: options } = parseArgs({
  options: {
    url: { type: 'string', default: process.env.N8N_URL },
    key: { type: 'string', default: process.env.N8N_API_KEY },
    'dry-run': { type: 'boolean', default: false },
    only: { type: 'string' },
    timezone: { type: 'string' },
    store: { type: 'string' },
  },
});
if (!options.url || !options.key)
  refuse(
    'Tell --url (such as http://localhost:5678) and --key (n8n: Settings → n8n API → Create an API key).',
  );
if (options.timezone && !Intl.supportedValuesOf('timeZone').includes(options.timezone))
  refuse(`${options.timezone} is not a time zone. Give one such as Europe/Berlin.`);
if (options.store && !['tables', 'postgres'].includes(options.store))
  refuse(`--store is tables (n8n's data tables) or postgres, not ${options.store}.`);

/** Calls n8n's public API. Throws what n8n says when it refuses. */
async function call(method, path, body) {
  const response = await fetch(new URL(`/api/v1/${path}`, options.url), {
    method,
    headers: { 'X-N8N-API-KEY': options.key, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  let answer;
  try {
    answer = JSON.parse(text);
  } catch {
    // Not n8n's own answer: a proxy's page, say.
  }
  if (response.ok && answer) return answer;
  if (response.status === 401) throw new Error('n8n does not know this API key');
  const why = (answer?.message ?? text.slice(0, 300)).replace(/\s+/g, ' ');
  throw new Error(`n8n answered ${response.status}: ${why}`);
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

const [present, credentials, tags] = await Promise.all(
  ['workflows', 'credentials', 'tags'].map(all),
).catch(({ message, cause }) =>
  refuse(`${options.url}: ${cause?.message || cause?.code || message}.`),
);

/** The ID in the files → the workflow in n8n, and its ID there. */
const ours = new Map();
for (const workflow of present) {
  const fileId = fileIdOf(workflow);
  if (fileId && !ours.has(fileId)) ours.set(fileId, workflow);
}
const ids = new Map([...ours].map(([fileId, { id }]) => [fileId, id]));

const sources = inOrder(
  readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8'))),
);
const only = options.only?.split(',').map((name) => `sms-${name.trim()}`);
const storeThere = storeOf([...ours.values()]);
const store = options.store ?? storeThere ?? 'tables';
const files = sources
  .filter(({ id }) => !only || only.includes(id))
  .map((file) => (store === 'postgres' ? toPostgres(file) : file));

const secret = () => randomBytes(18).toString('base64url');

/** The logins that this command makes, one for each door of the desk: what is in them. */
const LOGINS = {
  httpBasicAuth: () => ({ user: 'sms', password: secret() }),
  httpHeaderAuth: () => ({ name: 'X-Key', value: secret() }),
};

/** The credentials of a node: those that are chosen, those of their names, or the only one of a type. No login of others. */
const credentialsOf = (node, there) =>
  Object.entries(node.credentials ?? {}).map(([type, { name }]) => {
    const chosen = there?.nodes.find((each) => each.name === node.name)?.credentials?.[type];
    const fitting = credentials.filter((each) => each.type === type);
    const found =
      fitting.find(({ id }) => id === chosen?.id) ??
      fitting.find((each) => each.name === name) ??
      (fitting.length === 1 && !LOGINS[type] ? fitting[0] : undefined);
    return { node: node.name, type, name, found };
  });

/** What an owner has to choose before a workflow can be published. */
function missingIn({ nodes }, there) {
  const isEmpty = ({ name, value }) => name.startsWith('mail_') && value === '';
  return nodes.flatMap((node) => [
    ...credentialsOf(node, there)
      .filter(({ type, found }) => !found && !LOGINS[type])
      .map(({ name }) => `${name} in “${node.name}”`),
    ...(node.notes === KEPT ? (node.parameters.assignments?.assignments ?? []) : [])
      .filter(isEmpty)
      .map(({ name }) => `${name} in “${node.name}”`),
  ]);
}

/** The body of a request, with the IDs and credentials of this n8n. */
function bodyOf({ workflow, there }) {
  const { name, nodes, connections, settings } = marked(workflow, ids.get(workflow.id));
  const own = there?.settings?.errorWorkflow;
  const isStrange = own && ![...ids.values()].includes(own);
  return {
    name,
    nodes: nodes.map((node) => connected(node, there)),
    connections,
    settings: {
      ...settings,
      ...(settings.errorWorkflow && {
        errorWorkflow: isStrange ? own : ids.get(settings.errorWorkflow),
      }),
      ...(options.timezone && { timezone: options.timezone }),
    },
  };
}

function connected(node, there) {
  const found = credentialsOf(node, there).filter((each) => each.found);
  const { workflowId } = node.parameters;
  const value = ids.get(workflowId?.value) ?? workflowId?.value;
  return {
    ...node,
    ...(workflowId && { parameters: { ...node.parameters, workflowId: { ...workflowId, value } } }),
    ...(node.credentials && {
      credentials: Object.fromEntries(
        found.map(({ type, found: { id, name } }) => [type, { id, name }]),
      ),
    }),
  };
}

/** Whether n8n has all of this: it adds fields of its own. */
function has(there, wanted) {
  if (typeof wanted !== 'object' || wanted === null) return there === wanted;
  const keys = Object.keys(wanted);
  if (Array.isArray(wanted) && there?.length !== wanted.length) return false;
  return keys.every((key) => has(there?.[key], wanted[key]));
}

/** What forbids the whole of it. */
const problems = [];
const lacks = (type) => !credentials.some((each) => each.type === type);
for (const id of only ?? [])
  if (!sources.some((file) => file.id === id))
    problems.push(`The desk has no workflow ${id.slice(4)}.`);
if (storeThere && store !== storeThere)
  problems.push(
    `The desk in n8n has its rows in ${storeThere === 'postgres' ? 'PostgreSQL' : "n8n's data tables"}. With --store ${store} it would not know who opted out and what was sent, because no row is moved. Leave --store out to update it; to begin anew, delete its workflows first.`,
  );
if (lacks('smsMessagingServiceApi'))
  problems.push(
    'n8n has no credential “SMS Messaging Service API”. Create it there (Overview → Create credential), then run this again.',
  );
if (store === 'postgres' && lacks('postgres'))
  problems.push(
    'n8n has no credential “Postgres”. Create a database for the desk, then the credential in n8n (Overview → Create credential), with its host, database, user and password. Its user must be allowed to create tables. Run this again.',
  );

/** What becomes of a workflow: `left` says why it is not published afterwards. */
function stepOf(file) {
  const there = ours.get(file.id);
  if (there?.isArchived) return { there, what: 'archived' };
  const { workflow, kept } = there ? keptIn(file, there) : { workflow: file, kept: [] };
  const missing = missingIn(workflow, there);
  const isUnwanted = there && !there.active && !only;
  const left = isUnwanted
    ? 'stays unpublished'
    : missing.length > 0 && `not published: choose ${missing.join(', ')}`;
  const step = { workflow, there, kept, left, what: there ? 'update' : 'new' };
  const isSame = there && has(there, bodyOf(step)) && (there.active || left);
  return isSame ? { ...step, what: 'unchanged' } : step;
}

function keptIn(file, there) {
  try {
    return keeping(file, there);
  } catch ({ message }) {
    problems.push(
      `${file.name} (/workflow/${there.id}): ${message}. An update would break its way: put your nodes behind the desk's last, or into a workflow of your own.`,
    );
    return { workflow: file, kept: [] };
  }
}

for (const { id, name } of files) {
  const stranger = present.find(
    (each) => each.name === name && !each.isArchived && !fileIdOf(each),
  );
  if (stranger && !ours.has(id))
    problems.push(
      `“${name}” (/workflow/${stranger.id}) was not made by this command. Rename or delete it, so that there are not two.`,
    );
}
// What goes goes first: n8n publishes no second workflow with the address of another.
const gone = [...ours].filter(([id]) => !only && !sources.some((file) => file.id === id));
const steps = [...gone.map(([, there]) => ({ there, what: 'delete' })), ...files.map(stepOf)];
if (problems.length > 0) refuse(...problems);

/** The logins that n8n does not have. */
const logins = new Map(
  steps
    .flatMap(
      ({ workflow, there }) => workflow?.nodes.flatMap((node) => credentialsOf(node, there)) ?? [],
    )
    .filter(({ type, found }) => LOGINS[type] && !found)
    .map(({ type, name }) => [name, type]),
);

for (const name of logins.keys()) console.log(`${'new'.padEnd(10)}credential “${name}”`);
for (const { workflow, there, what, kept = [], left } of steps) {
  const more = [kept.length > 0 && `keeps ${kept.join('; ')}`, left].filter(Boolean).join('. ');
  console.log(`${what.padEnd(10)}${(workflow ?? there).name}${more && `   (${more})`}`);
}
if (options['dry-run']) process.exit();

for (const [name, type] of logins) {
  const data = LOGINS[type]();
  credentials.push(await call('POST', 'credentials', { name, type, data }));
  console.log(`New credential “${name}”: ${Object.values(data).join('   ')}   (shown only now)`);
}
const tagIds = new Map(tags.map(({ name, id }) => [name, id]));
for (const { name } of files.flatMap((file) => file.tags ?? []))
  if (!tagIds.has(name)) tagIds.set(name, (await call('POST', 'tags', { name })).id);

for (const { workflow, what } of steps) {
  if (what !== 'new') continue;
  const settings = { ...workflow.settings, errorWorkflow: undefined };
  const empty = { name: workflow.name, nodes: [], connections: {}, settings };
  ids.set(workflow.id, (await call('POST', 'workflows', empty)).id);
}

const failed = [];
for (const step of steps) {
  const { workflow, there, what, left } = step;
  const id = there?.id ?? ids.get(workflow.id);
  try {
    if (what === 'delete') await call('DELETE', `workflows/${id}`);
    if (what !== 'new' && what !== 'update') continue;
    await call('PUT', `workflows/${id}`, bodyOf(step));
    const own = workflow.tags.map(({ name }) => ({ id: tagIds.get(name) }));
    await call('PUT', `workflows/${id}/tags`, own);
    if (!left) await call('POST', `workflows/${id}/activate`, {});
  } catch ({ message }) {
    failed.push(`${(workflow ?? there).name} (/workflow/${id}): ${message}`);
  }
}
console.log(failed.length === 0 ? 'Done.' : `NOT done:\n${failed.join('\n')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
