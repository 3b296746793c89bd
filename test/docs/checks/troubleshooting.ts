import { createHarness } from '../../engine/harness';
import { useGatewayPerTest } from '../../engine/harness/gateway';
import { people, withOptions } from '../../engine/harness/sends';
import type { Fault } from '../../sandbox/faults';
import { isMade, quotedErrors } from '../errors';
import { pageNamed } from '../pages';

/** The errors of the README's troubleshooting, in their order, each as it comes about. */

const BALANCE = { resource: 'balance', operation: 'get' };

const world = useGatewayPerTest();
const { gateway } = world;

/** The error of a balance query with other fields in the credential. */
async function errorWith(fields: Record<string, unknown>): Promise<unknown> {
  const { execute } = await createHarness({ ...gateway.credential(), ...fields });
  return (await execute(BALANCE)).error;
}

async function errorAfter(fault: Fault): Promise<unknown> {
  gateway.fault({ times: Infinity, ...fault });
  return (await world.execute(BALANCE)).error;
}

async function errorOfSend(
  item: Record<string, unknown>,
  { count = 1, fault }: { count?: number; fault?: Fault } = {},
): Promise<unknown> {
  if (fault) gateway.fault({ times: Infinity, ...fault });
  const items = people(count).map((each) => ({ ...each, ...item }));
  return (await world.execute(withOptions({ maxRetries: 0 }), items)).error;
}

const SITUATIONS: (() => Promise<unknown>)[] = [
  () => errorWith({ baseUrl: 'http://sms.example.com' }),
  // A port on which nobody listens.
  () => errorWith({ baseUrl: 'http://127.0.0.1:1' }),
  () => errorAfter({ kind: 'html' }),
  () => errorAfter({ kind: 'businessCode', code: 9000, msg: 'no' }),
  () => errorOfSend({ phone: '12345' }),
  () => errorOfSend({ code: '' }),
  () => errorOfSend({}, { count: 3, fault: { kind: 'businessCode', code: 9000, msg: 'no' } }),
  () => errorOfSend({}, { fault: { kind: 'resetAfterAccept' } }),
  () => errorAfter({ kind: 'tooManyRequests' }),
  async () => {
    await world.createPoller({}, { workflowName: 'Inbox', activation: 'update' }).activate();
    const second = world.createPoller({}, { activation: 'update', workflowId: 'second' });
    return await second.activate().catch((error: unknown) => error);
  },
];

const QUOTED = quotedErrors(pageNamed('README.md').tree);

test('there are ten, and the Chinese guide has the same', () => {
  expect(QUOTED).toHaveLength(SITUATIONS.length);
  expect(quotedErrors(pageNamed('docs/zh-CN.md').tree)).toEqual(QUOTED);
});

test.each(QUOTED.map((quoted, index) => [quoted, index] as const))('%s', async (quoted, index) => {
  const { message } = (await SITUATIONS[index]?.()) as Error;
  expect([message].filter((text) => !isMade(quoted, [text]))).toEqual([]);
});
