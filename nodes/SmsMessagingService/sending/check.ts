import type { INodeExecutionData } from 'n8n-workflow';
import { Breather } from '../n8n/breather';
import { showHint } from '../n8n/output';
import { sentences } from '../service/sentences';
import { countMessages } from './messageLimit';
import { RUN_OPTIONS } from './options';
import type { News, Recipient } from './outcome';
import { findBlock, collect, ownRecipients, planItems } from './plan';
import type { PlannedItem } from './plan';
import { describeRepeated } from './repeatedNumbers';
import type { Inspect, Inspection, SendRun } from './run';
import { describeUnsendable, reasonOf, TO_SEND_THE_OTHERS } from './runError';
import { outputItem, phoneNumbersJson } from './settle';
import type { PhoneNumbersJson } from './settle';
import { countSegments } from './text';

/** What a check says of one input item. */
interface CheckedItem extends PhoneNumbersJson {
  status: 'checked' | 'rejected';
  msg?: string;
  advice?: string;
  /** Texts that are not phone numbers. */
  rejected_numbers?: string[];
  /** Number of messages that would be sent. */
  messages: number;
  text?: string;
  characters?: number;
  segments?: number;
  warning?: string;
}

/**
 * Checks a run: plans all of it, and inspects the message of each item. Each item gets one output item with
 * the status `checked` or `rejected`: what a send would do, with the node's own On Error. The check itself
 * does not stop.
 */
export async function checkMessages(
  sendRun: SendRun,
  inspect: Inspect,
): Promise<INodeExecutionData[]> {
  const { context, plan, itemCount, reading, limit, onError } = sendRun;
  const batches = await collect(planItems(plan, itemCount, reading));
  const checked: CheckedItem[] = [];
  const breather = new Breather();
  for (const item of plan.items) {
    checked.push(await checkItem(item, checked, inspect));
    if (breather.isDue) await breather.pause();
  }
  // All messages count: a send does not know yet which of them the service refuses.
  const blocked = onError === 'stop' ? findBlock(plan) : undefined;
  const obstacle = blocked ?? limit.findObstacle(countMessages(batches));
  const items = obstacle ? checked.map((item) => heldBack(item, obstacle)) : checked;
  const sendable = batches.map(({ recipients }) =>
    recipients.filter(({ itemIndex }) => (items[itemIndex]?.messages ?? 0) > 0),
  );
  const run = {
    ...totalsOf(sendable, items),
    warning: describeRepeated(
      sendable.flat().map(({ phoneNumber }) => phoneNumber),
      sendRun,
    ),
  };
  showHint(context, ...hintOf(sendRun, items, { blocked, obstacle, run }));
  const output: INodeExecutionData[] = [];
  for (const [itemIndex, item] of items.entries()) {
    const failed = item.status === 'rejected' && onError !== 'stop';
    const json = { ...item, run };
    output.push(outputItem(context.getNode(), { itemIndex, json, failed }, onError));
    if (breather.isDue) await breather.pause();
  }
  return output;
}

/** What a send would do, and whether somebody has to look at it. */
function hintOf(
  { plan, onError, options }: SendRun,
  items: CheckedItem[],
  { blocked, obstacle, run }: RunCheck,
): [text: string, type: 'info' | 'warning'] {
  const isAllGood = items.every(({ status }) => status === 'checked');
  const warnings = sentences(run.warning, describeWarnings(items.map(({ warning }) => warning)));
  const isAnySendable = plan.items.some(({ recipients }) => recipients.length > 0);
  const whatHappens = blocked
    ? [
        describeUnsendable(items.length, plan.unsendable, 'a send would send nothing'),
        items.length > 1 ? isAnySendable && TO_SEND_THE_OTHERS : SENDS_NOTHING,
      ]
    : [obstacle?.msg ?? describe(run, items), !isAllGood && onError === 'stop' && STOPS];
  return [
    sentences(
      ...whatHappens,
      warnings,
      options.maxPerNumberAndDay < Infinity && DOES_NOT_COUNT,
      `Nothing was sent, because '${RUN_OPTIONS.checkOnly.label}' is on`,
    ),
    isAllGood && warnings === '' ? 'info' : 'warning',
  ];
}

/** What a check has found about the run as a whole. */
interface RunCheck {
  /** What keeps all from being sent, because an item cannot be. */
  blocked?: News;
  /** What keeps all from being sent. */
  obstacle?: News;
  run: ReturnType<typeof totalsOf> & { warning?: string };
}

const DOES_NOT_COUNT = `A check does not count for '${RUN_OPTIONS.maxPerNumberAndDay.label}'`;

const SENDS_NOTHING = 'A send would stop with this error, and send nothing';

const STOPS = "Then the node stops with an error, because 'On Error' is 'Stop Workflow'";

/**
 * What somebody must look at, and how many items it is about. Undefined if there is nothing.
 *
 * @param warnings the warning of each item, if it has one
 */
export function describeWarnings(warnings: (string | undefined)[]): string | undefined {
  const itemIndex = warnings.findIndex(Boolean);
  if (warnings.length < 2 || itemIndex < 0) return warnings[0];
  const number = warnings.filter(Boolean).length;
  return `${counted(number, 'item')} with a warning, first item ${itemIndex}: ${warnings[itemIndex]}`;
}

async function checkItem(
  item: PlannedItem,
  earlier: CheckedItem[],
  inspect: Inspect,
): Promise<CheckedItem> {
  const { text, problem, warnings } = await inspectItem(item, inspect);
  const { unsendable } = item;
  const isRefused = unsendable?.outcome.unsendable === 'item';
  return {
    ...statusOf(item, problem, earlier),
    ...phoneNumbersJson(
      isRefused ? unsendable.phoneNumbers : item.recipients.map(({ phoneNumber }) => phoneNumber),
    ),
    rejected_numbers: isRefused ? undefined : unsendable?.phoneNumbers,
    messages: problem === undefined ? ownRecipients(item).length : 0,
    text,
    characters: text?.length,
    segments: text === undefined ? undefined : countSegments(text),
    warning: sentences(...warnings) || undefined,
  };
}

/** Inspects the first message of an item: the others differ only in the phone number. */
async function inspectItem(
  { recipients: [first], group, sameKeyAs, warnings: own = [] }: PlannedItem,
  inspect: Inspect,
): Promise<Inspection> {
  if (!group || !first || sameKeyAs !== undefined) return { warnings: [] };
  const { warnings, ...inspection } = await inspect(group.shared.fields, first.message);
  return { ...inspection, warnings: [...own, ...warnings] };
}

/** @param problem why the service would refuse the messages of the item */
function statusOf(
  { unsendable, sameKeyAs }: PlannedItem,
  problem: string | undefined,
  earlier: CheckedItem[],
): Pick<CheckedItem, 'status' | 'msg' | 'advice'> {
  if (problem !== undefined) return { status: 'rejected', msg: problem };
  if (unsendable) {
    const { msg, advice } = unsendable.outcome;
    return { status: 'rejected', msg, advice };
  }
  if (sameKeyAs === undefined) return { status: 'checked' };
  const other = earlier[sameKeyAs];
  // A send rejects both items if nothing of the first one is sent.
  const isLikeOther = other?.status === 'rejected' && other.messages === 0;
  return {
    status: isLikeOther ? 'rejected' : 'checked',
    msg: `Not sent: item ${sameKeyAs} has the same idempotency key`,
  };
}

/** An item of a run that must send nothing. */
function heldBack(item: CheckedItem, { msg }: News): CheckedItem {
  const isRejected = item.status === 'rejected';
  return { ...item, status: 'rejected', msg: isRejected ? item.msg : msg, messages: 0 };
}

/** Counts what the service would accept. What it would refuse shares no request with other messages. */
function totalsOf(requests: Recipient[][], items: CheckedItem[]) {
  const segments = requests.flat().map(({ itemIndex }) => items[itemIndex]?.segments ?? 1);
  return {
    requests: requests.filter(({ length }) => length > 0).length,
    messages: segments.length,
    segments: segments.reduce((sum, each) => sum + each, 0),
  };
}

/**
 * For instance `297 messages can be sent, about 594 segments in 3 requests. Rejected: 2 items, first item 12:
 * <reason>`. A single item needs no number, and no message no count.
 */
function describe(
  { messages, segments, requests }: ReturnType<typeof totalsOf>,
  items: CheckedItem[],
): string {
  const rejected = items.filter(({ status }) => status === 'rejected');
  const [first] = rejected;
  const can =
    messages === 0
      ? 'No message can be sent'
      : `${counted(messages, 'message')} can be sent, about ${counted(segments, 'segment')} in ${counted(requests, 'request')}`;
  if (!first) return can;
  const reason = reasonOf(first);
  if (items.length > 1) {
    return sentences(
      can,
      `Rejected: ${counted(rejected.length, 'item')}, first item ${items.indexOf(first)}: ${reason}`,
    );
  }
  return messages === 0 ? `${can}: ${reason}` : sentences(can, `The rest cannot: ${reason}`);
}

const counted = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;
