import type { INodeParameters } from 'n8n-workflow';

import { readExample } from '../kit/workflows/workflowFiles';
import { useGateway } from '../kit/engine/gateway';
import { DeduplicationStore } from '../kit/engine/deduplicationStore';
import { orderOf, PHONE, SHIPPED } from './run';

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
  const answers = await call(notice, { ...notice, date: '后天' }, { ...notice, order: 'A-2' });
  expect(answers).toMatchObject([
    { answer: [{ status: 'accepted' }] },
    { answer: [{ status: 'skipped' }] },
    { answer: [{ status: 'accepted' }] },
  ]);
  expect(gateway.deliveries()).toEqual(new Map([[PHONE, 2]]));
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

/** What the agent gets for one more message when something is not as usual, and how many were sent. */
test.each<[string, Record<string, unknown>, RegExp, number]>([
  ['the order in other writing', { order: ' ＃a-1' }, /skipped/, 1],
  ['the order with a hyphen of a model', { order: 'A\u20111' }, /skipped/, 1],
  ['the order with a long hyphen', { order: 'A – 1' }, /skipped/, 1],
  ['the order with something invisible', { order: 'A\u200b-1' }, /skipped/, 1],
  ['the order for another number', { phone: '13810000011' }, /skipped/, 1],
  ['another order', { order: 'A-2' }, /accepted/, 2],
  ['an order that is a number', { order: 1002 }, /accepted/, 2],
  ['a number with +86 and spaces', { order: 'A-2', phone: '+86 138 1000 0010' }, /accepted/, 2],
  ['no order', { order: '' }, /'order' has no value/, 1],
  ['no name', { order: 'A-2', name: '' }, /'name' has no value/, 1],
  ['a word for nothing', { order: 'A-2', name: 'undefined' }, /'name' has "undefined"/, 1],
  ['no number', { order: 'A-2', phone: 'his mobile' }, /not a mobile number/, 1],
  ...[
    ...[`${PHONE}, 13810000011`, `${PHONE} 13810000011`, `${PHONE}\n${PHONE}`],
    ...[`${PHONE}/13810000011`, `${PHONE}、13810000011`, `["${PHONE}", "13810000011"]`],
    // Without what is no digit, each would be a stranger's number.
    ...['1381000001.0', '1381000001,0', '1381000001/0', '138１10000010', '1381000001²0'],
    ...['+1 (381) 000-0010', '+1 3810000010', '13,810,000,010', '1381000001 转 0'],
  ].map((phone): [string, Record<string, unknown>, RegExp, number] => [
    `two numbers, or another one: ${phone}`,
    { order: 'A-2', phone },
    /not a mobile number/,
    1,
  ]),
])('%s', async (_, change, answer, sent) => {
  const answers = await call(notice, { ...notice, ...change } as Record<string, string>);
  expect(JSON.stringify(answers[1]).replaceAll('\\"', '"')).toMatch(answer);
  expect([...gateway.deliveries()]).toEqual([[PHONE, sent]]);
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
