/** `npm run desk` against a stand-in for n8n's public API: what it keeps, refuses and says. A real n8n: test/e2e/. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';

import type { INode, NodeParameterValueType } from 'n8n-workflow';

import type { WorkflowFile } from '../../test/kit/n8n/client';
import { nodeIdOf } from '../update.mjs';
import { deskNames, readDesk } from '../../test/kit/workflows/workflowFiles';

interface Installed extends WorkflowFile {
  id: string;
  active?: boolean;
  versionId?: string;
  activeVersionId?: string;
  isArchived?: boolean;
  tags?: { id: string; name: string }[];
}

/** An n8n with these credentials, which keeps what it is given. */
class StandIn {
  credentials = ['smsMessagingServiceApi', 'smtp', 'postgres'].map((type) => ({
    ...{ id: type, type, name: 'Mine' },
  }));

  workflows: Installed[] = [];
  tags: { id: string; name: string }[] = [];
  'data-tables': { id: string; name: string }[] = [];
  changes: string[] = [];
  executions: object[] = [];

  /** How the execution that makes the tables ends. */
  ends = (id: number): object => ({ id: String(id), status: 'success' });

  /** The changes that it refuses. */
  refused = /^$/;

  /** Runs the command, and gives what it says. */
  async install(...more: string[]): Promise<{ said: string; code: number }> {
    this.changes = [];
    const server = createServer((request, response) => {
      const method = request.method ?? '';
      const [, kind = '', id = '', part = ''] =
        /v1\/([\w-]+)\/?([^/?]*)\/?(\w*)/.exec(request.url ?? '') ?? [];
      const sent = method === 'GET' ? Promise.resolve({}) : json(request).catch(() => ({}));
      const change = `${method} ${kind} ${id} ${part}`.trim();
      if (method !== 'GET') this.changes.push(change);
      void sent.then((body) => {
        if (this.refused.test(change)) {
          response.writeHead(403).end('{"message":"Forbidden"}');
          return;
        }
        // So does n8n.
        if (/[?&]cursor=(?:&|$)/.test(request.url ?? '')) {
          response.writeHead(400).end('{"message":"Empty value"}');
          return;
        }
        response.end(JSON.stringify(this.answer(method, kind, id, part, body as Installed)));
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const said = await run('--url', url, '--key', 'k', ...more);
    server.close();
    return said;
  }

  private answer(method: string, kind: string, id: string, part: string, body: Installed): object {
    const list = this[kind as 'credentials' | 'workflows' | 'tags' | 'data-tables'] as {
      id: string;
    }[];
    if (kind === 'executions') return { data: this.executions.slice(-1) };
    if (method === 'GET') return { data: list };
    const found = this.workflows.find((each) => each.id === id);
    if (method === 'DELETE') this.workflows = this.workflows.filter((each) => each !== found);
    if (part === 'activate' && found) {
      Object.assign(found, { active: true, activeVersionId: found.versionId });
      if (found.name === 'SMS · Schema') this.executions.push(this.ends(this.executions.length));
    }
    if (part === 'tags' && found) found.tags = this.tags.filter((tag) => isIn(body, tag.id));
    if (method === 'PUT' && !part && found) {
      const settings = { ...found.settings, ...body.settings };
      Object.assign(found, body, { settings, versionId: String(this.changes.length) });
      if (!this.refused.test(`POST workflows ${id} activate`))
        found.activeVersionId = found.versionId;
    }
    if (method === 'POST' && !id) list.push({ ...body, id: `${kind}${list.length}` });
    return { ...body, id: id || list.at(-1)?.id };
  }

  /** The workflow of a file. */
  of(name: string): Installed {
    const { name: title } = readDesk(name);
    const found = this.workflows.find((each) => each.name === title);
    if (!found) throw new Error(`There is no ${title}.`);
    return found;
  }
}

const isIn = (list: unknown, id: string) =>
  (list as { id: string }[]).some((each) => each.id === id);

async function run(...args: string[]): Promise<{ said: string; code: number }> {
  const script = path.join(__dirname, '../install.mjs');
  return promisify(execFile)(process.execPath, [script, ...args]).then(
    ({ stdout }) => ({ said: stdout, code: 0 }),
    ({ stdout, stderr, code }: { stdout: string; stderr: string; code: number }) => ({
      ...{ said: stdout + stderr, code },
    }),
  );
}

/** What the command makes in an empty n8n, as JSON: it takes a second. */
let made: string | undefined;

/** An n8n with the desk. */
async function installed(...more: string[]): Promise<StandIn> {
  const n8n = new StandIn();
  const isUsual = more.length === 0;
  if (isUsual && made) return Object.assign(n8n, JSON.parse(made));
  const { said, code } = await n8n.install(...more);
  if (code !== 0) throw new Error(said);
  const { credentials, workflows, tags, executions } = n8n;
  if (isUsual) made = JSON.stringify({ credentials, workflows, tags, executions });
  return n8n;
}

const nodeOf = ({ nodes }: WorkflowFile, name: string): INode =>
  nodes.find((node) => node.name === name) as INode;

/** Sets a field of an Edit Fields node. */
function set(workflow: WorkflowFile, node: string, field: string, value: unknown): void {
  const { assignments } = nodeOf(workflow, node).parameters.assignments as {
    assignments: { name: string; value: unknown }[];
  };
  Object.assign(assignments.find(({ name }) => name === field) ?? {}, { value });
}

const fieldOf = (workflow: WorkflowFile, node: string, field: string) =>
  (
    nodeOf(workflow, node).parameters.assignments as {
      assignments: { name: string; value: unknown }[];
    }
  ).assignments.find(({ name }) => name === field)?.value;

const CODE = 'n8n-nodes-base.code';
const POSTGRES = 'n8n-nodes-base.postgres';

const own = (name: string): INode => ({
  ...{ id: `own ${name}`, name, type: CODE, typeVersion: 2, position: [0, 0], parameters: {} },
});

const link = (node: string) => ({ node, type: 'main' as const, index: 0 });

test('it makes the workflows, their logins, and what they call by the IDs of this n8n', async () => {
  const n8n = new StandIn();
  const { said, code } = await n8n.install();
  expect(code).toBe(0);
  expect(n8n.workflows.map(({ name }) => name).toSorted()).toEqual(
    deskNames()
      .map((name) => readDesk(name).name)
      .toSorted(),
  );
  expect(said.match(/^new {7}SMS · /gm)).toHaveLength(n8n.workflows.length);
  const texts = JSON.stringify(n8n.workflows);
  expect(texts).not.toMatch(/"value":"(=\{\{ ')?sms-(in|out)box/);
  expect(n8n.of('inbox').settings?.errorWorkflow).toBe(n8n.of('dashboard').id);
  expect((await n8n.install()).said.match(/^unchanged SMS · /gm)).toHaveLength(
    n8n.workflows.length,
  );
  expect(n8n.changes).toEqual([]);
});

test('a watchdog without addresses is not published, and the command says what is missing', async () => {
  const n8n = new StandIn();
  const { said } = await n8n.install();
  expect(said).toMatch(/SMS · Watchdog {3}\(not published: choose mail_from in “Settings”/);
  expect(n8n.workflows.filter(({ active }) => !active)).toEqual([n8n.of('watchdog')]);
});

test('an update keeps what its owner has set, and says so first', async () => {
  const n8n = await installed('--timezone', 'Europe/Berlin');
  set(n8n.of('campaign'), 'Settings', 'portion_size', 500);
  set(n8n.of('inbox'), 'Stop and start words', 'stop_words', 'BASTA');
  n8n.of('campaign').active = false;
  nodeOf(n8n.of('inbox'), 'Rows').parameters = {};
  n8n.credentials.push({ id: 'second', type: 'smsMessagingServiceApi', name: 'Second' });
  const chosen = { smsMessagingServiceApi: { id: 'second', name: 'Second' } };
  nodeOf(n8n.of('campaign'), 'Read the balance').credentials = chosen;
  n8n.of('inbox').settings = { ...n8n.of('inbox').settings, errorWorkflow: 'another' };
  n8n.workflows.push({ id: 'another', name: 'Mine', nodes: [], connections: {} });

  const planned = await n8n.install('--dry-run');
  expect(n8n.changes).toEqual([]);
  const { said } = await n8n.install();
  expect(said).toContain(planned.said);
  expect(said).toMatch(/^unchanged SMS · Campaign: send .*portion_size 500.*stays unpublished/m);
  expect(said).toMatch(/^update {4}SMS · Inbox .*BASTA.*time zone Europe\/Berlin/m);
  expect(fieldOf(n8n.of('campaign'), 'Settings', 'portion_size')).toBe(500);
  expect(fieldOf(n8n.of('inbox'), 'Stop and start words', 'stop_words')).toBe('BASTA');
  expect(n8n.of('campaign').active).toBe(false);
  expect(nodeOf(n8n.of('campaign'), 'Read the balance').credentials).toEqual(chosen);
  expect(n8n.of('inbox').settings).toMatchObject({
    ...{ timezone: 'Europe/Berlin', errorWorkflow: 'another' },
  });
  expect(nodeOf(n8n.of('inbox'), 'Rows').parameters).toEqual(
    nodeOf(readDesk('inbox'), 'Rows').parameters,
  );
  await n8n.install('--only', 'campaign');
  expect(n8n.of('campaign').active).toBe(true);
});

test('steps of the owner behind the desk’s stay; in the middle of its way they are refused', async () => {
  const n8n = await installed();
  const asks = n8n.of('ask-and-wait');
  asks.nodes.push(own('Thank them'), own('And mail'));
  asks.connections['Which end?'] = { main: [[link('Thank them')]] };
  asks.connections['Thank them'] = { main: [[link('And mail')]] };
  nodeOf(asks, 'Outcome').parameters = {};
  const kept = await n8n.install();
  expect(kept.said).toMatch(/^update {4}SMS · Ask .*your own Thank them, And mail/m);
  expect(n8n.of('ask-and-wait').connections).toMatchObject({
    'Which end?': { main: [[link('Thank them')]] },
    'Thank them': { main: [[link('And mail')]] },
  });

  const campaign = n8n.of('campaign');
  campaign.nodes.push(own('Wait a little'));
  campaign.connections['Every 10 seconds'] = { main: [[link('Wait a little')]] };
  campaign.connections['Wait a little'] = { main: [[link('Settings')]] };
  const { said, code } = await n8n.install();
  expect(said).toMatch(/“Wait a little” leads into the desk's “Settings”.*Nothing was changed/s);
  expect([code, n8n.changes]).toEqual([1, []]);
});

test('what stands in a node with settings stays, of whatever kind, and so do tags', async () => {
  const n8n = await installed();
  const watchdog = n8n.of('watchdog');
  set(watchdog, 'Settings', 'status_page', 'https://sms.example.com/status');
  set(watchdog, 'Settings', 'mail_to', '');
  set(n8n.of('ask-and-wait'), 'Sample question', 'parameters', "={{ { code: '1' } }}");
  const { assignments } = nodeOf(watchdog, 'Settings').parameters.assignments as {
    assignments: object[];
  };
  assignments.push({ id: 'f2', name: 'mine', type: 'string', value: 'x' });
  const size = { id: 'portion_size', name: 'portion_size', type: 'string', value: '500' };
  nodeOf(n8n.of('campaign'), 'Settings').parameters.assignments = { assignments: [size] };
  const json = { mode: 'raw', jsonOutput: '{ "hour": 7 }', options: {} };
  nodeOf(watchdog, 'Canary').parameters = json;
  n8n.tags.push({ id: 'own', name: 'Mine' });
  n8n.of('outbox').tags?.push({ id: 'own', name: 'Mine' });
  nodeOf(n8n.of('outbox'), 'Results').parameters = {};
  const { said } = await n8n.install();
  expect(said).toMatch(/SMS · Watchdog .*status_page https:\/\/sms.*Settings: mine/);
  expect(fieldOf(watchdog, 'Settings', 'status_page')).toBe('https://sms.example.com/status');
  expect(fieldOf(watchdog, 'Settings', 'mine')).toBe('x');
  expect(fieldOf(n8n.of('ask-and-wait'), 'Sample question', 'parameters')).toContain('code');
  expect(nodeOf(n8n.of('campaign'), 'Settings').parameters).toMatchObject({
    assignments: { assignments: [size, {}, {}] },
  });
  expect(nodeOf(watchdog, 'Canary').parameters).toEqual(json);
  expect(n8n.of('outbox').tags?.map(({ name }) => name)).toEqual(['SMS desk', 'Mine']);
});

test('a time zone of n8n’s own stays; other settings are the desk’s, and it says which', async () => {
  const n8n = await installed();
  const inbox = n8n.of('inbox');
  inbox.settings = { executionOrder: 'v1', executionTimeout: 5 };
  const { said } = await n8n.install();
  expect(said).toMatch(/SMS · Inbox .*time zone of n8n.*sets executionTimeout 540/);
  expect(inbox.settings).toMatchObject({ executionTimeout: 540 });
  expect(inbox.settings).not.toHaveProperty('timezone');
  const { said: moved } = await n8n.install('--timezone', 'Europe/Berlin');
  expect(moved).toMatch(/SMS · Outbox .*sets timezone Europe\/Berlin/);
  expect(moved).not.toContain('keeps time zone');
  expect(inbox.settings).toMatchObject({ timezone: 'Europe/Berlin' });
});

test.each([
  ['renamed', (node: INode) => (node.name = 'Mine'), /“Settings” is called “Mine”/],
  ['replaced', (node: INode) => Object.assign(node, own('Settings')), /“Settings” is the name of/],
])('a node of the desk that its owner has %s is refused', async (_, change, words) => {
  const n8n = await installed();
  change(nodeOf(n8n.of('campaign'), 'Settings'));
  const { said, code } = await n8n.install();
  expect(said).toMatch(words);
  expect(said).toContain('Nothing was changed.');
  expect([code, n8n.changes]).toEqual([1, []]);
});

test('steps of the owner keep their credentials and settings, and are no part of the desk', async () => {
  const n8n = await installed();
  const asks = n8n.of('ask-and-wait');
  const credentials = {
    httpHeaderAuth: { id: 'x', name: 'Shop' },
    postgres: { id: 'y', name: 'Y' },
  };
  const mine = { ...own('Mine'), type: POSTGRES, credentials };
  asks.nodes.push(mine, {
    ...structuredClone(nodeOf(n8n.of('watchdog'), 'Settings')),
    ...own('S1'),
  });
  asks.connections['Which end?'] = { main: [[link('Mine')]] };
  nodeOf(asks, 'Outcome').parameters = {};
  const { said, code } = await n8n.install();
  expect(said).not.toContain('credential “Shop”');
  expect(said).toMatch(/^update {4}SMS · Ask .*\(keeps your own Mine, S1\)$/m);
  expect(code).toBe(0);
  expect(nodeOf(asks, 'Mine')).toEqual(mine);
});

test('a node of an earlier version is not taken for the owner’s', async () => {
  const n8n = await installed();
  const before = { type: 'n8n-nodes-base.dataTable', name: 'Old rows' };
  const old = { ...own('Old rows'), type: POSTGRES, id: nodeIdOf('sms-inbox', before) };
  n8n.of('inbox').nodes.push(old);
  expect((await n8n.install()).said).toMatch(/^update {4}SMS · Inbox$/m);
  expect(nodeOf(n8n.of('inbox'), 'Old rows')).toBeUndefined();
});

test('two of one workflow are refused, and a workflow at an address like the desk’s stays', async () => {
  const n8n = await installed();
  n8n.workflows.push({ id: 'sms-mine', name: 'Mine', nodes: [own('Mine')], connections: {} });
  await n8n.install();
  expect(n8n.changes).toEqual([]);
  n8n.workflows.push({ ...structuredClone(n8n.of('inbox')), id: 'sms-inbox' });
  const { said, code } = await n8n.install();
  expect(said).toMatch(
    /“SMS · Inbox” is there twice: .*\/workflow\/sms-inbox.*Nothing was changed/s,
  );
  expect([code, n8n.changes]).toEqual([1, []]);
  n8n.of('inbox').isArchived = true;
  expect((await n8n.install()).said).toMatch(/^update {4}SMS · Inbox$/m);
});

test('what is no more in the desk stays while it has steps of the owner’s, or is archived', async () => {
  const n8n = await installed();
  const about = { ...own('About'), notes: 'sms-gone in gone' };
  const gone: Installed = { id: 'gone', name: 'SMS · Gone', nodes: [about], connections: {} };
  n8n.workflows.push(gone);
  gone.isArchived = true;
  await n8n.install();
  expect(n8n.changes).toEqual([]);
  gone.isArchived = false;
  gone.nodes.push(own('Mine'));
  const { said, code } = await n8n.install();
  expect(said).toMatch(/“SMS · Gone” .*your own Mine.*Nothing was changed/s);
  expect([code, n8n.changes]).toEqual([1, []]);
});

test('a workflow that others call is made again, and they find it', async () => {
  const n8n = await installed();
  const { id } = n8n.of('dashboard');
  n8n.workflows = n8n.workflows.filter((each) => each.id !== id);
  await n8n.install();
  expect(n8n.of('dashboard').id).not.toBe(id);
  expect(n8n.of('inbox').settings?.errorWorkflow).toBe(n8n.of('dashboard').id);
});

test.each([
  'POST credentials',
  'POST tags',
  'POST workflows$',
  String.raw`PUT workflows \w+$`,
  String.raw`PUT workflows \w+ tags`,
  'POST workflows .* activate',
])('n8n refuses %s: it says so, and the next run finishes', async (refused) => {
  const n8n = new StandIn();
  n8n.refused = new RegExp(refused);
  const { said, code } = await n8n.install();
  expect(said).toMatch(/NOT done:\n.+: n8n answered 403: Forbidden/);
  expect(said).not.toContain('    at ');
  expect(code).toBe(1);
  n8n.refused = /^$/;
  expect((await n8n.install()).code).toBe(0);
  expect(n8n.workflows.filter(({ active }) => !active)).toEqual([n8n.of('watchdog')]);
  expect(new Set(n8n.workflows.map(({ name }) => name)).size).toBe(n8n.workflows.length);
  expect((await n8n.install()).said.match(/^unchanged SMS/gm)).toHaveLength(n8n.workflows.length);
});

test('an update that was saved and not published is published by the next run, which says so', async () => {
  const n8n = await installed();
  nodeOf(n8n.of('inbox'), 'Rows').parameters = {};
  n8n.refused = /activate/;
  expect((await n8n.install()).code).toBe(1);
  n8n.refused = /^$/;
  const { said } = await n8n.install();
  expect(said).toMatch(/^update {4}SMS · Inbox {3}\(publishes what was only saved\)$/m);
  expect((await n8n.install()).said).toMatch(/^unchanged SMS · Inbox$/m);
});

test.each([
  ['parameter', (inbox: Installed) => (nodeOf(inbox, 'Rows').parameters.more = 1)],
  ['link', ({ connections }: Installed) => (connections['Serve the subscribers'] = { main: [] })],
])('a %s that the file does not have goes', async (_, change) => {
  const n8n = await installed();
  change(n8n.of('inbox'));
  expect((await n8n.install()).said).toMatch(/^update {4}SMS · Inbox$/m);
  expect((await n8n.install()).said).toMatch(/^unchanged SMS · Inbox$/m);
});

test('an opt-out list in a data table is never left behind', async () => {
  const n8n = new StandIn();
  n8n['data-tables'] = [{ id: 't', name: 'sms_opt_outs' }];
  const { said, code } = await n8n.install();
  expect(said).toMatch(/people who opted out.*Download CSV.*another name.*Nothing was changed/s);
  expect([code, n8n.changes]).toEqual([1, []]);
  n8n['data-tables'] = [{ id: 't', name: 'sms_opt_outs before' }];
  expect((await n8n.install()).code).toBe(0);
  // A template has made one since, and the desk has its own.
  n8n['data-tables'] = [{ id: 't', name: 'sms_opt_outs' }];
  expect((await n8n.install()).code).toBe(0);
});

test('a desk whose rows are in data tables is refused, as its list would stay there', async () => {
  const n8n = await installed();
  n8n['data-tables'] = [{ id: 't', name: 'sms_opt_outs' }];
  for (const workflow of n8n.workflows) {
    for (const node of workflow.nodes)
      if (node.type === POSTGRES) node.type = 'n8n-nodes-base.dataTable';
  }
  const { said, code } = await n8n.install();
  expect(said).toContain('people who opted out');
  expect([code, n8n.changes]).toEqual([1, []]);
});

test('a copy with the tag, and a workflow of the user, are left alone; the desk’s that is no more goes', async () => {
  const n8n = await installed();
  const copy = { ...structuredClone(n8n.of('inbox')), id: 'copy', name: 'SMS · Inbox copy' };
  const about = { ...own('About'), notes: 'sms-gone in gone' };
  const gone = { id: 'gone', name: 'SMS · Gone', nodes: [about], connections: {}, tags: copy.tags };
  n8n.workflows.push(copy, gone);
  expect((await n8n.install()).said).toMatch(/^delete {4}SMS · Gone$/m);
  expect(n8n.changes).toEqual(['DELETE workflows gone']);

  const [strange] = n8n.workflows.splice(n8n.workflows.indexOf(n8n.of('inbox')), 1, {
    ...copy,
    name: 'SMS · Inbox',
  });
  expect(strange).toBeDefined();
  const { said, code } = await n8n.install();
  expect(said).toContain('“SMS · Inbox” (/workflow/copy) was not made by this command.');
  expect([code, n8n.changes]).toEqual([1, []]);
});

test('every table has its credential, and is made before its first row is written', async () => {
  const { workflows } = await installed();
  const stores = workflows.flatMap(({ nodes }) => nodes.filter(({ type }) => type === POSTGRES));
  expect(stores.length).toBeGreaterThan(60);
  expect(new Set(stores.map(({ credentials }) => credentials?.postgres?.id))).toEqual(
    new Set(['postgres']),
  );
  expect(JSON.stringify(workflows)).not.toContain('n8n-nodes-base.dataTable"');
  expect(workflows.findIndex(({ name }) => name === 'SMS · Schema')).toBe(0);
});

test('nothing is published behind a schema that was not made, and the next run makes it', async () => {
  const n8n = new StandIn();
  const failed = { resultData: { error: { message: 'permission denied for database x' } } };
  n8n.ends = (id) => ({ id: String(id), status: 'error', data: failed });
  const { said, code } = await n8n.install();
  expect(said).toContain('permission denied for database x');
  expect(code).toBe(1);
  const activated = () => n8n.changes.filter((each) => each.endsWith(' activate'));
  expect(activated()).toHaveLength(1);
  n8n.ends = (id) => ({ id: String(id), status: 'success' });
  expect((await n8n.install()).code).toBe(0);
  expect(activated().length).toBeGreaterThan(5);
  expect((await n8n.install()).code).toBe(0);
  expect(n8n.changes).toEqual([]);
});

test('a workflow is published behind those that it calls, and behind those that are gone', async () => {
  const n8n = new StandIn();
  const about = { ...own('About'), notes: 'sms-gone in gone' };
  n8n.workflows.push({ id: 'gone', name: 'SMS · Gone', nodes: [about], connections: {} });
  await n8n.install();
  const order = n8n.changes.filter((each) => / workflows .*activate|DELETE/.test(each));
  expect(order[0]).toBe('DELETE workflows gone');
  const placeOf = (id: string) => order.indexOf(`POST workflows ${id} activate`);
  const calls = n8n.workflows.flatMap(({ id, nodes }) =>
    nodes.flatMap(({ parameters }) => {
      const { value } = (parameters.workflowId ?? {}) as { value?: string };
      return n8n.workflows.some((each) => each.id === value) && value !== id ? [[value, id]] : [];
    }),
  );
  expect(calls.length).toBeGreaterThan(5);
  for (const [callee = '', caller = ''] of calls)
    if (placeOf(caller) >= 0) expect(placeOf(callee)).toBeLessThan(placeOf(caller));
});

test('an archived workflow stays archived', async () => {
  const n8n = await installed();
  n8n.of('watchdog').isArchived = true;
  expect((await n8n.install()).said).toMatch(/^archived {2}SMS · Watchdog$/m);
  expect(n8n.changes).toEqual([]);
});

test('no login of another system opens a page, and each door has its own', async () => {
  const n8n = new StandIn();
  n8n.credentials.push(
    { id: 'b', type: 'httpBasicAuth', name: 'Wiki' },
    { id: 'h', type: 'httpHeaderAuth', name: 'Shop' },
  );
  const { said } = await n8n.install();
  const used = n8n.workflows.flatMap(({ nodes }) =>
    nodes.flatMap(({ name, credentials, parameters }) =>
      Object.entries(credentials ?? {})
        .filter(([type]) => type.startsWith('http'))
        .map(([, { id }]) => ({ name, id, path: parameters.path as NodeParameterValueType })),
    ),
  );
  expect(used.length).toBeGreaterThan(5);
  expect(used.filter(({ id }) => ['b', 'h'].includes(id ?? ''))).toEqual([]);
  const push = used.find(({ path: door }) => door === 'sms-push')?.id;
  const posts = used.find(({ name }) => name === 'Recipients arrive')?.id;
  expect(push).not.toBe(posts);
  expect(said.match(/\(shown only now\)/g)).toHaveLength(3);
});

describe('what it says when it cannot', () => {
  const without = (type: string) => {
    const n8n = new StandIn();
    n8n.credentials = n8n.credentials.filter((each) => each.type !== type);
    return n8n;
  };

  test.each([
    ['no SMS credential', 'smsMessagingServiceApi', [], /“SMS Messaging Service API”. Create it/],
    ['no Postgres credential', 'postgres', [], /“Postgres”. Create a database/],
    ['a workflow that is none', 'none', ['--only', 'inboxes'], /has no workflow inboxes/],
    ['a time zone that is none', 'none', ['--timezone', 'Berlin'], /Berlin is not a time zone/],
  ])('%s', async (_, type, more, words) => {
    const n8n = without(type);
    const { said, code } = await n8n.install(...more);
    expect(said).toMatch(words);
    expect(said.trim().split('\n').at(-1)).toBe('Nothing was changed.');
    expect([code, n8n.changes]).toEqual([1, []]);
  });

  test('a wrong address', async () => {
    const { said, code } = await run('--url', 'http://127.0.0.1:9', '--key', 'k');
    expect(said).toMatch(
      /^http:\/\/127\.0\.0\.1:9: .+\. Check --url.+ --key .+\nNothing was changed\.\n$/,
    );
    expect(code).toBe(1);
  });

  test.each([
    ['a wrong key', 401, '{"message":"unauthorized"}', 'n8n does not know this API key'],
    ['another server', 404, 'Not found', 'n8n answered 404: Not found'],
    [
      'a proxy',
      502,
      '<html><body><h1>502\n Bad Gateway</h1></body></html>',
      'n8n answered 502: 502 Bad Gateway',
    ],
    ['a web page', 200, '<html><body>Hello</body></html>', 'n8n answered 200: Hello'],
    ['another interface', 200, '{"ok":true}', 'this is no answer of n8n'],
    ['a login page', 302, '', 'unexpected redirect'],
  ])('%s, in one line', async (_, status, body, words) => {
    const server = createServer((__, response) => {
      response.writeHead(status, { location: '/login' }).end(body);
    }).listen(0);
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { said, code } = await run('--url', url, '--key', 'k').finally(() => server.close());
    expect(said).toMatch(/^http.+\nNothing was changed\.\n$/);
    expect(said).toContain(`${url}: ${words}. Check --url`);
    expect(code).toBe(1);
  });
});
