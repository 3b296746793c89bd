/** What holds for each template, by its nodes alone: each rule was broken once, and somebody was not told. */
import type { INode } from 'n8n-workflow';

import { PACKAGE, steps, templates } from '../kit/workflows/canvas';

/** The nodes of the templates, with the names of both. */
const NODES = templates.flatMap(({ file, workflow }) =>
  steps(workflow).map((node) => ({
    ...{ file, node, connections: workflow.connections },
    name: `${file}: ${node.name}`,
  })),
);

/** The nodes that have something: a test expects none of what may not be. */
const inAll = (find: (node: INode, of: (typeof NODES)[number]) => boolean): string[] =>
  NODES.filter((each) => find(each.node, each)).map(({ name }) => name);

/** Every text in the parameters of a node. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

// A field of a Set node has a name, which says what a long one is for.
test('an expression outside of a Set node is one that can be read', () => {
  const isLong = (node: INode) =>
    !node.type.endsWith('.set') &&
    textsIn(node.parameters)
      .filter((text) => text.startsWith('='))
      .some((text) => /\{\{(?:(?!\}\})[^]){231}/.test(text));
  expect(inAll(isLong)).toEqual([]);
});

// It remembers an item as it lets it through: what then fails is never done.
test('what is remembered is remembered after it was done: nothing remembers as it asks', () => {
  const remembers = ({ type, parameters }: INode) =>
    type.endsWith('.removeDuplicates') &&
    parameters.operation === 'removeItemsSeenInPreviousExecutions';
  expect(inAll(remembers)).toEqual([]);
});

test('nothing done is never shown as success: what goes on after an error goes somewhere', () => {
  const isSilent = ({ name, onError }: INode, { connections }: (typeof NODES)[number]) => {
    const output = { continueErrorOutput: 1, continueRegularOutput: 0 }[onError as string];
    return output !== undefined && (connections[name]?.main?.[output] ?? []).length === 0;
  };
  expect(inAll(isSilent)).toEqual([]);
});

test('a mail is tried again: a mail server is away for seconds. Mails of several items are not', () => {
  // Another try would send the good ones again. The trigger repeats records, and watch what is not told.
  const repeats = NODES.filter(
    ({ node: { parameters } }) => Object(parameters.options).repeatFailed === true,
  ).map(({ file }) => file);
  const wrong = inAll(({ type, executeOnce, retryOnFail }, { file }) => {
    const isSeveral = [...repeats, 'watch'].includes(file) && !executeOnce;
    return type.endsWith('.emailSend') && Boolean(retryOnFail) === isSeveral;
  });
  expect([repeats.length, wrong]).toEqual([6, []]);
});

/** A time whose zone is that of the settings, which n8n's menu drops. A moment with its offset is clear. */
const ZONELESS =
  /\$today|DateTime\.(?:now|local)\(|\$now(?:\.(?:minus|plus)\((?:[^()]|\([^()]*\))*\))*\.(?!minus|plus|setZone\(|toUTC\(\)|toISO\(\)|toMillis\(\))/;

test.each([
  ["{{ $now.toFormat('HH') }}", true],
  ['{{ $now.toISODate() }}', true],
  ['{{ $now.plus({ days: 1 }).toISODate() }}', true],
  ['{{ $today.toISO() }}', true],
  ["{{ $now.setZone('Asia/Shanghai').toISODate() }}", false],
  ['{{ $now.minus({ days: Number(2) }).toUTC().toISO() }}', false],
  ['{{ $now.minus({ days: 1 }).toISO() }}', false],
])('a time without a zone: %s', (text, isZoneless) => {
  expect(ZONELESS.test(text)).toBe(isZoneless);
});

/** What starts at an hour or on a day does so in the zone of the settings. */
function startsByTheClock({ type, parameters }: INode): boolean {
  if (!type.endsWith('.scheduleTrigger')) return false;
  const { interval } = parameters.rule as { interval: { field: string }[] };
  return interval.some(({ field }) => !['seconds', 'minutes', 'hours'].includes(field));
}

test('a time has a zone in the node', () => {
  const zoneless = inAll(
    (node) =>
      startsByTheClock(node) || textsIn(node.parameters).some((text) => ZONELESS.test(text)),
  );
  // Its page names the zone that it has.
  expect(zoneless).toEqual(['service-check: Page with the report']);
});

// n8n publishes no workflow with one path twice. A form's path is an option.
test('no two starts have one path', () => {
  const paths = NODES.flatMap(
    ({
      node: {
        parameters: { path, options },
      },
    }) => path ?? Object(options).path ?? [],
  );
  expect(new Set(paths).size).toBe(paths.length);
});

// A missing value would be the text "undefined", but for `?? ''`. A number is sent as its digits.
test('what a send reads itself has no String() around it', () => {
  const wrapped = inAll(
    (node) =>
      node.type.startsWith(PACKAGE) &&
      textsIn(node.parameters).some((text) => /\bString\(\$json(?!\S* \?\? '')/.test(text)),
  );
  expect(wrapped).toEqual([]);
});
