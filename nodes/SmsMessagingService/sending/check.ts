import type { INodeExecutionData } from 'n8n-workflow';
import { Breather } from '../n8n/breather';
import { showHint } from '../n8n/output';
import { sentences } from '../service/sentences';
import { RUN_OPTIONS } from './options';
import type { Batch } from './outcome';
import { collect } from './plan';
import type { PlannedItem } from './plan';
import type { Inspect, Inspection, SendRun } from './run';
import { reasonOf } from './runError';
import { outputItem, phoneNumbersJson } from './settle';
import { countSegments } from './text';

interface CheckedItem extends ReturnType<typeof phoneNumbersJson> {
  status: 'checked' | 'rejected';
  msg?: string;
  advice?: string;
  text?: string;
  characters?: number;
  segments?: number;
  warning?: string;
}

/**
 * Checks a run: plans all of it, and inspects the message of each item. Each item gets one output item with
 * the status `checked` or `rejected`. The check itself does not stop.
 */
export async function checkMessages(run: SendRun, inspect: Inspect): Promise<INodeExecutionData[]> {
  const { context, plan, itemCount, reading, onError } = run;
  const batches = await collect(plan.requests(itemCount, reading));
  const items: CheckedItem[] = [];
  const output: INodeExecutionData[] = [];
  const breather = new Breather();
  for (const [itemIndex, item] of plan.items.entries()) {
    const json = await checkItem(item, inspect);
    const failed = json.status === 'rejected' && onError !== 'stop';
    items.push(json);
    output.push(outputItem(context.getNode(), { itemIndex, json: { ...json }, failed }, onError));
    if (breather.isDue) await breather.pause();
  }
  showHint(context, ...hintOf(run, items, batches));
  return output;
}

async function checkItem(item: PlannedItem, inspect: Inspect): Promise<CheckedItem> {
  const { text, problem, warnings } = await inspectItem(item, inspect);
  const { recipients, unsendable } = item;
  const { msg, advice } = unsendable?.outcome ?? { msg: problem };
  return {
    status: problem === undefined && !unsendable ? 'checked' : 'rejected',
    msg,
    advice,
    ...phoneNumbersJson(
      recipients.length > 0
        ? recipients.map(({ phoneNumber }) => phoneNumber)
        : (unsendable?.phoneNumbers ?? []),
    ),
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
  { onError, options }: SendRun,
  items: CheckedItem[],
  batches: Batch[],
): [text: string, type: 'info' | 'warning'] {
  const rejected = items.filter(({ status }) => status === 'rejected');
  const [first] = rejected;
  const reason = first && `first item ${items.indexOf(first)}: ${reasonOf(first)}`;
  const warnings = describeWarnings(items.map(({ warning }) => warning));
  const uncounted = LIMITS.filter((name) => options[name] < Infinity);
  const text = sentences(
    describeMessages(items, batches),
    reason && `Rejected: ${counted(rejected.length, 'item')}, ${reason}`,
    first && onError === 'stop' && STOPS,
    warnings,
    ...uncounted.map((name) => `A check does not count for '${RUN_OPTIONS[name].label}'`),
    `Nothing was sent, because '${RUN_OPTIONS.checkOnly.label}' is on`,
  );
  return [text, (first ?? warnings) ? 'warning' : 'info'];
}

const LIMITS = ['maxMessages', 'maxPerNumberAndDay'] as const;

const STOPS = "A send stops with an error, because 'On Error' is 'Stop Workflow'";

/** For instance `300 messages can be sent, about 600 segments`. */
function describeMessages(items: CheckedItem[], batches: Batch[]): string {
  const checked = batches
    .flatMap(({ recipients }) => recipients.map(({ itemIndex }) => items[itemIndex]))
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
