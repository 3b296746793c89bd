import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { Breather } from '../n8n/breather';
import { showHint } from '../n8n/output';
import { sentences } from '../service/sentences';
import { RUN_OPTIONS } from './options';
import type { Batch, Outcome, Recipient } from './outcome';
import { collect, ownRecipients, planItems } from './plan';
import type { PlannedItem } from './plan';
import type { Inspect, Inspection, SendRun } from './run';
import { reasonOf } from './runError';
import { outputItem, phoneNumbersJson } from './settle';
import { countSegments } from './text';

/** How many requests, messages and segments a run would make. */
interface Totals {
  requests: number;
  messages: number;
  segments: number;
}

/** The result of checking one input item. */
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
 * Checks a run: plans all of it, and inspects the message of each item. Each item gets one output item with
 * the status `checked` or `rejected`: a check does not stop, whatever the setting On Error.
 */
export async function checkMessages(
  { context, plan, itemCount, read, limit, onError }: SendRun,
  inspect: Inspect,
): Promise<INodeExecutionData[]> {
  const batches = await collect(planItems(plan, itemCount, read, ownRecipients));
  const items = await checkItems(plan.items, inspect);
  const totals = totalsOf(batches, items);
  // All messages count: a send does not know yet which of them the service refuses.
  const messages = batches.reduce((sum, { recipients }) => sum + recipients.length, 0);
  const obstacle = limit.findObstacle(messages);
  const refused = refusalsOf(items);
  showHint(
    context,
    sentences(obstacle?.msg ?? describe(totals, refused), NOTHING_SENT),
    obstacle || refused.messages > 0 ? 'warning' : 'info',
  );
  const output: INodeExecutionData[] = [];
  const breather = new Breather();
  for (const [itemIndex, item] of items.entries()) {
    const json = obstacle ? jsonOf(heldBackItem(item, obstacle), NOTHING) : jsonOf(item, totals);
    const failed = json.status === 'rejected' && onError !== 'stop';
    output.push(outputItem(context.getNode(), { itemIndex, json, failed }, onError));
    if (breather.isDue) await breather.pause();
  }
  return output;
}

const NOTHING_SENT = `Nothing was sent, because '${RUN_OPTIONS.checkOnly.label}' is on.`;

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
function heldBackItem(item: CheckedItem, { msg }: Outcome): CheckedItem {
  const isRejected = item.status === 'rejected';
  return { ...item, status: 'rejected', msg: isRejected ? item.msg : msg, messages: 0 };
}

async function checkItem(
  item: PlannedItem,
  earlier: CheckedItem[],
  inspect: Inspect,
): Promise<CheckedItem> {
  const { text, problem, warnings } = await inspectItem(item, inspect);
  return {
    ...verdictOn(item, problem, earlier),
    warning: sentences(...warnings) || undefined,
    phoneNumbers: item.recipients.map(({ phoneNumber }) => phoneNumber),
    rejectedNumbers: item.unsendable.flatMap(({ phoneNumbers }) => phoneNumbers),
    messages: problem === undefined ? ownRecipients(item).length : 0,
    text,
  };
}

/** Inspects the first message of an item: the others differ only in the phone number. */
async function inspectItem(
  { recipients: [first], group, sameKeyAs }: PlannedItem,
  inspect: Inspect,
): Promise<Inspection> {
  if (!group || !first || sameKeyAs !== undefined) return { warnings: [] };
  return await inspect(group.head.fields, first.message);
}

/** @param problem why the service would refuse the messages of the item */
function verdictOn(
  { unsendable: [refusal], sameKeyAs }: PlannedItem,
  problem: string | undefined,
  earlier: CheckedItem[],
): Pick<CheckedItem, 'status' | 'msg'> {
  if (problem !== undefined) return { status: 'rejected', msg: problem };
  if (refusal) return { status: 'rejected', msg: refusal.outcome.msg };
  if (sameKeyAs === undefined) return { status: 'checked' };
  const other = earlier[sameKeyAs];
  // A send rejects both items if nothing of the first one is sent.
  const isLikeOther = other?.status === 'rejected' && other.messages === 0;
  return {
    status: isLikeOther ? 'rejected' : 'checked',
    msg: `Not sent: item ${sameKeyAs} has the same idempotency key`,
  };
}

/** Counts what the service would accept. What it would refuse shares no request with other messages. */
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
    ...phoneNumbersJson(item.phoneNumbers),
    rejected_numbers: item.rejectedNumbers.length > 0 ? item.rejectedNumbers : undefined,
    messages: item.messages,
    text,
    characters: text?.length,
    segments: text === undefined ? undefined : countSegments(text),
    warning: item.warning,
    run,
  } satisfies IDataObject;
}

/** How many messages the service would refuse, and why it would refuse the first one. */
interface Refusals {
  messages: number;
  why: string;
}

function refusalsOf(items: CheckedItem[]): Refusals {
  const isRefused = ({ status }: CheckedItem) => status === 'rejected';
  // An item that was refused before its numbers were read counts as one message.
  const countOf = ({ phoneNumbers, rejectedNumbers, messages }: CheckedItem) =>
    Math.max(1, phoneNumbers.length + rejectedNumbers.length - messages);
  const first = items.findIndex(isRefused);
  return {
    messages: items.filter(isRefused).reduce((sum, item) => sum + countOf(item), 0),
    why: `item ${first}: ${reasonOf(items[first])}`,
  };
}

/** For instance `297 of 300 messages can be sent, about 594 segments. 3 would be refused, first item 12: <reason>`. */
function describe({ messages, segments, requests }: Totals, refused: Refusals): string {
  const all = count(messages + refused.messages, 'message');
  if (messages === 0 && refused.messages > 0)
    return `Of ${all}, none can be sent, first ${refused.why}`;
  return sentences(
    `${refused.messages > 0 ? `${messages} of ` : ''}${all} can be sent, about ${count(segments, 'segment')} in ${count(requests, 'request')}`,
    refused.messages > 0 && `${refused.messages} would be refused, first ${refused.why}`,
  );
}

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;
