import type { INodeExecutionData } from 'n8n-workflow';
import { Breather } from '../n8n/breather';
import { showHint } from '../n8n/output';
import { sentences } from '../service/sentences';
import { RUN_OPTIONS } from './options';
import { collect } from './plan';
import type { Batch, PlannedItem } from './plan';
import type { Inspect, Inspection, SendRun } from './run';
import { reasonOf } from './runError';
import { outputItem, phoneNumbersJson } from './settle';
import { countSegments } from './text';

type CheckedItem = Awaited<ReturnType<typeof checkItem>>;

/**
 * Checks a run: plans all of it, and inspects the message of each item. Each item gets one output item with
 * the status `checked` or `rejected`. The check itself does not stop.
 */
export async function checkMessages(run: SendRun, inspect: Inspect): Promise<INodeExecutionData[]> {
  const { context, plan, itemCount, isStopping } = run;
  const node = context.getNode();
  const batches = await collect(plan.requests(itemCount));
  const items: CheckedItem[] = [];
  const breather = new Breather();
  for (const item of plan.items) {
    items.push(await checkItem(item, inspect));
    if (breather.isDue) await breather.pause();
  }
  showHint(context, ...hintOf(run, items, batches));
  return items.map((json, itemIndex) => {
    const failed = json.status === 'rejected' && !isStopping;
    return outputItem(node, { itemIndex, json, failed });
  });
}

async function checkItem(item: PlannedItem, inspect: Inspect) {
  const { text, problem, warnings } = await inspectItem(item, inspect);
  const { recipients, unsendable } = item;
  const { msg, advice } = unsendable?.outcome ?? { msg: problem };
  const phoneNumbers = recipients.map(({ phoneNumber }) => phoneNumber);
  return {
    status: msg === undefined ? 'checked' : 'rejected',
    msg,
    advice,
    ...phoneNumbersJson(recipients.length > 0 ? phoneNumbers : (unsendable?.phoneNumbers ?? [])),
    text,
    characters: text?.length,
    segments: text === undefined ? undefined : countSegments(text),
    warning: sentences(...warnings) || undefined,
  };
}

/** Inspects the first message of an item: the others differ only in the phone number. */
async function inspectItem(
  { recipients: [first], group, warnings: own = [] }: PlannedItem,
  inspect: Inspect,
): Promise<Inspection> {
  if (!group || !first) return { warnings: [] };
  const { warnings, ...inspection } = await inspect(group.shared.fields, first.message);
  return { ...inspection, warnings: [...own, ...warnings] };
}

/** What a send would do, and whether somebody has to look at it. */
function hintOf(
  { options }: SendRun,
  items: CheckedItem[],
  batches: Batch[],
): [text: string, type: 'info' | 'warning'] {
  const rejected = items.filter(({ status }) => status === 'rejected');
  const [first] = rejected;
  const reason = first && `first item ${items.indexOf(first)}: ${reasonOf(first)}`;
  const warnings = describeWarnings(items.map(({ warning }) => warning));
  const limits = ['maxMessages', 'maxPerNumberAndDay'] as const;
  const uncounted = limits.filter((name) => options[name] < Infinity);
  const text = sentences(
    describeMessages(items, batches),
    reason && `Rejected: ${counted(rejected.length, 'item')}, ${reason}`,
    warnings,
    ...uncounted.map((name) => `A check does not count for '${RUN_OPTIONS[name].label}'`),
    `Nothing was sent, because '${RUN_OPTIONS.checkOnly.label}' is on`,
  );
  return [text, (first ?? warnings) ? 'warning' : 'info'];
}

/** For instance `300 messages can be sent, about 600 segments`. */
function describeMessages(items: CheckedItem[], batches: Batch[]): string {
  const checked = batches
    .flatMap(({ recipients }) => recipients.map(({ item }) => items[item.itemIndex]))
    .filter((item) => item?.status === 'checked');
  if (checked.length === 0) return 'No message can be sent';
  const segments = checked.reduce((sum, item) => sum + (item?.segments ?? 1), 0);
  return `${counted(checked.length, 'message')} can be sent, about ${counted(segments, 'segment')}`;
}

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

const counted = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;
