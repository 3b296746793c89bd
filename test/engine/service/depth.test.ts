import type { IDataObject } from 'n8n-workflow';
import { useGatewayPerTest } from '../harness/gateway';
import { CONTINUE, descriptionOf, inPairs, people } from '../harness/sends';
import { parseJson } from '../../../nodes/SmsMessagingService/service/json';

/** Answers with lists or objects in each other. */

const harness = useGatewayPerTest();
const { gateway } = harness;

/** @param depth how many lists and objects are in each other, with the answer, its list and the record */
const pageOf = (depth: number, open = '[', close = ']') =>
  `{"code":0,"data":[{"mobile":13800138000,"content":"Hi","batch_id":"b"},{"mobile":13900139000,"content":"deep","more":${open.repeat(depth - 3)}1${close.repeat(depth - 3)}}]}`;

async function poll(body: string) {
  gateway.fault({ kind: 'html', body });
  const poller = harness.createPoller({ events: ['reply'] });
  await poller.tick();
  await poller.deactivate();
  return poller;
}

// Guess: depth
test.each([
  ['101', pageOf(101)],
  ['5,000', pageOf(5_000)],
  ['5,000, in objects', pageOf(5_000, '{"a":', '}')],
  ['100,000', pageOf(100_000)],
])('a page with a record that is %s deep is handed over as its text', async (_, body) => {
  const { executions, errors } = await poll(body);
  expect(executions.flat()).toEqual([{ event: 'unreadable', answer: body }]);
  const [error] = errors;
  expect(error?.message).toContain('more than 100 lists or objects in each other');
  expect(descriptionOf(error)).not.toContain('pulled nothing');
});

// Guess: depth
test.each([
  ['in lists', pageOf(100)],
  ['in objects', pageOf(100, '{"a":', '}')],
])('a record that is 100 deep is read, %s', async (_, body) => {
  const { executions, errors } = await poll(body);
  expect(errors).toEqual([]);
  expect(executions.flat()).toMatchObject([
    { content: 'Hi' },
    { content: 'deep', more: (JSON.parse(body) as { data: IDataObject[] }).data[1]?.more },
  ]);
});

test('brackets in a text count for nothing', async () => {
  const content = `${'[{'.repeat(5_000)} \\" \\\\`;
  const { executions } = await poll(JSON.stringify({ code: 0, data: [{ mobile: 1, content }] }));
  expect(executions.flat()).toMatchObject([{ content }]);
});

// Guess: depth
test.each([200, 400, 429])(
  'a send whose answer is that deep stays open, HTTP %d',
  async (status) => {
    gateway.fault({ kind: 'status', status, body: `${'['.repeat(5_000)}1${']'.repeat(5_000)}` });
    const { json } = await harness.execute(inPairs(), people(1), CONTINUE);
    expect(json).toMatchObject([{ status: 'unknown' }]);
  },
);

test.each(['answered', 'refused'])(
  'an answer that is 100 deep to a send is read: %s',
  async (kind) => {
    const more = JSON.parse(`${'['.repeat(99)}1${']'.repeat(99)}`) as IDataObject;
    const code = kind === 'answered' ? 0 : 1003;
    gateway.fault({ kind: 'wrongShape', body: { code, msg: 'so', batch_id: 'b', count: 1, more } });
    const { json } = await harness.execute(inPairs(), people(1), CONTINUE);
    expect(json).toMatchObject([{ code }]);
  },
);

test('100 deep, everything that is done with records holds', async () => {
  const deep = JSON.parse(`${'{"a":'.repeat(96)}1${'}'.repeat(96)}`) as IDataObject;
  const list = [{ id: 301, name: 'n', deep }];
  gateway.fault({ kind: 'wrongShape', body: { list, total: 1, page: 1, page_size: 50 } });
  const { json, error } = await harness.execute({
    resource: 'template',
    operation: 'getAll',
    simplify: false,
  });
  expect(error).toBeUndefined();
  expect(json).toMatchObject([{ id: 301, deep }]);
});

test('3 MB are looked at in linear time', () => {
  const texts = ['"', '\\', '\\"', '[', '[]', '{"a":"', '"[', '"\\', ' "'].flatMap((part) => [
    part.repeat(3e6 / part.length),
    `{"a":"${part.repeat(3e6 / part.length)}`,
  ]);
  for (const text of texts) {
    const startedAt = performance.now();
    parseJson(text);
    // Tens of milliseconds on an idle machine.
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  }
});
