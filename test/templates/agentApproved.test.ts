import type { INodeParameters } from 'n8n-workflow';

import { readExample } from '../kit/workflows/workflowFiles';
import { useGateway } from '../kit/engine/gateway';
import { DeduplicationStore } from '../kit/engine/deduplicationStore';
import { testRows } from './rows';
import { orderOf, OTHER, PHONE, SHIPPED } from './run';

const { gateway, callTool } = useGateway();

const store = DeduplicationStore.install();

afterEach(() => store.clear());

const { nodes, connections } = readExample('agent-approved');

const parametersOf = (name: string) => nodes.find((node) => node.name === name)?.parameters ?? {};

/** The agent is a stand-in without a model, and nobody is asked. */
const call = async (...calls: Record<string, string>[]) =>
  await callTool(
    'test.engineAgent',
    { ...parametersOf('Send shipping notice'), ...SHIPPED } as INodeParameters,
    calls,
  );

const notice = orderOf() as Record<string, string>;

test('what the agent fills in is sent, once for each order, and the agent gets the outcome', async () => {
  // The same order in other words is the same one.
  const same = [{ date: '后天' }, { order: ' ＃a-1' }, { order: 'A – 1' }, { phone: OTHER }];
  const others = [{ order: 'A-2' }, { order: 1002 }];
  const notices = [...same, ...others].map((change) => ({ ...notice, ...change }) as typeof notice);
  const answers = await call(notice, ...notices);
  const statuses = ['accepted', ...same.map(() => 'skipped'), ...others.map(() => 'accepted')];
  expect(answers).toMatchObject(statuses.map((status) => ({ answer: [{ status }] })));
  expect(gateway.deliveries()).toEqual(new Map([[PHONE, 3]]));
});

/** A model gives texts. */
testRows({
  gateway,
  forget: () => {
    gateway.reset();
    store.clear();
  },
  handIn: async (rows) =>
    (await call(...(rows as Record<string, string>[]))).map((each) =>
      JSON.stringify(each).replace(/^.*?"status":"/, ''),
    ),
  // A country code apart is joined to its number.
  holds: (cell) => typeof cell === 'string' && !cell.startsWith('+86;'),
  keyOf: ({ order }) => order,
  again: /skipped/,
  refusal: (field) => (field === 'phone' ? /'Phone Numbers'/ : new RegExp(`'${field}'`)),
});

test('the agent reaches the send only through the person, who sees all of it', () => {
  const to = (name: string) => connections[name]?.ai_tool?.[0]?.map(({ node }) => node);
  expect(to('Send shipping notice')).toEqual(['Ask before sending']);
  expect(to('Ask before sending')).toEqual(['Agent']);
  const { message } = parametersOf('Ask before sending');
  for (const name of Object.keys(notice)) {
    expect(message).toContain(`{{ $tool.parameters.${name} }}`);
  }
});

test('the model may ask for one message at a time: n8n loses the second of two', () => {
  const { extraBody } = Object(parametersOf('Chat model').options) as { extraBody: string };
  expect(JSON.parse(extraBody)).toEqual({ parallel_tool_calls: false });
  expect(JSON.stringify(parametersOf('Agent'))).toContain('one order after the other');
});

test.each([
  ['refuses', { kind: 'businessCode', code: 15, msg: '余额不足' }, /余额不足/, /accepted/],
  ['breaks off', { kind: 'resetAfterAccept' }, /may have been/, /skipped/],
] as const)(
  'the service %s: the agent is told, and one more try sends no second SMS',
  async (_, fault, first, second) => {
    gateway.fault({ ...fault, path: '/sendsms/template/send' });
    const answers = [...(await call(notice)), ...(await call(notice))];
    expect(answers.map((each) => JSON.stringify(each))).toEqual([
      expect.stringMatching(first),
      expect.stringMatching(second),
    ]);
    expect([...gateway.deliveries()]).toEqual([[PHONE, 1]]);
  },
);
