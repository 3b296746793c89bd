import type { IDataObject } from 'n8n-workflow';
import { useGatewayPerTest } from '../../kit/engine/gateway';
import { CONTINUE, people, TEMPLATE } from '../../kit/engine/sends';

/** Answers with lists or objects in each other. Without a limit, a pull would lose a page that is 5,000 deep. */

const harness = useGatewayPerTest();
const { gateway } = harness;

/** @param depth how many lists and objects are in each other, with the answer, its list and the record */
const pageOf = (depth: number, open = '[', close = ']') =>
  `{"code":0,"data":[{"mobile":13800138000,"content":"Hi","batch_id":"b"},{"mobile":13900139000,"content":"deep","more":${open.repeat(depth - 3)}1${close.repeat(depth - 3)}}]}`;

async function poll(body: string) {
  gateway.fault({ kind: 'html', body });
  const poller = await harness.poll({ events: ['reply'] });
  await poller.deactivate();
  return poller;
}

test.each([
  ['101, in objects', pageOf(101, '{"a":', '}')],
  ['100,000', pageOf(100_000)],
])('a page with a record that is %s deep is handed over as its text', async (_, body) => {
  const { executions, errors } = await poll(body);
  expect(executions.flat()).toEqual([{ event: 'unreadable', answer: body }]);
  expect(errors).toHaveLength(1);
});

test('a record that is 100 deep is read', async () => {
  const body = pageOf(100);
  const { executions, errors } = await poll(body);
  expect(errors).toEqual([]);
  expect(executions.flat()).toMatchObject([
    { content: 'Hi' },
    { content: 'deep', more: (JSON.parse(body) as { data: IDataObject[] }).data[1]?.more },
  ]);
});

test('a send whose answer is that deep stays open', async () => {
  gateway.fault({ kind: 'html', body: pageOf(5_000) });
  const { json } = await harness.execute(TEMPLATE, people(1), CONTINUE);
  expect(json).toMatchObject([{ status: 'unknown' }]);
});
