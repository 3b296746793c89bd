/** What `npm run bench:desk` measures in an n8n: the node alone, and campaigns of the desk. */
import { expect } from '@playwright/test';

import { Campaign, people } from '../kit/campaign';
import { code, Gate } from '../kit/gate';
import { LOGIN, pageAt } from '../kit/pages';
import type { Store } from '../kit/store';
import { readDesk } from '../../test/kit/workflows/workflowFiles';
import type { Account, N8nClient } from '../../test/kit/n8n/client';
import { WEBHOOK_KEY } from '../../test/kit/n8n/webhookKey';
import { chain, itemsOfBody, ownNode, templateSms, webhookAt } from '../../test/kit/n8n/workflow';
import { BATCH_SIZE, CONCURRENCY } from '../../test/bench/contestants';
import { measure, type Use } from './processes';

/** One line of the figures. Times are in milliseconds. */
export interface Figures {
  what: string;
  size: number;
  /** Rows that were in the table of messages before. */
  older: number;
  wallMs: number;
  used: Use;
  /** What the load of a campaign took, and each page. */
  times?: Record<string, number>;
}

/** An n8n, and where its desk keeps its tables. */
export interface Stage {
  name: string;
  client: N8nClient;
  account: Account;
  store: Store;
}

/** So many recipients are one post. n8n takes 16 MB. */
const POST = 100_000;

const ID = { template_id: '302', signature_id: '202' };

/** Sends by a workflow that has the node and nothing of the desk. */
export async function nodeAlone({ name, client, account }: Stage, size: number): Promise<Figures> {
  const options = { batchSize: BATCH_SIZE, maxConcurrency: CONCURRENCY };
  const parameters = {
    ...templateSms('={{ $json.phone }}', options),
    parametersJson: '={{ $json.parameters }}',
  };
  const webhook = webhookAt('alone', { responseMode: 'lastNode', responseData: 'noData' });
  const send = ownNode('smsMessagingService', 'Send', parameters, account.credential);
  const file = chain('Alone', webhook, itemsOfBody('people'), send);
  await client.publish(await client.importWorkflow(file, [account.credential]));
  const list = people(size).map(({ phone, order: code, date: minutes }) => {
    return { phone, parameters: { code, minutes } };
  });
  account.gateway.reset();
  const took = timed();
  await client.callWebhook('alone', { people: list });
  const figures = { what: `${name}: the node alone`, size, older: 0, ...took() };
  await client.deactivateAll();
  requireEachOnce(account, size);
  return figures;
}

/** Calls of another workflow, one after the other: each has so many messages with keys of their own. */
const CALLS = 10;
const MESSAGES = 100;

/** Sends by the outbox what another workflow hands over. */
export async function calls(
  { name, client, account, store }: Stage,
  older: number,
): Promise<Figures> {
  account.gateway.reset();
  const gate = await Gate.open(client, account, store);
  await gate.rule({ class: 'notice', per_day: 5 });
  await addOlder(store, older);
  const took = timed();
  for (let call = 0; call < CALLS; call += 1) {
    const list = Array.from({ length: MESSAGES }, (_, index) => {
      const at = call * MESSAGES + index;
      return code(at, { class: 'notice', key: `order-${at}` });
    });
    await gate.send(...list);
  }
  const size = CALLS * MESSAGES;
  const figures = { what: `${name}: calls of ${MESSAGES}`, size, older, ...took() };
  await client.deactivateAll();
  requireEachOnce(account, size);
  return figures;
}

/** Loads a campaign, sends it, takes its reports if wanted, and opens the pages. */
export async function campaign(
  stage: Stage,
  {
    size,
    older,
    portion,
    reports,
  }: { size: number; older: number; portion: number; reports: boolean },
): Promise<Figures[]> {
  const { name, client, account, store } = stage;
  account.gateway.reset();
  const spring = await Campaign.open(client, account, store, { portion_size: portion });
  await store.tables.clear('sms.campaigns');
  await store.tables.update('sms.rules', { class: 'all' }, { per_day: 0 });
  await addOlder(store, older);
  await spring.publishParts();

  const times: Record<string, number> = {};
  const time = async (what: string, work: () => Promise<unknown>) => {
    const before = performance.now();
    await work();
    times[what] = performance.now() - before;
  };
  await time('load', async () => {
    for (let from = 0; from < size; from += POST) {
      await spring.load(people(Math.min(POST, size - from), from), ID);
    }
  });
  await spring.letRest();
  await time('draft', () => spring.page());
  await store.tables.update('sms.campaigns', { campaign: spring.name }, { state: 'running' });

  const { accepted } = account.gateway.state;
  const limit = { timeout: 600_000 + 200 * size, intervals: [100] };
  const took = timed();
  await client.publish(spring.workflow);
  await expect.poll(() => accepted.size, limit).toBe(size);
  await expect.poll(() => spring.count('sending'), limit).toBe(0);
  const what = `${name}: portions of ${portion}`;
  const figures: Figures[] = [{ what, size, older, times, ...took() }];
  requireEachOnce(account, size);

  // Without its reports, the inbox has nothing to do.
  if (!reports) account.gateway.reset();
  const tookReports = timed();
  await publish(stage, 'inbox-serve', 'inbox');
  if (reports) {
    await expect.poll(() => spring.count('delivered'), limit).toBe(size);
    figures.push({ what: `${name}: reports`, size, older, ...tookReports() });
  }
  await publish(stage, 'dashboard', 'conversations');
  await time('campaign', () => spring.page());
  await time('list', () => pageAt(client, 'sms-campaign'));
  for (const page of ['dashboard', 'status', 'conversations']) {
    await time(page, () => pageAt(client, `sms-${page}`));
  }
  await client.deactivateAll();
  return figures;
}

async function publish({ client, account, store }: Stage, ...names: string[]): Promise<void> {
  const credentials = [
    ...[account.credential, ...store.credentials],
    await client.createCredential('SMS desk: pages', 'httpBasicAuth', LOGIN),
    await client.createCredential('Provider', 'httpHeaderAuth', WEBHOOK_KEY),
  ];
  for (const name of names) {
    await client.publish(await client.importWorkflow(readDesk(name), credentials));
  }
}

/** What earlier campaigns have left in the table of messages, and that the upkeep has counted their day. */
async function addOlder({ tables }: Store, count: number): Promise<void> {
  await tables.clear('sms.days');
  if (count === 0) return;
  await tables.insert('sms.outbox', olderRows(count));
  const days = [OLD, new Date().toISOString()].map((at) => ({ day: at.slice(0, 10), sent: 0 }));
  await tables.insert('sms.days', days);
}

const OLD = '2026-01-01T00:00:00.000Z';

const olderRows = (count: number) =>
  people(count, 2_000_000).map(({ phone, ...parameters }, index) => ({
    ...{ phone_number: String(phone), class: 'marketing', status: 'accepted', reason: '' },
    ...{ batch_id: '1748923412000001', template: ID.template_id, signature: ID.signature_id },
    ...{ text: `【云岭商城】${parameters.order}已发货`, parameters: JSON.stringify(parameters) },
    ...{ source: 'SMS · Campaign: send', reference: parameters.order },
    ...{ key: `Winter|${String(phone)}`, phone_data: `sms_recipients:${index}` },
    ...{ run: `1:${index}`, sent_at: OLD },
  }));

/** Begins to measure. The function that it returns gives what it took. */
function timed(): () => Pick<Figures, 'wallMs' | 'used'> {
  const used = measure();
  const before = performance.now();
  return () => ({ wallMs: performance.now() - before, used: used() });
}

/** @throws Error when somebody got none, or two */
function requireEachOnce({ gateway: { state } }: Account, size: number): void {
  const once = [...state.accepted.values()].filter((count) => count === 1).length;
  if (once !== size || state.accepted.size !== size) throw new Error(`${once} of ${size} got one.`);
}
