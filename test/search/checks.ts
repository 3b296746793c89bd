import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { DeduplicationStore } from '../engine/harness/deduplicationStore';
import type { Harness } from '../engine/harness';
import { byId } from '../engine/harness/locators';
import { CONTINUE, phone } from '../engine/harness/sends';
import type { Gateway } from '../sandbox/gateway';

/**
 * Random runs, first checked only and then for real. What the check says is compared with what the
 * gateway then does.
 */

const GOOD = [0, 1, 2, 3].map(phone);
const PHONES = [...GOOD, `+86 ${GOOD[0]}`, 'nonsense', '1390013 1390', ''];

const VALUES = ['4821', '5', '张三', '😀', '很长的一段文字'.repeat(12), '', 7, null];

/** Templates and signatures with these IDs are in the sandbox, apart from the last ones. 304 is disabled. */
const TEMPLATES = [301, 302, 303, 304, 999];
const SIGNATURES = [201, 202, 299];

const PARAMETERS = ['code', 'minutes', 'name', 'order', 'date', 'extra'];

export interface Scenario {
  operation: 'sendTemplate' | 'sendCustom';
  items: {
    phones: string[];
    template: number;
    signature: number;
    params: Record<string, unknown>;
    content: string;
    key: unknown;
    user: string;
  }[];
  options: { batchSize: number; duplicateNumbers: 'allow' | 'merge' };
  hasKeys: boolean;
  maxMessages: number | null;
  /** `one`: an expression that is true for the last item only. */
  checkOnly: 'all' | 'one' | 'text';
  onError: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';
}

const mostly = <T>(usual: T[], others: T[]) =>
  fc.oneof(
    { arbitrary: fc.constantFrom(...usual), weight: 6 },
    { arbitrary: fc.constantFrom(...others), weight: 1 },
  );

/** The parameters that a template of the sandbox takes. */
const COMPLETE: Record<number, string[]> = {
  301: ['code', 'minutes'],
  302: ['name', 'order', 'date'],
  303: [],
};

const item = fc
  .record({
    phones: fc.array(mostly(GOOD, PHONES), { minLength: 1, maxLength: 4 }),
    template: mostly([301, 302, 303], TEMPLATES),
    signature: mostly([201, 202], SIGNATURES),
    isComplete: mostly([true], [false]),
    values: fc.array(mostly<unknown>(['4821', '张三'], VALUES), { minLength: 6, maxLength: 6 }),
    names: fc.uniqueArray(fc.constantFrom(...PARAMETERS), { maxLength: 4 }),
    content: fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 150 }),
      // With 【青禾科技】 before it: around one and two full segments.
      mostly([63, 64, 65, 127, 128, 129, 130], [195]).map((length) => '字'.repeat(length)),
    ),
    key: mostly<unknown>(['k1', 'k2', 'k3'], ['', 'order-undefined']),
    user: fc.constantFrom('', 'a'),
  })
  .map(({ isComplete, names, values, ...rest }) => {
    const complete = COMPLETE[rest.template] ?? [];
    const given = isComplete ? complete : names;
    return { ...rest, params: Object.fromEntries(given.map((name, i) => [name, values[i]])) };
  });

export const scenario: fc.Arbitrary<Scenario> = fc.record({
  operation: fc.constantFrom('sendTemplate', 'sendCustom'),
  items: fc.array(item, { minLength: 1, maxLength: 8 }),
  options: fc.record({
    batchSize: fc.integer({ min: 1, max: 6 }),
    duplicateNumbers: fc.constantFrom('allow', 'merge'),
  }),
  hasKeys: fc.boolean(),
  maxMessages: fc.option(fc.integer({ min: 1, max: 12 })),
  checkOnly: fc.constantFrom('all', 'one', 'text'),
  onError: fc.constantFrom('stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'),
});

interface World {
  gateway: Gateway;
  execute: Harness['execute'];
  store: DeduplicationStore;
}

const CHECK_ONLY = {
  all: true,
  one: '={{ $json.isLast }}',
  text: '={{ "true" }}',
};

/** @throws when the check and the send differ, or the check changed anything */
export async function play(scenario: Scenario, { gateway, execute, store }: World): Promise<void> {
  gateway.reset();
  store.clear();
  const items = scenario.items.map((each, index) => ({
    ...each,
    isLast: index === scenario.items.length - 1,
  })) as IDataObject[];
  const sends = () => gateway.requests.filter(({ path }) => path.endsWith('/send'));

  const check = { ...parametersOf(scenario), checkOnly: CHECK_ONLY[scenario.checkOnly] };
  const { output, error } = await execute(node(scenario, check), items, {
    node: { onError: scenario.onError },
  });
  expect(error).toBeUndefined();
  expect(sends()).toEqual([]);
  expect(store.values()).toEqual([]);
  expect(gateway.deliveries().size).toBe(0);
  const checked = itemsOf(output);
  expect(checked.map(({ status }) => status)).toEqual(
    items.map(() => expect.stringMatching(/^(checked|rejected)$/) as string),
  );

  const balance = gateway.state.balance;
  const { json: sent, error: failed } = await execute(
    node(scenario, parametersOf(scenario)),
    items,
    scenario.onError === 'stopWorkflow' ? { node: { onError: 'stopWorkflow' } } : CONTINUE,
  );
  const accepted = [...gateway.deliveries().values()].reduce((sum, count) => sum + count, 0);
  const totals = checked[0]?.run as Totals;
  for (const { run } of checked) expect(run).toEqual(totals);
  expect({ messages: totals.messages, segments: totals.segments }).toEqual({
    messages: accepted,
    segments: balance - gateway.state.balance,
  });
  const isGood = checked.map(({ status }) => status === 'checked');
  if (scenario.onError === 'stopWorkflow')
    expect(failed === undefined).toBe(!isGood.includes(false));
  if (!failed) {
    const isSent = sent.map(({ status }) => status === 'accepted' || status === 'skipped');
    expect(isGood).toEqual(isSent);
  }
  const messages = checked.map(({ messages: each }) => Number(each));
  expect(messages.reduce((sum, each) => sum + each, 0)).toBe(accepted);
  // What the check rejects, the send tries: the service then refuses it.
  const refused = sends().filter(({ outcome }) => outcome !== 'ok');
  if (refused.length === 0) expect(totals.requests).toBe(sends().length);
}

interface Totals {
  requests: number;
  messages: number;
  segments: number;
}

function parametersOf({ options, hasKeys, maxMessages }: Scenario): IDataObject {
  return {
    ...options,
    maxConcurrency: 1,
    userData: '={{ $json.user }}',
    ...(hasKeys && { idempotencyKey: '={{ $json.key }}' }),
    ...(maxMessages !== null && { maxMessages }),
  };
}

function node({ operation }: Scenario, options: IDataObject): INodeParameters {
  const fields =
    operation === 'sendTemplate'
      ? {
          templateId: byId('={{ $json.template }}'),
          parameterMode: 'json',
          parametersJson: '={{ $json.params }}',
        }
      : { content: '={{ $json.content }}' };
  return {
    resource: 'message',
    operation,
    signatureId: byId('={{ $json.signature }}'),
    phoneNumbers: '={{ $json.phones }}',
    ...fields,
    options,
  } as INodeParameters;
}

/** In the order of the input: failures may be on the error branch, with the outcome under `details`. */
function itemsOf(output: Awaited<ReturnType<Harness['execute']>>['output']): IDataObject[] {
  const all = (output ?? []).flatMap((branch) => branch ?? []);
  const indexOf = ({ pairedItem }: (typeof all)[number]) => (pairedItem as { item: number }).item;
  return all
    .sort((a, b) => indexOf(a) - indexOf(b))
    .map(({ json }) => (json.details ?? json) as IDataObject);
}
