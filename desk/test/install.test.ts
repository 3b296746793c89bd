/** `npm run desk` against a stand-in for n8n's public API: what it keeps, refuses and says. A real n8n: test/e2e/. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';

import type { AssignmentCollectionValue, INode } from 'n8n-workflow';

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

  /** A pattern of the changes that it refuses. */
  refused = '^$';

  /** Runs the command, and gives what it says. */
  install(...more: string[]): Promise<Said> {
    this.changes = [];
    return against(
      (request, response) => {
        const { method = '', url = '' } = request;
        const [, kind = '', id = '', part = ''] = /v1\/([\w-]+)\/?([^/?]*)\/?(\w*)/.exec(url) ?? [];
        const change = `${method} ${kind} ${id} ${part}`.trim();
        if (method !== 'GET') this.changes.push(change);
        const sent = method === 'GET' ? Promise.resolve({}) : json(request).catch(() => ({}));
        void sent.then((body) => {
          const isRefused = RegExp(this.refused).test(change);
          // n8n refuses an empty cursor.
          if (isRefused || /[?&]cursor=(?:&|$)/.test(url))
            response.writeHead(403).end('{"message":"Forbidden"}');
          else response.end(JSON.stringify(this.answer(method, kind, id, part, body as Installed)));
        });
      },
      ...more,
    );
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
    if (part === 'tags' && found)
      found.tags = this.tags.filter(({ id: tag }) => JSON.stringify(body).includes(`"${tag}"`));
    if (method === 'PUT' && !part && found) {
      const settings = { ...found.settings, ...body.settings };
      Object.assign(found, body, { settings, versionId: String(this.changes.length) });
      if (!RegExp(this.refused).test(`POST workflows ${id} activate`))
        found.activeVersionId = found.versionId;
    }
    if (method === 'POST' && !id) list.push({ ...body, id: `${kind}${list.length}` });
    return { ...body, id: id || list.at(-1)?.id };
  }

  get nodes(): INode[] {
    return this.workflows.flatMap(({ nodes }) => nodes);
  }

  /** The workflow of a file. */
  of(name: string): Installed {
    const { name: title } = readDesk(name);
    const found = this.workflows.find((each) => each.name === title);
    if (!found) throw new Error(`There is no ${title}.`);
    return found;
  }
}

interface Said {
  said: string;
  code: number;
}

/** Runs the command against a server, which may be away, and gives what it says. */
async function against(listener: RequestListener | undefined, ...more: string[]): Promise<Said> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  if (!listener) server.close();
  const args = [path.join(__dirname, '../install.mjs'), '--url', url, '--key', 'k', ...more];
  return promisify(execFile)(process.execPath, args)
    .then(
      ({ stdout }) => ({ said: stdout, code: 0 }),
      ({ stdout, stderr, code }: { stdout: string; stderr: string; code: number }) => ({
        ...{ said: stdout + stderr, code },
      }),
    )
    .finally(() => server.close());
}

/** What the command makes in an empty n8n, as JSON: it takes a second. */
let made: string | undefined;

/** An n8n with the desk. */
async function installed(): Promise<StandIn> {
  const n8n = new StandIn();
  if (!made) expect(await n8n.install()).toMatchObject({ code: 0 });
  made ??= JSON.stringify(n8n);
  return Object.assign(n8n, JSON.parse(made));
}

const nodeOf = ({ nodes }: WorkflowFile, name: string): INode =>
  nodes.find((node) => node.name === name) as INode;

/** The fields of the node *Settings*. */
const fieldsOf = (workflow: WorkflowFile) =>
  (nodeOf(workflow, 'Settings').parameters.assignments as AssignmentCollectionValue).assignments;

const CODE = 'n8n-nodes-base.code';
const POSTGRES = 'n8n-nodes-base.postgres';

const own = (name: string): INode => ({
  ...{ id: `own ${name}`, name, type: CODE, typeVersion: 2, position: [0, 0], parameters: {} },
});

const link = (node: string) => ({ main: [[{ node, type: 'main' as const, index: 0 }]] });

/** A workflow that the desk had once. */
const gone = (...nodes: INode[]): Installed => ({
  ...{ id: 'gone', name: 'SMS · Gone', connections: {} },
  nodes: [{ ...own('About'), notes: 'sms-gone in gone' }, ...nodes],
});

describe('a first run', () => {
  const n8n = new StandIn();
  let first = { said: '', code: 1 };
  let order: string[] = [];

  beforeAll(async () => {
    n8n.credentials.push(
      { id: 'b', type: 'httpBasicAuth', name: 'Wiki' },
      { id: 'h', type: 'httpHeaderAuth', name: 'Shop' },
    );
    n8n.workflows.push(gone());
    // Under another name, it is none of the desk's.
    n8n['data-tables'] = [{ id: 't', name: 'sms_opt_outs before' }];
    first = await n8n.install();
    order = n8n.changes.filter((each) => / workflows .*activate|DELETE/.test(each));
  });

  test('makes the workflows, and what they call by the IDs of this n8n; a second one changes nothing', async () => {
    const { said, code } = first;
    expect(code).toBe(0);
    const all = deskNames().map((name) => readDesk(name).name);
    expect(n8n.workflows.map(({ name }) => name).toSorted()).toEqual(all.toSorted());
    expect(said.match(/^new {7}SMS · /gm)).toHaveLength(all.length);
    expect(JSON.stringify(n8n.workflows)).not.toMatch(/"value":"(=\{\{ ')?sms-(in|out)box/);
    expect(n8n.of('inbox').settings?.errorWorkflow).toBe(n8n.of('dashboard').id);
    expect((await n8n.install()).said.match(/^unchanged SMS · /gm)).toHaveLength(all.length);
    expect(n8n.changes).toEqual([]);
  });

  test('does not publish a watchdog without addresses, and makes tables before their first row', () => {
    expect(first.said).toMatch(/SMS · Watchdog {3}\(not published: choose mail_from in “Settings”/);
    expect(n8n.workflows.filter(({ active }) => !active)).toEqual([n8n.of('watchdog')]);
    const stores = n8n.nodes.filter(({ type }) => type === POSTGRES);
    expect(stores.length).toBeGreaterThan(60);
    const used = stores.map(({ credentials }) => credentials?.postgres?.id);
    expect([...new Set(used)]).toEqual(['postgres']);
    expect(order[1]).toBe(`POST workflows ${n8n.of('schema').id} activate`);
  });

  test('publishes a workflow behind those that it calls, and behind those that are gone', () => {
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

  test('opens no page to the login of another system, and gives each door its own', () => {
    const used = n8n.nodes.flatMap(({ name, credentials }) =>
      Object.entries(credentials ?? {}).map(([type, { id }]) => ({ name, type, id })),
    );
    const logins = used.filter(({ type }) => type.startsWith('http'));
    expect(logins.length).toBeGreaterThan(5);
    expect(logins.filter(({ id }) => ['b', 'h'].includes(id ?? ''))).toEqual([]);
    const doors = ['Pushed reports and replies', 'Recipients arrive', 'Page is opened'];
    const ids = doors.map((door) => logins.find(({ name }) => name === door)?.id);
    expect(new Set(ids).size).toBe(3);
    expect(first.said.match(/\(shown only now\)/g)).toHaveLength(3);
  });
});

test('an update keeps what its owner has set and added, and says so first', async () => {
  const n8n = await installed();
  await n8n.install('--timezone', 'Europe/Berlin');
  const [campaign, inbox] = [n8n.of('campaign'), n8n.of('inbox')];
  const [watchdog, asks] = [n8n.of('watchdog'), n8n.of('ask-and-wait')];
  for (const field of fieldsOf(campaign)) if (field.name === 'portion_size') field.value = 500;
  fieldsOf(watchdog).push({ id: 'f2', name: 'mine', type: 'string', value: 'x' });
  campaign.active = false;
  n8n.credentials.push({ id: 'second', type: 'smsMessagingServiceApi', name: 'Second' });
  const chosen = { smsMessagingServiceApi: { id: 'second', name: 'Second' } };
  nodeOf(campaign, 'Read the balance').credentials = chosen;
  n8n.workflows.push({ id: 'another', name: 'Mine', nodes: [], connections: {} });
  inbox.settings = { ...inbox.settings, errorWorkflow: 'another' };
  n8n.tags.push({ id: 'own', name: 'Mine' });
  inbox.tags?.push({ id: 'own', name: 'Mine' });
  // Steps of the owner's are no part of the desk, whatever they look like.
  const credentials = {
    httpHeaderAuth: { id: 'x', name: 'Shop' },
    postgres: { id: 'y', name: 'Y' },
  };
  const mine = { ...own('Mine'), type: POSTGRES, credentials };
  const like = { ...structuredClone(nodeOf(watchdog, 'Settings')), ...own('S1') };
  asks.nodes.push(mine, own('And mail'), like);
  Object.assign(asks.connections, { 'Which end?': link('Mine'), Mine: link('And mail') });
  nodeOf(asks, 'Outcome').parameters = {};

  const planned = await n8n.install('--dry-run');
  expect(n8n.changes).toEqual([]);
  const { said, code } = await n8n.install();
  expect(code).toBe(0);
  expect(said).toContain(planned.said);
  expect(said).toMatch(/^unchanged SMS · Campaign: send .*portion_size 500.*stays unpublished/m);
  expect(said).toMatch(/SMS · Watchdog .*Settings: mine/);
  expect(said).toMatch(/^update {4}SMS · Ask .*your own Mine, And mail, S1.*Europe\/Berlin/m);
  expect(said).not.toContain('credential “Shop”');
  expect(nodeOf(campaign, 'Read the balance').credentials).toEqual(chosen);
  expect(inbox.settings).toMatchObject({ timezone: 'Europe/Berlin', errorWorkflow: 'another' });
  expect(inbox.tags?.map(({ name }) => name)).toEqual(['SMS desk', 'Mine']);
  expect(nodeOf(asks, 'Mine')).toEqual(mine);
  expect(asks.connections).toMatchObject({ 'Which end?': link('Mine'), Mine: link('And mail') });
  expect(campaign.active).toBe(false);
  await n8n.install('--only', 'campaign');
  expect(campaign.active).toBe(true);
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
});

/** Adds the inbox once more, as if it had been imported at its address. */
const imported = (n8n: StandIn) =>
  n8n.workflows.push({ ...structuredClone(n8n.of('inbox')), id: 'sms-inbox' });

const OLD = { type: POSTGRES, name: 'Old rows' };
const OPTED_OUT = [{ id: 't', name: 'sms_opt_outs' }];
const SIMILAR = { ...gone(own('')), id: 'sms-x', name: 'X' };
const archive = (workflow: Installed) => Object.assign(workflow, { isArchived: true });
const UPDATED = /^update {4}SMS · Inbox$/m;
const SAVED = /^update {4}SMS · Inbox {3}\(publishes what was only saved\)$/m;

/** What is other than in the files: what the next run says, and the one behind that changes nothing. */
test.each<[what: string, says: RegExp, change: (inbox: Installed, n8n: StandIn) => unknown]>([
  [
    'a node of an earlier version',
    UPDATED,
    ({ nodes }) => nodes.push({ ...own(OLD.name), ...OLD, id: nodeIdOf('sms-inbox', OLD) }),
  ],
  ['a parameter', UPDATED, (inbox) => (nodeOf(inbox, 'Rows').parameters.more = 1)],
  ['a link', UPDATED, ({ connections }) => (connections['Serve the subscribers'] = { main: [] })],
  ['only saved', SAVED, (inbox) => (inbox.versionId = 'newer')],
  ['an archived copy', UPDATED, (inbox, n8n) => imported(n8n) && archive(inbox)],
  ['one of them archived', /^archived {2}SMS · W/m, (_, n8n) => archive(n8n.of('watchdog'))],
  ['an address like the desk’s', /./, (_, { workflows }) => workflows.push(SIMILAR)],
  ['archived, and gone', /./, (_, { workflows }) => workflows.push(archive(gone()))],
  ['a data table of a template', /./, (_, n8n) => (n8n['data-tables'] = OPTED_OUT)],
])('%s: what is the desk’s becomes as in its files', async (_, words, change) => {
  const n8n = await installed();
  change(n8n.of('inbox'), n8n);
  const { length } = n8n.workflows;
  const { said } = await n8n.install();
  expect(said).toMatch(words);
  expect(n8n.workflows).toHaveLength(length);
  if (![UPDATED, SAVED].includes(words)) expect(n8n.changes).toEqual([]);
  expect(nodeOf(n8n.of('inbox'), OLD.name)).toBeUndefined();
  await n8n.install();
  expect(n8n.changes).toEqual([]);
});

test('a copy with the tag is left alone, what the desk has no more goes, and what others call is made again', async () => {
  const n8n = await installed();
  const copy = { ...structuredClone(n8n.of('inbox')), id: 'copy', name: 'SMS · Inbox copy' };
  n8n.workflows.push(copy, { ...gone(), tags: copy.tags });
  expect((await n8n.install()).said).toMatch(/^delete {4}SMS · Gone$/m);
  expect(n8n.changes).toEqual(['DELETE workflows gone']);
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
  n8n.refused = refused;
  const { said, code } = await n8n.install();
  expect(said).toMatch(/NOT done:\n.+: n8n answered 403: Forbidden/);
  expect(said).not.toContain('    at ');
  expect(code).toBe(1);
  n8n.refused = '^$';
  expect((await n8n.install()).code).toBe(0);
  expect(n8n.workflows.filter(({ active }) => !active)).toEqual([n8n.of('watchdog')]);
  expect(new Set(n8n.workflows.map(({ name }) => name)).size).toBe(n8n.workflows.length);
  expect((await n8n.install()).said.match(/^unchanged SMS/gm)).toHaveLength(n8n.workflows.length);
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

const without = (n8n: StandIn, type: string) =>
  (n8n.credentials = n8n.credentials.filter((each) => each.type !== type));

/** What the command says, and because of what: nothing is changed. */
test.each<[says: RegExp, change: (n8n: StandIn) => unknown, args?: string[]]>([
  [/“SMS Messaging Service API”. Create it/, (n8n) => without(n8n, 'smsMessagingServiceApi')],
  [/“Postgres”. Create a database/, (n8n) => without(n8n, 'postgres')],
  [/no workflow inboxes/, () => 0, ['--only', 'inboxes']],
  [/Berlin is not a time zone/, () => 0, ['--timezone', 'Berlin']],
  [
    /“Wait a little” leads into the desk's “Settings”/,
    (n8n) => {
      const { nodes, connections } = n8n.of('campaign');
      nodes.push(own('Wait a little'));
      connections['Wait a little'] = link('Settings');
    },
  ],
  [/“SMS · Inbox” is there twice: .*\/workflow\/sms-inbox/, imported],
  [/Inbox” \(\/workflow\/x\) was not made by this command/, (n8n) => (n8n.of('inbox').id = 'x')],
  [/“SMS · Gone” .*your own Mine/, ({ workflows }) => workflows.push(gone(own('Mine')))],
  [
    /people who opted out.*Download CSV.*another name/,
    (n8n) => Object.assign(n8n, { workflows: [], 'data-tables': OPTED_OUT }),
  ],
  [
    /people who opted out/,
    (n8n) => {
      n8n['data-tables'] = OPTED_OUT;
      for (const node of n8n.nodes)
        if (node.type === POSTGRES) node.type = 'n8n-nodes-base.dataTable';
    },
  ],
])('%s: nothing is changed', async (words, change, args = []) => {
  const n8n = await installed();
  change(n8n);
  const { said, code } = await n8n.install(...args);
  expect(said).toMatch(words);
  expect(said.trim().split('\n').at(-1)).toBe('Nothing was changed.');
  expect([code, n8n.changes]).toEqual([1, []]);
});

test.each([
  ['nobody', 0, '', 'connect '],
  ['a wrong key', 401, '{"message":"unauthorized"}', 'n8n does not know this API key.'],
  ['another server', 404, 'Not found', 'n8n answered 404: Not found.'],
  ['a proxy', 502, '<html><body><h1>502\n Bad Gateway</h1>', 'n8n answered 502: 502 Bad Gateway.'],
  ['a web page', 200, '<html><body>Hello</body></html>', 'n8n answered 200: Hello.'],
  ['another interface', 200, '{"ok":true}', 'this is no answer of n8n.'],
  ['a login page', 302, '', 'unexpected redirect.'],
])('%s in place of n8n, in one line', async (_, status, body, words) => {
  const { said, code } = await against(
    status === 0
      ? undefined
      : (__, response) => void response.writeHead(status, { location: '/login' }).end(body),
  );
  expect(said).toMatch(/^http.+\. Check --url.+ --key .+\nNothing was changed\.\n$/);
  expect(said.replace(/^http:\S+: /, '').startsWith(words)).toBe(true);
  expect(code).toBe(1);
});
