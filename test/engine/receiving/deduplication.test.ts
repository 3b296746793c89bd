import { createOtherHarness } from '../harness';
import { useGatewayPerTest } from '../harness/gateway';
import { countDistinct, REPORTS_ONLY } from '../harness/pulls';

/** Records that the service returns again. */

const { gateway, createPoller, restart } = useGatewayPerTest();

describe('a service that does not consume what it returns', () => {
  // Guess: queue
  test('is not drained endlessly, and every record is handed over once', async () => {
    await restart({ consume: false });
    gateway.queueReports(8);
    const workflowId = 'not-consuming';
    const poller = createPoller({ ...REPORTS_ONLY, options: { pullSize: 10 } }, { workflowId });
    await poller.tick();
    await poller.tick();
    expect(poller.executions.flat()).toHaveLength(8);

    gateway.queueReports(1);
    await poller.tick();
    expect(poller.executions.flat()).toHaveLength(9);

    // After a restart only the static data is left. In the same process, that of before may come.
    const other = await createOtherHarness(gateway.credential());
    const node = { name: 'Renamed' };
    for (const again of [
      other.createPoller(REPORTS_ONLY, { workflowId, restarted: poller.saved, node }),
      createPoller(REPORTS_ONLY, { workflowId, node }),
    ]) {
      await again.tick();
      expect(again.executions).toEqual([]);
      expect(again.errors).toEqual([]);
    }
  });

  test('and gets new records: each is handed over once, over 20 polls', async () => {
    await restart({ consume: false });
    const poller = createPoller({ options: { pullSize: 200 } });
    for (let round = 0; round < 20; round++) {
      gateway.queueReports(round % 4);
      gateway.queueReplies(round % 3);
      await poller.tick();
    }
    const items = poller.executions.flat();
    expect(items).toHaveLength(30 + 19);
    expect(countDistinct(items)).toBe(items.length);
    expect(poller.errors).toEqual([]);
  });

  test('and ignores the page size: each record is handed over once', async () => {
    const data = Array.from({ length: 3_000 }, (_, index) => ({ batch_id: `b-${index}`, time: 1 }));
    gateway.fault({ kind: 'wrongShape', body: { code: 0, msg: '', data }, times: Infinity });
    const poller = createPoller({ ...REPORTS_ONLY, options: { pullSize: 10 } });
    for (let round = 0; round < 3; round++) await poller.tick();
    expect(poller.executions.map((items) => items.length)).toEqual(Array(300).fill(10));
  });

  test('static data in another format is replaced', async () => {
    gateway.queueReports(2);
    const key = 'n8n-nodes-sms-messaging-service.smsMessagingServiceTrigger/node-1/deliveryReport';
    const stored = { version: 0, leftOvers: [7], memory: { version: 0, seen: ['x', 'y'] } };
    const poller = createPoller(REPORTS_ONLY, { restarted: { global: { [key]: stored } } });
    await poller.tick();
    expect(poller.executions.flat()).toHaveLength(2);
    expect(poller.errors).toEqual([]);
  });

  // Guess: equal-records
  test('equal records in one page are all handed over', async () => {
    const report = {
      time: 1767225600,
      batch_id: 'b-1',
      status: 'DELIVRD',
      status_desc: 'ok',
      phone_data: '',
      phone_number: '13800138000',
      user_data: '',
      split_count: 1,
    };
    gateway.queueReports([report, report, report]);
    const poller = createPoller({});
    await poller.tick();
    expect(poller.executions.flat()).toHaveLength(3);
  });
});
