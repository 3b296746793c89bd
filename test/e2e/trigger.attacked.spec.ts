/** The trigger in situations that a service, a user or n8n itself can bring about. */
import { randomUUID } from 'node:crypto';

import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import type { Gateway } from '../sandbox/gateway';
import { chosen } from './groups';
import { aFewPolls, comeOnce, failsWith, failures, handedOver } from './lib/attacks';
import type { N8nClient, Workflow } from '../kit/n8n/client';
import {
  PAGE,
  reportPages,
  rounds,
  TICK_LIMIT_MS,
  TRIGGER,
  waitNode,
  type Drains,
} from './lib/drains';
import { DURABLE } from '../kit/n8n/n8n';
import { isVersion1 } from '../kit/n8n/paths';
import { sideBySide } from './lib/sideBySide';
import { runSql } from './lib/sql';
import { expect, test } from './lib/test';
import { anyNode } from '../kit/n8n/workflow';

interface Fixtures {
  client: N8nClient;
  drains: Drains;
}

const SILENT = 'n8n 1 does not say that it could not store an execution.';

/** Two pages and a half. */
const BACKLOG = 2.5 * PAGE;

const HEADER_AUTH = 'httpHeaderAuth';
const CALLER = 'Call';

/** A node with a credential of its own. It calls n8n. */
function caller(client: N8nClient, credential: { id: string | null; name: string }): INode {
  const node = anyNode('n8n-nodes-base.httpRequest', 4.2, CALLER, {
    url: `${client.url}/healthz`,
    authentication: 'genericCredentialType',
    genericAuthType: HEADER_AUTH,
  });
  return { ...node, executeOnce: true, credentials: { [HEADER_AUTH]: credential } };
}

/** Gives the trigger other options, and publishes the workflow. */
async function publishWith(
  client: N8nClient,
  workflow: Workflow,
  options: INodeParameters,
): Promise<void> {
  await client.publish(await client.changeNode(workflow, TRIGGER, { options }));
}

function queueBoth(gateway: Gateway): void {
  gateway.queueReports(BACKLOG);
  gateway.queueReplies(BACKLOG);
}

/** A node's credential was never chosen, as after an import, and is chosen later. */
async function credentialNotChosen({ client, drains }: Fixtures): Promise<void> {
  const after = caller(client, { id: null, name: 'Of somebody else' });
  const { gateway, workflow } = await drains.created({ after });
  await client.publish(workflow);
  queueBoth(gateway);
  await failsWith(client, workflow, new RegExp(`"${CALLER}".*credential`));
  await aFewPolls();
  const { reportsLeft, replies } = gateway.state;
  expect(BACKLOG - reportsLeft, 'pulled reports').toBeLessThanOrEqual(PAGE);
  expect(BACKLOG - replies.length, 'pulled replies').toBeLessThanOrEqual(PAGE);
  const data = { name: 'x-test', value: randomUUID() };
  const chosen = caller(client, await client.createCredential('Chosen', HEADER_AUTH, data));
  const nodes = workflow.nodes.map((node) => (node.name === CALLER ? chosen : node));
  await client.publish(await client.updateWorkflow(workflow.id, { nodes }));
  await comeOnce(client, workflow, 2 * BACKLOG);
}

/** An execution that is cancelled has started: its records do not come again. */
async function cancelledExecution({ client, drains }: Fixtures): Promise<void> {
  const { gateway, workflow } = await drains.created({ after: waitNode(50) });
  gateway.queueReports(PAGE);
  await client.publish(workflow);
  const statuses = async () => (await client.executions(workflow)).map(({ status }) => status);
  await expect.poll(statuses).toEqual(['running']);
  const [{ id } = { id: '' }] = await client.executions(workflow);
  await client.call('POST', `/rest/executions/${id}/stop`);
  await aFewPolls();
  expect(await statuses()).toEqual(['canceled']);
}

/** Publishing in the middle of a drain hands over nothing twice at a service that does not consume. */
async function publishedInADrain({ client, drains }: Fixtures): Promise<void> {
  const service = { consume: false, latencyMs: 300 };
  const { gateway, workflow } = await drains.created({ options: { pullSize: 2 * PAGE } }, service);
  await client.publish(workflow);
  gateway.queueReports(PAGE);
  const before = reportPages(gateway);
  const pages = () => reportPages(gateway) - before;
  await expect.poll(pages, { timeout: TICK_LIMIT_MS, intervals: [5] }).toBeGreaterThan(0);
  await publishWith(client, workflow, { pullSize: 2 * PAGE, itemsPerExecution: PAGE / 4 });
  await comeOnce(client, workflow, PAGE);
}

test('Side by side: nothing lost or twice', async ({ client, drains }) => {
  await sideBySide<Fixtures>(
    { client, drains },
    {
      // n8n 1 runs it: its executions fail, with the records.
      ...(!isVersion1 && {
        'A workflow that n8n may not run keeps one page of each event, and goes on when it may':
          credentialNotChosen,
      }),
      'An execution that is cancelled has started': cancelledExecution,
      'Publishing in the middle of a drain': publishedInADrain,
    },
  );
});

test('Of two triggers of one account, one goes on', async ({ client, drains, n8n }) => {
  const account = await drains.created({}, { prefix: '/sms' });
  const other = await drains.created();
  const { gateway, workflow: first } = account;
  const second = other.workflow;
  await client.publish(first);
  await client.publish(second);

  await test.step('A credential is edited', async () => {
    const { id, name, type } = other.credential;
    // The same account, with its address written in another way.
    const data = { ...gateway.credential(), baseUrl: `${gateway.baseUrl}/` };
    await client.call('PATCH', `/rest/credentials/${id}`, { name, type, data });
    queueBoth(gateway);
    await comeOnce(client, first, 2 * BACKLOG);
    expect(await handedOver(client, second), 'records of the later trigger').toEqual([]);
    expect(await failures(client, second)).toEqual([expect.stringContaining(first.name)]);
  });

  await test.step('The account that nobody has any more can be used', async () => {
    const data = other.gateway.credential() as IDataObject;
    const credential = await client.createCredential('As before', other.credential.type, data);
    await client.publish(await drains.workflowFor({ credential }));
  });

  const told = async () => [
    ...(await failures(client, first)),
    ...(await failures(client, second)),
  ];
  const come = async (workflow: Workflow) => (await handedOver(client, workflow)).length;

  const [shouldContinue, waits] = await test.step('n8n is restarted', async () => {
    const before = await told();
    await n8n.restart('stop');
    await aFewPolls();
    queueBoth(gateway);
    await drains.drained(account);
    await aFewPolls();
    expect(await told(), 'failed executions').toHaveLength(before.length + 1);
    const counts = [await come(first), await come(second)];
    expect([
      [4 * BACKLOG, 0],
      [2 * BACKLOG, 2 * BACKLOG],
    ]).toContainEqual(counts);
    return counts[1] === 0 ? [first, second] : [second, first];
  });

  await test.step('The one that goes on is unpublished', async () => {
    const before = await come(waits);
    await client.deactivate(shouldContinue);
    await aFewPolls();
    queueBoth(gateway);
    await comeOnce(client, waits, before + 2 * BACKLOG);
  });
});

test('2,000 records of one answer, each in an execution of its own', async ({ client, drains }) => {
  test.skip(chosen === 'ci', 'It takes minutes.');
  test.setTimeout(15 * 60_000);
  const records = 2_000;
  const options = { pullSize: records, itemsPerExecution: 1 };
  const { gateway, workflow } = await drains.created({ options });
  gateway.queueReports(records);
  await client.publish(workflow);
  const states = async () => (await client.executions(workflow)).map(({ status }) => status);
  const open: number[] = [];
  const count = async () => {
    const all = await states();
    open.push(all.filter((status) => status !== 'success').length);
    return all.length;
  };
  // The trigger saves by an execution without items, too.
  await expect
    .poll(count, { timeout: 6 * TICK_LIMIT_MS, intervals: [5_000] })
    .toBeGreaterThanOrEqual(records);
  // 20, and those that have ended while the pages of the list were read.
  expect(Math.max(...open), 'executions that go on').toBeLessThanOrEqual(30);
  // Reading what is in each takes long.
  const all = await handedOver(client, workflow);
  expect([all.length, new Set(all).size]).toEqual([records, records]);
});

test('Repeat Failed Executions is switched on and off', async ({ client, drains }) => {
  test.skip(isVersion1, SILENT);
  const options = { pullSize: PAGE, itemsPerExecution: PAGE / 4 };
  const { gateway, workflow } = await drains.created({ options });
  await client.publish(workflow);
  for (const repeatFailed of [true, false]) {
    const before = (await handedOver(client, workflow)).length;
    await runSql(refusing('refuse_records', '"made-up-'));
    try {
      gateway.queueReports(PAGE);
      await failsWith(client, workflow, /did not start the workflow/);
      // The first poll hands over what is kept, and n8n refuses again: the trigger stays registered.
      await publishWith(client, workflow, { ...options, repeatFailed });
    } finally {
      await runSql('DROP TRIGGER refuse_records');
    }
    await publishWith(client, workflow, { ...options, repeatFailed });
    await comeOnce(client, workflow, before + PAGE);
  }
});

test.describe("With n8n's durable scheduler", () => {
  test.beforeAll(async ({ n8n }) => n8n.restart('stop', DURABLE));
  test.afterAll(async ({ n8n }) => n8n.restart('stop'));

  test('a workflow that n8n may not run keeps one page', async ({ client, drains }) => {
    test.skip(isVersion1, 'n8n 1 runs it.');
    await credentialNotChosen({ client, drains });
  });

  for (const round of rounds(1)) {
    test(`kill -9 costs at most the page in flight (${round})`, async ({ drains, n8n }) => {
      const drain = await drains.underWay({ atTick: true });
      await n8n.restart('kill', DURABLE);
      await drains.drained(drain);
      await drains.settles(drain, { lostAtMost: PAGE });
    });
  }

  test('a page whose start is refused comes once', async ({ client, drains }) => {
    test.skip(isVersion1, SILENT);
    const options = { itemsPerExecution: PAGE / 4 };
    const { gateway, workflow } = await drains.created({ options }, { consume: false });
    await client.publish(workflow);
    // A sandbox's first record.
    await runSql(refusing('refuse_first', '"made-up-1"'));
    try {
      gateway.queueReports(PAGE);
      await failsWith(client, workflow, /did not start the workflow/);
    } finally {
      await runSql('DROP TRIGGER refuse_first');
    }
    await comeOnce(client, workflow, PAGE);
  });
});

/** Has n8n's database refuse executions with a text in their data. */
function refusing(trigger: string, text: string): string {
  return `CREATE TRIGGER ${trigger} BEFORE INSERT ON execution_data
  WHEN instr(NEW.data, '${text}') BEGIN SELECT RAISE(ABORT, 'refused by the test'); END`;
}
