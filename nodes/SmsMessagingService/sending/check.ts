import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { Breather } from '../n8n/breather';
import { showHint } from '../n8n/hints';
import { countSegments } from './inspect';
import type { Inspect, Inspection } from './inspect';
import { RUN_OPTIONS } from './options';
import type { Batch, Outcome, Recipient } from './outcome';
import { collect, ownRecipients, planItems } from './plan';
import type { PlannedItem } from './plan';
import type { SendRun } from './run';
import { sentences } from '../service/sentences';
import { outputItem } from './settle';

/** What a run would send. */
interface Totals {
  requests: number;
  messages: number;
  segments: number;
}

/** What was found out about one input item. */
interface CheckedItem {
  status: 'checked' | 'rejected';
  msg?: string;
  warning?: string;
  phoneNumbers: string[];
  rejectedNumbers: string[];
  /** Number of messages that would be sent. */
  messages: number;
  text?: string;
}

/**
 * Checks a run: plans all of it, and looks at the message of each item. Each item gets one output item
 * with the status `checked` or `rejected`. The setting to stop on errors does not hide the other items.
 */
export async function checkMessages(
  { context, plan, itemCount, read, limit, onError }: SendRun,
  inspect: Inspect,
): Promise<INodeExecutionData[]> {
  const batches = await collect(planItems(plan, itemCount, read, ownRecipients));
  const items = await checkItems(plan.items, inspect);
  const totals = totalsOf(batches, items);
  // A send counts before it knows what the service refuses.
  const messages = batches.reduce((sum, { recipients }) => sum + recipients.length, 0);
  const obstacle = limit.obstacle(messages);
  showHint(
    context,
    `Nothing was sent: ${RUN_OPTIONS.checkOnly.label} is on. ${obstacle?.msg ?? describe(totals)}`,
  );
  const output: INodeExecutionData[] = [];
  const breather = new Breather();
  for (const [itemIndex, item] of items.entries()) {
    const json = obstacle ? jsonOf(heldBack(item, obstacle), NOTHING) : jsonOf(item, totals);
    const failed = json.status === 'rejected' && onError !== 'stop';
    output.push(outputItem(context.getNode(), { itemIndex, json, failed }, onError));
    if (breather.isDue) await breather.pause();
  }
  return output;
}

const NOTHING: Totals = { requests: 0, messages: 0, segments: 0 };

async function checkItems(planned: PlannedItem[], inspect: Inspect): Promise<CheckedItem[]> {
  const items: CheckedItem[] = [];
  const breather = new Breather();
  for (const item of planned) {
    items.push(await checkItem(item, items, inspect));
    if (breather.isDue) await breather.pause();
  }
  return items;
}

/** An item of a run that must send nothing. */
function heldBack(item: CheckedItem, { msg }: Outcome): CheckedItem {
  const isRejected = item.status === 'rejected';
  return { ...item, status: 'rejected', msg: isRejected ? item.msg : msg, messages: 0 };
}

async function checkItem(
  item: PlannedItem,
  earlier: CheckedItem[],
  inspect: Inspect,
): Promise<CheckedItem> {
  const { recipients, unsendable, group, sameKeyAs } = item;
  const [first] = sameKeyAs === undefined ? recipients : [];
  const { text, problem, warnings }: Inspection =
    group && first ? await inspect(group.head.fields, first.message) : { warnings: [] };
  const [refusal] = unsendable;
  const other = sameKeyAs === undefined ? undefined : earlier[sameKeyAs];
  // Its key is free again where nothing of the other item would be sent.
  const isLikeOther = other?.status === 'rejected' && other.messages === 0;
  const isRejected = problem !== undefined || refusal !== undefined || isLikeOther;
  return {
    status: isRejected ? 'rejected' : 'checked',
    msg:
      problem ??
      refusal?.outcome.msg ??
      (other && `Not sent: item ${sameKeyAs} has the same idempotency key`),
    warning: sentences(...warnings) || undefined,
    phoneNumbers: recipients.map(({ phoneNumber }) => phoneNumber),
    rejectedNumbers: unsendable.flatMap(({ phoneNumbers }) => phoneNumbers),
    messages: problem === undefined ? ownRecipients(item).length : 0,
    text,
  };
}

/** Without the messages that the service would refuse: they share no request with others. */
function totalsOf(batches: Batch[], items: CheckedItem[]): Totals {
  const isSent = ({ itemIndex }: Recipient) => (items[itemIndex]?.messages ?? 0) > 0;
  const recipients = batches.flatMap((batch) => batch.recipients.filter(isSent));
  return {
    requests: batches.filter((batch) => batch.recipients.some(isSent)).length,
    messages: recipients.length,
    segments: recipients.reduce(
      (sum, { itemIndex }) => sum + countSegments(items[itemIndex]?.text ?? ''),
      0,
    ),
  };
}

function jsonOf({ text, ...item }: CheckedItem, run: Totals) {
  return {
    status: item.status,
    msg: item.msg,
    phone_numbers: item.phoneNumbers,
    rejected_numbers: item.rejectedNumbers.length > 0 ? item.rejectedNumbers : undefined,
    messages: item.messages,
    characters: text?.length,
    segments: text === undefined ? undefined : countSegments(text),
    warning: item.warning,
    run,
  } satisfies IDataObject;
}

/** For instance `A send would make 3 requests with 250 messages, about 500 segments.` */
function describe({ requests, messages, segments }: Totals): string {
  const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;
  return `A send would make ${count(requests, 'request')} with ${count(messages, 'message')}, about ${count(segments, 'segment')}.`;
}
