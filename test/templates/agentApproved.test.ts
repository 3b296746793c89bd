import type { INodeParameters } from 'n8n-workflow';

import { readExample } from '../e2e/lib/workflowFiles';
import { useGateway } from '../engine/harness/gateway';
import { DeduplicationStore } from '../engine/harness/deduplicationStore';
import { PHONE, SHIPPED } from './run';

const { gateway, callTool } = useGateway();

DeduplicationStore.install();

const { nodes, connections } = readExample('agent-approved');

const parametersOf = (name: string) => nodes.find((node) => node.name === name)?.parameters ?? {};

/** The agent is a stand-in without a model, and nobody is asked. */
const call = async (...calls: Record<string, string>[]) =>
  await callTool(
    'test.engineAgent',
    { ...parametersOf('Send shipping notice'), ...SHIPPED } as INodeParameters,
    calls,
  );

const notice = { phone: PHONE, name: '李雷', order: 'A-1', date: '6月3日' };

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
