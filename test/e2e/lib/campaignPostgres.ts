import { expect } from '@playwright/test';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Gateway } from '../../sandbox/gateway';
import { everySeconds, handOverTo, LOGIN } from './campaign';
import type { Credential, Workflow, WorkflowFile } from './client';
import { DataTables } from './dataTables';
import { picked, readDesk, withChoices } from './workflowFiles';
import { fieldsWith, withFields } from './fields';
import type { Connection, Outbox } from './outbox';
import type { QueueMode } from './queue';
import { WEBHOOK_KEY } from './webhookKey';
import { chain, ownNode } from './workflow';

export const CAMPAIGN = 'spring <b>';

/** Values of the node “Settings”. */
type Values = Record<string, number | string>;

/** The workflow as its user has filled it in. */
export function chosen(values: Values, secondsInterval: number): WorkflowFile {
  const example = readDesk('campaign-postgres');
  return withChoices(example, {
    'Every ten seconds': everySeconds(secondsInterval),
    Settings: settings(values),
    'Send the portion': { templateId: picked(302), signatureId: picked(202) },
  });
}

/** The parameters of the node “Settings”, with these values. */
export function settings(values: Values): INodeParameters {
  return fieldsWith(readDesk('campaign-postgres'), 'Settings', values);
}

/** The workflows beside the one that sends. */
export async function importParts(
  { client }: QueueMode,
  credentials: Credential[],
): Promise<Record<'load' | 'page' | 'reports', Workflow>> {
  const part = async (name: string) =>
    await client.importWorkflow(readDesk(`campaign-postgres-${name}`), credentials);
  return { load: await part('load'), page: await part('page'), reports: await part('reports') };
}

/** A trigger that hands delivery reports to the campaign, as the inbox does. */
export function inboxFor(
  workflow: Workflow,
  credentials: Credential[],
  maxRecordsPerPoll: number,
): WorkflowFile {
  const account = credentials.find(({ type }) => type === 'smsMessagingServiceApi') as Credential;
  const trigger = ownNode(
    'smsMessagingServiceTrigger',
    'Reports',
    {
      pollTimes: { item: [{ mode: 'everyMinute' }] },
      events: ['deliveryReport'],
      options: { pullSize: 1_000, itemsPerExecution: 1_000, maxRecordsPerPoll },
    },
    account,
  );
  return {
    ...chain('Inbox', trigger, handOverTo(workflow)),
    settings: { executionOrder: 'v1', saveDataSuccessExecution: 'none' },
  };
}

/** The credentials that the workflow asks for. */
export async function credentialsFor(
  { client }: QueueMode,
  gateway: Gateway,
  { database }: Outbox,
): Promise<Credential[]> {
  const create = async (type: string, data: object) =>
    await client.createCredential(type, type, data as IDataObject);
  return [
    await create('smsMessagingServiceApi', gateway.credential()),
    await create('postgres', { ...database, ssl: 'disable', maxConnections: 10 }),
    await create('httpHeaderAuth', WEBHOOK_KEY),
    await create('httpBasicAuth', LOGIN),
  ];
}

/** Puts numbers on the list of opt-outs, the first one as people write it. */
export async function optOut(
  { client }: QueueMode,
  [first = '', ...others]: string[],
): Promise<void> {
  const tables = new DataTables(client);
  await tables.createShared();
  const written = `+86 ${first.slice(0, 3)} ${first.slice(3, 7)} ${first.slice(7)}`;
  const rows = [written, ...others].map((phone_number) => ({
    phone_number,
    word: 'TD',
    since: '',
  }));
  await tables.insert('sms_opt_outs', rows);
}

export interface Row {
  phone_number: string;
}

export function numbersOf(rows: Row[]): string[] {
  return rows.map(({ phone_number }) => phone_number);
}

export function numbers(from: number, to: number): string[] {
  return Array.from(
    { length: to - from },
    (_, index) => `139${String(from + index).padStart(8, '0')}`,
  );
}

export async function load(outbox: Outbox, count: number, campaign = CAMPAIGN): Promise<void> {
  const rows = numbers(0, count).map((phone_number) => ({ phone_number, parameters: {} }));
  await outbox.run('Add to the outbox', [campaign, JSON.stringify(rows)]);
}

interface Claim {
  campaign?: string;
  optedOut?: string[];
  connection?: Connection;
}

/** The phone numbers of the rows that are claimed. */
export async function claim(
  outbox: Outbox,
  portion: string,
  size: number,
  { campaign = CAMPAIGN, optedOut = [], connection }: Claim = {},
): Promise<string[]> {
  const values = [portion, size, campaign, JSON.stringify(optedOut)];
  return numbersOf(await outbox.run<Row>('Claim a portion', values, connection));
}

export async function look(
  outbox: Outbox,
  { minutes = 15, hours = 72, campaign = CAMPAIGN } = {},
): Promise<unknown> {
  return (await outbox.run('Look at the outbox', [minutes, hours, campaign]))[0];
}

/** Gives the rows of a portion the same outcome. */
export async function settle(
  outbox: Outbox,
  portion: string,
  status: string,
  rows: string[],
  campaign = CAMPAIGN,
): Promise<void> {
  const outcomes = rows.map((phone_number) => ({
    phone_number,
    status,
    batch_id: '',
    reason: 'no',
  }));
  await outbox.run('Settle the portion', [portion, JSON.stringify(outcomes), campaign]);
}

export async function report(outbox: Outbox, reports: IDataObject[]): Promise<void> {
  const list = reports.map((each) => ({ reason: '', ...each }));
  await outbox.run('Reports to rows', [JSON.stringify(list)]);
}

/** What a page shows of a campaign that it warns about. */
interface Warned {
  token: string;
  warned: number;
  known: IDataObject[];
}

/** Opens the page with the warning of a campaign. */
export async function warn(outbox: Outbox, campaign = CAMPAIGN): Promise<Warned | undefined> {
  const rows = await outbox.run<Warned & { status: string }>('Count the rows', [campaign]);
  return rows.find(({ token, status }) => token && status === 'unknown');
}

/** Presses the button of a warning. Gives back how many rows are pending again. */
export async function again(outbox: Outbox, token = '', onTheirWay = 0): Promise<number> {
  const [made] = await outbox.run<{ rows: number }>('Make the unknown pending', [
    token,
    onTheirWay,
  ]);
  return made?.rows ?? 0;
}

/** Checks that the line for it makes only the refused rows of the campaign that it names pending. */
export async function expectPendingAgain(
  { client }: QueueMode,
  outbox: Outbox,
  reports: Workflow,
): Promise<void> {
  const { nodes } = withFields(reports, 'Which campaign', { campaign: CAMPAIGN });
  const workflow = await client.updateWorkflow(reports.id, { nodes });
  for (const campaign of [CAMPAIGN, 'other']) {
    await load(outbox, 1, campaign);
    await claim(outbox, campaign, 1, { campaign });
    await settle(outbox, campaign, 'failed', numbers(0, 1), campaign);
  }
  const again = await client.run(workflow, 'Send the refused ones again');
  expect(again.status).toBe('success');
  expect(await outbox.server.any('SELECT campaign, status FROM sms_outbox ORDER BY id')).toEqual([
    { campaign: CAMPAIGN, status: 'pending' },
    { campaign: 'other', status: 'failed' },
  ]);
  await outbox.server.any('TRUNCATE sms_outbox, sms_pauses');
}
