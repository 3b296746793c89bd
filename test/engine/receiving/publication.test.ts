import type { Fault } from '../../sandbox/gateway';
import { useGatewayPerTest } from '../harness/gateway';
import { REPLIES } from '../harness/pulls';
import { since } from '../harness/since';

/** The first poll of a trigger: what fails there, and when the trigger stays registered all the same. */

const { gateway, createPoller, publish } = useGatewayPerTest();

test('a refusal is an error at publication: its code may have to be listed, or the page be smaller', async () => {
  gateway.fault({ kind: 'businessCode', code: 1002, msg: '暂无配置通道', times: Infinity });
  await expect(publish({})).rejects.toThrow(
    /: 暂无配置通道 \(code 1002\).*'Empty Codes'.* lower 'Pull Size'/,
  );
});

test.each([401, 403])(
  'HTTP %i is an error at publication: the key may be wrong',
  async (status) => {
    gateway.fault({ kind: 'status', status, times: Infinity });
    await expect(publish({})).rejects.toThrow(`HTTP ${status}`);
  },
);

test.each<[string, Fault]>([
  ['out of reach', { kind: 'resetBeforeAccept', times: 2 }],
  ['out of order', { kind: 'status', status: 503, times: 2 }],
])('a service that is %s does not make the publication fail', async (_, fault) => {
  gateway.queueReports(3);
  gateway.fault(fault);
  const poller = await publish({});
  expect(poller.errors).toHaveLength(1);
  await poller.tick();
  expect(poller.executions.flat()).toHaveLength(3);
});

test.each([
  ['is busy for a moment delays the publication', 2, 3],
  ['stays busy does not make it fail', Infinity, 0],
])('a service that %s', async (_, times, records) => {
  gateway.queueReports(3);
  gateway.fault({ kind: 'tooManyRequests', times });
  const poller = await publish({});
  expect([poller.executions.flat().length, poller.errors]).toEqual([records, []]);
});

describe.each(['init', 'leadershipChange'] as const)(
  'at activation "%s", where nobody can publish again',
  (activation) => {
    test.each<[string, Fault]>([
      ['out of reach', { kind: 'resetBeforeAccept', times: 2 }],
      ['out of order', { kind: 'status', status: 503, times: 2 }],
      ['refusing the request', { kind: 'businessCode', code: 1002, times: 2 }],
      ['not this API', { kind: 'wrongShape', body: { code: 0, data: 'Hello' }, times: 1 }],
    ])(
      'the trigger stays registered when the service is %s, and the next poll works',
      async (_, fault) => {
        gateway.fault(fault);
        const poller = await publish({}, { activation });
        expect(poller.errors).toHaveLength(1);
        gateway.queueReports(3);
        await poller.tick();
        const records = poller.executions.flat().filter(({ event }) => event !== 'unreadable');
        expect(records).toHaveLength(3);
        expect(poller.errors).toHaveLength(1);
      },
    );

    test('the trigger stays registered with settings that cannot be used', async () => {
      const poller = await publish({ options: { pullSize: 0 } }, { activation });
      expect(poller.errors.map(({ message }) => message)).toEqual([
        expect.stringContaining("'Pull Size'"),
      ]);
    });
  },
);

since('2.38').test(
  'a later poll that fails throws, so that the back-off of n8n applies',
  async () => {
    gateway.fault({ kind: 'status', status: 503, times: 6 });
    const options = { workflowId: 'on-the-scheduler' } as const;
    const poller = createPoller({}, { ...options, budgetMs: 36_000 });
    await expect(poller.activate()).rejects.toThrow('HTTP 503');
    const other = await publish({}, options);
    await expect(other.activate()).rejects.toThrow();
  },
);

describe('while the service refuses the replies', () => {
  beforeEach(() => {
    const refusal = { kind: 'businessCode', code: 9, msg: 'closed', times: Infinity } as const;
    gateway.fault({ ...refusal, path: REPLIES });
  });

  since('2.38').test('the reports keep their rhythm: the poll does not throw', async () => {
    const poller = await publish({}, { budgetMs: 36_000 });
    gateway.queueReports(3);
    await poller.activate();
    expect(poller.executions.flat()).toHaveLength(3);
    expect(poller.errors.map(({ message }) => message)).toEqual(
      Array(2).fill('The service refused the request: closed (code 9), while pulling replies'),
    );
  });

  test('a publication that has handed over reports succeeds', async () => {
    gateway.queueReports(3);
    const poller = await publish({});
    expect(poller.executions.flat()).toHaveLength(3);
    expect(poller.errors).toHaveLength(1);
  });

  test('a publication without any record fails: the publisher can mend it', async () => {
    const poller = createPoller({}, { activation: 'update' });
    await expect(poller.activate()).rejects.toThrow('closed (code 9)');
  });
});
