// Puts the desk into an n8n by its public API, connects its workflows and publishes them:
//
//   npm run desk -- --url http://localhost:5678 --key <n8n API key> [--dry-run] [--only outbox,inbox,…] [--timezone Europe/Berlin]
//
// It says what it will do before it does it; with --dry-run it does no more. Run it again to update: what their
// owner has set in the workflows stays (`update.mjs`), and so do their executions.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual, parseArgs } from 'node:util';

import { fileIdOf, isDesks, keeping, KEPT, marked } from './update.mjs';

const folder = new URL('workflows/', import.meta.url);

// What makes tables comes first, and what uses them at once last. n8n publishes no workflow before those that it calls.
const ORDER = [
  ...['schema', 'upkeep', 'service', 'outbox', 'inbox-serve', 'inbox'],
  ...['dashboard', 'conversations', 'opt-outs', 'campaign-page', 'campaign-buttons'],
  ...['campaign-load', 'watchdog', 'ask-and-wait', 'campaign'],
];

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
  },
});
if (!options.url || !options.key)
  refuse(
    'Tell --url (such as http://localhost:5678) and --key (n8n: Settings → n8n API → Create an API key).',
  );
if (options.timezone && !Intl.supportedValuesOf('timeZone').includes(options.timezone))
  refuse(`${options.timezone} is not a time zone. Give one such as Europe/Berlin.`);

/** Calls n8n's public API. Throws what n8n says when it refuses. A redirect would make a POST a GET. */
async function call(method, path, body) {
  const response = await fetch(new URL(`/api/v1/${path}`, options.url), {
    method,
    redirect: 'error',
    headers: { 'X-N8N-API-KEY': options.key, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  // A proxy's page, say, is not n8n's own answer.
  const answer = await new Response(text).json().catch(() => undefined);
  if (response.ok && answer) return answer;
  if (response.status === 401) throw new Error('n8n does not know this API key');
  const said = answer?.message ?? text.replace(/<[^>]*>/g, ' ');
  const why = said.replace(/\s+/g, ' ').trim().slice(0, 300);
  throw new Error(`n8n answered ${response.status}: ${why}`);
}

/** All records of a list that n8n gives in pages. */
async function all(path) {
  const found = [];
  // n8n refuses an empty cursor.
  for (let next = ''; next !== undefined;) {
    const { data, nextCursor } = await call('GET', `${path}?limit=100${next}`);
    if (!Array.isArray(data)) throw new Error('this is no answer of n8n');
    found.push(...data);
    next = nextCursor ? `&cursor=${nextCursor}` : undefined;
  }
  return found;
}

const [present, credentials, tags, tables] = await Promise.all(
  ['workflows', 'credentials', 'tags', 'data-tables'].map(all),
).catch(({ message, cause }) =>
  refuse(
    `${options.url}: ${cause?.message || cause?.code || message}. Check --url, the address at which you open n8n, and --key (n8n: Settings → n8n API).`,
  ),
);

const read = (name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8'));
const sources = ORDER.map((name) => read(`${name}.json`));

/** What forbids the whole of it. */
const problems = [];

/** The ID in the files → the workflow in n8n, and its ID there. */
const ours = new Map();
for (const workflow of present) {
  const fileId = fileIdOf(workflow, sources);
  const other = ours.get(fileId);
  if (other && !other.isArchived && !workflow.isArchived)
    problems.push(
      `“${other.name}” is there twice: /workflow/${other.id} and /workflow/${workflow.id}. Delete one, so that nothing is done twice.`,
    );
  if (fileId && (!other || other.isArchived)) ours.set(fileId, workflow);
}
const ids = new Map([...ours].map(([fileId, { id }]) => [fileId, id]));

const only = options.only?.split(',').map((name) => `sms-${name.trim()}`);
const files = sources.filter(({ id }) => !only || only.includes(id)).map(zoned);

function zoned(workflow) {
  const { timezone } = options;
  return timezone ? { ...workflow, settings: { ...workflow.settings, timezone } } : workflow;
}

const secret = () => randomBytes(18).toString('base64url');

/** The logins that this command makes, one for each door of the desk: what is in them. */
const LOGINS = {
  httpBasicAuth: () => ({ user: 'sms', password: secret() }),
  httpHeaderAuth: () => ({ name: 'X-Key', value: secret() }),
};

/** A node of the owner's goes back as it came. */
const isOwn = (node, there) => there?.nodes.includes(node);

/** The credentials of a desk's node: those that are chosen, those of their names, or the only one of a type. No login of others. */
const credentialsOf = (node, there) =>
  Object.entries((!isOwn(node, there) && node.credentials) || {}).map(([type, { name }]) => {
    const chosen = there?.nodes.find((each) => each.name === node.name)?.credentials?.[type];
    const fitting = credentials.filter((each) => each.type === type);
    const found =
      fitting.find(({ id }) => id === chosen?.id) ??
      fitting.find((each) => each.name === name) ??
      (fitting.length === 1 && !LOGINS[type] ? fitting[0] : undefined);
    return { type, name, found };
  });

/** What an owner has to choose before a workflow can be published. */
function missingIn({ nodes }, there) {
  return nodes.flatMap((node) => {
    const isSet = node.notes === KEPT && !isOwn(node, there);
    const fields = (isSet && node.parameters.assignments?.assignments) || [];
    return [
      ...credentialsOf(node, there).filter(({ type, found }) => !found && !LOGINS[type]),
      ...fields.filter(({ name, value }) => name.startsWith('mail_') && value === ''),
    ].map(({ name }) => `${name} in “${node.name}”`);
  });
}

/** The body of a request, with the IDs and credentials of this n8n. */
function bodyOf({ workflow, there }) {
  const { name, nodes, connections, settings } = marked(workflow, ids.get(workflow.id));
  const own = there?.settings?.errorWorkflow;
  const isStrange = present.some(({ id }) => id === own) && ![...ids.values()].includes(own);
  return {
    name,
    nodes: nodes.map((node) => connected(node, there)),
    connections,
    settings: {
      ...settings,
      ...(settings.errorWorkflow && {
        errorWorkflow: isStrange ? own : ids.get(settings.errorWorkflow),
      }),
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
    ...(!isOwn(node, there) &&
      node.credentials && {
        credentials: Object.fromEntries(
          found.map(({ type, found: { id, name } }) => [type, { id, name }]),
        ),
      }),
  };
}

/** Whether n8n has all of this: it adds fields of its own, but not to what a node does. */
function has(there, wanted, key) {
  if (['parameters', 'connections'].includes(key))
    return isDeepStrictEqual(there, JSON.parse(JSON.stringify(wanted)));
  if (typeof wanted !== 'object' || wanted === null) return there === wanted;
  const keys = Object.keys(wanted);
  if (Array.isArray(wanted) && there?.length !== wanted.length) return false;
  return keys.every((each) => has(there?.[each], wanted[each], each));
}

const lacks = (type) => !credentials.some((each) => each.type === type);
for (const id of only ?? [])
  if (!sources.some((file) => file.id === id))
    problems.push(`The desk has no workflow ${id.slice(4)}.`);
const isNew = ![...ours.values()].some(({ nodes }) =>
  nodes.some(({ type }) => type === 'n8n-nodes-base.postgres'),
);
if (isNew && tables.some(({ name }) => name === 'sms_opt_outs'))
  problems.push(
    'n8n has a data table “sms_opt_outs”: people who opted out. The desk keeps its tables in PostgreSQL, and would send to them. Download the list (Overview → Data tables → sms_opt_outs → Download CSV), give the data table another name, and run this again. Before you send anything, paste its column phone_number into the page /webhook/sms-opt-outs. What an earlier desk has sent under a key of the last 90 days, do not send again: this one does not know these keys.',
  );
if (lacks('smsMessagingServiceApi'))
  problems.push(
    'n8n has no credential “SMS Messaging Service API”. Create it there (Overview → Create credential), then run this again.',
  );
if (lacks('postgres'))
  problems.push(
    'n8n has no credential “Postgres”. Create a database for the desk, then the credential in n8n (Overview → Create credential), with its host, database, user and password. Its user must be allowed to create tables. Run this again.',
  );

/** What becomes of a workflow: `left` says why it is not published afterwards. */
function stepOf(file) {
  const there = ours.get(file.id);
  if (!there) return { workflow: file, left: unchosenIn(file), what: 'new' };
  if (there.isArchived) return { there, what: 'archived' };
  const { workflow, kept } = keptIn(file, there);
  const left = isUnwanted(file, there) ? 'stays unpublished' : unchosenIn(workflow, there);
  const step = { workflow, there, kept, left, what: 'update' };
  const isDraft = there.active && there.versionId !== there.activeVersionId;
  const isSame = !isDraft && has(there, bodyOf(step)) && (there.active || left);
  if (isSame) return { ...step, what: 'unchanged' };
  return { ...step, more: [...resetBy(step), isDraft && 'publishes what was only saved'] };
}

/** The tag comes last: without it, an earlier run has not come to the end, and nobody has unpublished the workflow. */
function isUnwanted(file, { id, active, tags = [] }) {
  const isDone = tags.some(({ name }) => file.tags.some((tag) => tag.name === name));
  return !active && !only && (isDone || id === file.id);
}

function unchosenIn(workflow, there) {
  const missing = missingIn(workflow, there);
  return missing.length > 0 && `not published: choose ${missing.join(', ')}`;
}

/** The settings of a workflow that become those of the file again: its codes and its times depend on them. */
function resetBy({ workflow, there }) {
  const { settings: before = {} } = there;
  return Object.entries(bodyOf({ workflow, there }).settings)
    .filter(([key, value]) => key in before && before[key] !== value)
    .map(([key, value]) => `sets ${key} ${value}`);
}

function keptIn(file, there) {
  try {
    return keeping(file, zoned(there));
  } catch ({ message }) {
    problems.push(`${file.name} (/workflow/${there.id}): ${message}.`);
    return { workflow: file, kept: [] };
  }
}

for (const { id, name } of files) {
  const stranger = present.find(
    (each) => each.name === name && !each.isArchived && !fileIdOf(each, sources),
  );
  if (!stranger || ours.has(id)) continue;
  // An earlier run has made it, and has not come to filling it.
  if (stranger.nodes.length === 0) ids.set(id, stranger.id);
  else
    problems.push(
      `“${name}” (/workflow/${stranger.id}) was not made by this command. Rename or delete it, so that there are not two. If you have deleted its note About, take that back from the history of the workflow.`,
    );
}
// What goes goes first: n8n publishes no second workflow with the address of another.
const gone = [...ours].filter(
  ([id, there]) => !only && !there.isArchived && !sources.some((file) => file.id === id),
);
for (const [id, { id: there, name, nodes }] of gone) {
  const own = nodes.filter((node) => node.name !== 'About' && !isDesks(id, node));
  if (own.length > 0)
    problems.push(
      `“${name}” (/workflow/${there}) is no more in the desk, and has your own ${own.map((node) => node.name).join(', ')}. Move them elsewhere, and delete it.`,
    );
}
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
for (const { workflow, there, what, kept = [], more = [], left } of steps) {
  const says = [kept.length > 0 && `keeps ${kept.join('; ')}`, ...more, left].filter(Boolean);
  const words = says.length > 0 ? `   (${says.join('. ')})` : '';
  console.log(`${what.padEnd(10)}${(workflow ?? there).name}${words}`);
}
if (options['dry-run']) process.exit();

/** Ends the command in the middle: the next run goes on from there. */
const failing = (what) => (error) => {
  console.error(`NOT done:\n${what}: ${error.message}\nMend it, and run this again.`);
  process.exit(1);
};

for (const [name, type] of logins) {
  const data = LOGINS[type]();
  const made = call('POST', 'credentials', { name, type, data });
  credentials.push(await made.catch(failing(`credential “${name}”`)));
  console.log(`New credential “${name}”: ${Object.values(data).join('   ')}   (shown only now)`);
}
const tagIds = new Map(tags.map(({ name, id }) => [name, id]));
for (const { name } of files.flatMap((file) => file.tags ?? []))
  if (!tagIds.has(name))
    tagIds.set(name, (await call('POST', 'tags', { name }).catch(failing(`tag “${name}”`))).id);

for (const { workflow, what } of steps) {
  if (what !== 'new' || ids.has(workflow.id)) continue;
  const settings = { ...workflow.settings, errorWorkflow: undefined };
  const empty = { name: workflow.name, nodes: [], connections: {}, settings };
  const made = call('POST', 'workflows', empty).catch(failing(workflow.name));
  ids.set(workflow.id, (await made).id);
}

/** The latest execution of a workflow. Without one, it has no fields. */
const latestOf = async (id) => ({
  ...(await call('GET', `executions?workflowId=${id}&limit=1&includeData=true`)).data[0],
});

/** Runs the workflow that makes the tables, and waits for it. */
async function makeSchema(id, isPublished) {
  const before = await latestOf(id);
  // It runs when it is published.
  if (isPublished) await call('POST', `workflows/${id}/deactivate`, {});
  await call('POST', `workflows/${id}/activate`, {});
  for (let tries = 0; tries < 100; tries += 1) {
    const { id: own, status, data } = await latestOf(id);
    if (own !== before.id && status === 'success') return;
    if (own !== before.id && status === 'error')
      throw new Error(data?.resultData?.error?.message ?? 'its execution has failed');
    await setTimeout(1000);
  }
  throw new Error('its execution did not end');
}

const failed = [];
for (const step of steps) {
  const { workflow, there, what, left } = step;
  const id = there?.id ?? ids.get(workflow.id);
  try {
    if (what === 'delete') await call('DELETE', `workflows/${id}`);
    const isSchema = workflow?.id === 'sms-schema' && !left;
    const isChanged = what === 'new' || what === 'update';
    if (isChanged) await call('PUT', `workflows/${id}`, bodyOf(step));
    if (isSchema && (isChanged || (await latestOf(id)).status !== 'success'))
      await makeSchema(id, there?.active).catch(failing(`${workflow.name} (/workflow/${id})`));
    if (!isChanged) continue;
    if (!left && !isSchema) await call('POST', `workflows/${id}/activate`, {});
    const names = new Set([...workflow.tags, ...(there?.tags ?? [])].map(({ name }) => name));
    await call(
      'PUT',
      `workflows/${id}/tags`,
      [...names].map((name) => ({ id: tagIds.get(name) })),
    );
  } catch ({ message }) {
    failed.push(`${(workflow ?? there).name} (/workflow/${id}): ${message}`);
  }
}
console.log(failed.length === 0 ? 'Done.' : `NOT done:\n${failed.join('\n')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
