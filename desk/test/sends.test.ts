/** What the outbox hands to its nodes that send is sent by the real ones, also the least of a message. */
import { DateTime } from 'luxon';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { useGateway } from '../../test/kit/engine/gateway';
import { parametersOf } from '../../test/kit/workflows/expression';
import { runDesk, type Row } from './workflow';

const { gateway, execute } = useGateway();

/** The items that each node that sends gets, if these messages are handed over. */
function handedOver(message: Row): Record<string, IDataObject[]> {
  const got: Record<string, IDataObject[]> = {};
  const keep = (node: string) => (input: Row[]) => {
    got[node] = input as IDataObject[];
    return [];
  };
  const given = Object.fromEntries(['Send by template', 'Send a text'].map((n) => [n, keep(n)]));
  const tables = { 'sms.rules': [{ class: 'all', per_day: 0 }] };
  // Notices go by day only.
  const now = DateTime.local().set({ hour: 12 });
  runDesk('outbox', 'Messages', message, { tables, given, now });
  return got;
}

const CODE = { template_id: '301', parameters: { code: '4821', minutes: '5' } };

test.each<Row>([
  { ...CODE, class: 'code' },
  { ...CODE, class: 'code', signature_id: '201' },
  { ...CODE, signature_id: 201, phone_data: 'a', key: 'b', source: 'c', reference: 'd' },
  { content: 'The shop is closed', signature_id: '201' },
  { content: 'The shop is closed', signature_id: '201', phone_data: 'a' },
])('sent: %j', async (message) => {
  const phone = '13810000001';
  const [node, items = []] = Object.entries(handedOver({ phone, ...message }))[0] ?? [];
  const parameters = parametersOf('outbox', String(node)) as INodeParameters;
  const { json } = await execute(parameters, items);
  expect(json).toEqual([expect.objectContaining({ phone_number: phone, status: 'accepted' })]);
  expect([...gateway.deliveries().values()]).toEqual([1]);
});
