import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@playwright/test';

import type { N8nClient } from '../../kit/n8n/client';
import { errorOf, itemsOf, type Execution, type Workflow } from '../../kit/n8n/client';
import { POLL_EVERY_S, TICK_LIMIT_MS, TRIGGER } from './drains';
import { executionsOf } from '../../../desk/kit/inbox';

/** Waits while the triggers of `workflowFor` poll at least twice. */
export async function aFewPolls(): Promise<void> {
  await sleep(2.2 * POLL_EVERY_S * 1_000);
}

/**
 * The batches of the records that the trigger has put out, in all executions of a workflow: each record
 * of the sandbox has a batch of its own.
 */
export async function handedOver(client: N8nClient, workflow: Workflow): Promise<string[]> {
  const executions = await executionsOf(client, workflow);
  return executions
    .flatMap((each) => itemsOf(each, TRIGGER))
    .map(({ json }) => String(json.batch_id));
}

/** Waits until so many records have come, and checks that none of them came twice, also later. */
export async function comeOnce(
  client: N8nClient,
  workflow: Workflow,
  count: number,
): Promise<void> {
  const different = async () => new Set(await handedOver(client, workflow)).size;
  const message = 'different records in executions';
  const timeout = TICK_LIMIT_MS;
  await expect.poll(different, { message, timeout, intervals: [1_000] }).toBe(count);
  await aFewPolls();
  expect(await handedOver(client, workflow), 'records in executions').toHaveLength(count);
}

/** What the failed executions of a workflow say, oldest first. */
export async function failures(client: N8nClient, workflow: Workflow): Promise<string[]> {
  const executions = await executionsOf(client, workflow);
  return executions.filter(({ status }) => status === 'error').map(messageOf);
}

function messageOf(execution: Execution): string {
  const error = execution.data.resultData.error;
  return [errorOf(execution), error && 'description' in error ? error.description : '']
    .filter(Boolean)
    .join(' ');
}

/** Waits until an execution of a workflow has failed with such a message. */
export async function failsWith(
  client: N8nClient,
  workflow: Workflow,
  message: RegExp,
): Promise<void> {
  const said = async () => (await failures(client, workflow)).join('\n');
  await expect.poll(said, { timeout: TICK_LIMIT_MS, intervals: [1_000] }).toMatch(message);
}
