import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Harness } from '../kit/engine';
import { byId } from '../kit/engine/locators';
import { phone } from '../kit/engine/sends';
import { itemOf, outcomeOf } from './sends/claims';
import { searchSends } from './sends/world';
import type { World } from './sends/world';
import { weighed } from '../kit/search/settings';
import type { Made } from '../kit/search/settings';

/**
 * Random runs, first checked only and then for real. What the check says is compared with what the
 * gateway then does.
 */

const GOOD = [0, 1, 2, 3].map(phone);
const OTHERS = [`+86 ${GOOD[0]}`, 'nonsense', '1390013 1390', ''];

/** The parameters that a template of the sandbox takes. */
const TEMPLATES: Record<number, string[]> = {
  301: ['code', 'minutes'],
  302: ['name', 'order', 'date'],
  303: [],
};
const DISABLED = 304;
const MISSING = 999;

const mostly = <T>(usual: T[], others: T[]) =>
  weighed([6, fc.constantFrom(...usual)], [1, fc.constantFrom(...others)]);

const text = mostly<unknown>(['4821', '张三'], ['很长的一段文字'.repeat(12), '😀', '', 7, null]);

const item = fc
  .record({
    phones: fc.array(mostly(GOOD, OTHERS), { minLength: 1, maxLength: 4 }),
    template: mostly(Object.keys(TEMPLATES).map(Number), [DISABLED, MISSING]),
    signature: fc.constantFrom(201, 202),
    others: mostly<string[] | undefined>([undefined], [['code'], ['code', 'minutes', 'extra']]),
    texts: fc.array(text, { minLength: 3, maxLength: 3 }),
    // With 【青禾科技】 before it: around one and two full segments.
    content: mostly([1, 63, 64, 65, 127, 128, 129], [195]).map((length) => '字'.repeat(length)),
    // A check looks at each item by itself, so no two have the same key.
    key: mostly<unknown>(['k'], ['', 'undefined']),
    user: fc.constantFrom('', 'a'),
  })
  .map(({ others, texts, ...rest }) => {
    const names = others ?? TEMPLATES[rest.template] ?? [];
    return { ...rest, params: Object.fromEntries(names.map((name, nth) => [name, texts[nth]])) };
  });

const scenario = fc.record({
  operation: fc.constantFrom('sendTemplate', 'sendCustom'),
  items: fc.array(item, { minLength: 1, maxLength: 8 }),
  options: fc.record({
    batchSize: fc.integer({ min: 1, max: 6 }),
    duplicateNumbers: fc.constantFrom('allow', 'merge'),
    idempotencyKey: fc.constantFrom(undefined, '={{ $json.key }}{{ $json.nth }}'),
  }),
  onError: fc.constantFrom('stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'),
});

type Scenario = Made<typeof scenario>;

/** @throws when the check and the send differ, or the check changed anything */
async function play(each: Scenario, { gateway, execute, store }: World): Promise<void> {
  const { onError } = each;
  const items = each.items.map((one, nth) => ({ ...one, nth })) as IDataObject[];
  const sends = () => gateway.requests.filter(({ path }) => path.endsWith('/send'));

  const check = await execute(nodeOf(each, { checkOnly: true }), items, { node: { onError } });
  expect(check.error).toBeUndefined();
  expect([sends(), store.values(), [...gateway.deliveries()]]).toEqual([[], [], []]);
  const checked = itemsOf(check.output);
  expect(checked.map(({ status }) => status)).toEqual(
    items.map(() => expect.stringMatching(/^(checked|rejected)$/) as string),
  );

  const { output, error } = await execute(nodeOf(each), items, { node: { onError } });
  const isGood = checked.map(({ status }) => status === 'checked');
  if (onError === 'stopWorkflow') expect(error === undefined).toBe(!isGood.includes(false));
  if (error) return;
  const isSent = ({ status }: IDataObject) => status === 'accepted' || status === 'skipped';
  expect(isGood).toEqual(itemsOf(output).map(isSent));
}

function nodeOf({ operation, options }: Scenario, more: IDataObject = {}): INodeParameters {
  return {
    resource: 'message',
    operation,
    signatureId: byId('={{ $json.signature }}'),
    phoneNumbers: '={{ $json.phones }}',
    ...(operation === 'sendCustom' && { content: '={{ $json.content }}' }),
    ...(operation === 'sendTemplate' && {
      templateId: byId('={{ $json.template }}'),
      parameterMode: 'json',
      parametersJson: '={{ $json.params }}',
    }),
    options: { ...options, maxConcurrency: 1, userData: '={{ $json.user }}', ...more },
  } as INodeParameters;
}

/** The outcomes in the order of the input: failures may be on the error branch. */
const itemsOf = (output: Awaited<ReturnType<Harness['execute']>>['output']): IDataObject[] =>
  (output ?? [])
    .flatMap((branch) => branch ?? [])
    .sort((one, other) => itemOf(one) - itemOf(other))
    .map(outcomeOf);

searchSends('a check sends nothing, and says what the send then does', scenario, play);
