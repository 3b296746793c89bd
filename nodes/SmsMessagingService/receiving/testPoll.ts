import { randomUUID } from 'node:crypto';
import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { ServiceClient } from '../service/client';
import { forEachEvent, sampleItems, toItems } from './events';
import { pullPage } from './pullPage';
import { readSettings, TRIGGER_OPTIONS } from './triggerFields';

/**
 * Returns the items of a test in the editor: sample records, or one page of each event.
 *
 * @throws NodeApiError or NodeOperationError if nothing could be pulled
 */
export async function pollForTest(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
  const { events, pullSize, repeatFailed, testData, timeout: timeoutMs } = readSettings(context);
  const items: INodeExecutionData[] = [];
  if (testData !== 'live') {
    const pageId = repeatFailed ? 'sample-page-1' : undefined;
    for (const event of events) items.push(...sampleItems(event, pageId));
    return [items];
  }
  const client = await ServiceClient.create(context);
  const tasks = events.map((event) => ({ event }));
  const { failure } = await forEachEvent(context.getNode(), tasks, async ({ event }) => {
    const sizeField = TRIGGER_OPTIONS.pullSize.label;
    const request = { sizeField, timeoutMs, task: 'trigger' as const };
    const pulled = await pullPage(client, event, pullSize, request);
    // All records are shown: what a test pulls never comes again.
    const pageId = repeatFailed ? randomUUID() : undefined;
    for (const item of toItems(event, pulled.page, pageId)) items.push(item);
    if (pulled.kind !== 'page') throw pulled.error;
    // The editor shows no hint beside the output of a trigger.
    if (pulled.emptyBy) context.logger.info(pulled.emptyBy);
  });
  if (failure) {
    if (items.length === 0) throw failure;
    // The records of the other event are gone from the service, so they are shown nevertheless.
    context.logger.warn(failure.message);
  }
  return items.length === 0 ? null : [items];
}
