import { useGatewayPerTest } from '../../kit/engine/gateway';
import { expectOutputSchema } from '../../kit/engine/outputSchema';
import { numbered, REPORTS, REPORTS_ONLY } from '../../kit/engine/pulls';

/** The trigger node in the editor: test data. */

const { gateway, createContext, testTrigger, poll } = useGatewayPerTest();

describe('"Fetch Test Event" in the editor', () => {
  test('shows sample data by default, and pulls nothing', async () => {
    gateway.queueReplies(3);
    const items = await testTrigger({});
    expectOutputSchema('trigger', items);
    expect(items.map(({ event }) => event)).toEqual(['deliveryReport', 'deliveryReport', 'reply']);
    // As the last field, so that a workflow can leave them out.
    expect(items.map((item) => Object.entries(item).at(-1))).toEqual(
      items.map(() => ['sample', true]),
    );
    expect(gateway.requests).toHaveLength(0);
    const poller = await poll({});
    const [reply] = poller.executions.flat();
    expect(Object.keys(items[2] ?? {}).sort()).toEqual(
      [...Object.keys(reply ?? {}), 'sample'].sort(),
    );
  });

  test('shows the live data of one event when the other fails', async () => {
    gateway.queueReplies(3);
    gateway.fault({ kind: 'status', status: 500, path: REPORTS });
    expect(await testTrigger({ testData: 'live' })).toHaveLength(3);
    gateway.fault({ kind: 'status', status: 500, path: REPORTS });
    await expect(testTrigger({ testData: 'live' })).rejects.toThrow(
      /HTTP 500.*while pulling delivery reports/,
    );
  });

  test('shows the records that come with a failure', async () => {
    const body = { code: 99999, msg: 'failed', data: numbered(2) };
    gateway.fault({ kind: 'wrongShape', body });
    expect(await testTrigger({ testData: 'live', ...REPORTS_ONLY })).toHaveLength(2);
  });

  // The editor has no place for a hint beside the output of a trigger.
  test('logs code and words of what was taken as empty', async () => {
    gateway.fault({ kind: 'businessCode', code: 10004, msg: '暂无' });
    const log = jest.spyOn(createContext({}, []).logger, 'info');
    expect(await testTrigger({ testData: 'live', ...REPORTS_ONLY })).toEqual([]);
    const logged = log.mock.calls.map(([message]) => message);
    log.mockRestore();
    expect(logged).toEqual([expect.stringMatching(/: 暂无 \(code 10004\)\. .*'Empty Codes'/)]);
  });

  test('pulls one page with Test Data set to live', async () => {
    gateway.queueReports(30);
    const live = { ...REPORTS_ONLY, testData: 'live', options: { pullSize: 10 } };
    expect(await testTrigger(live)).toHaveLength(10);
    expect(gateway.requests).toHaveLength(1);
  });

  // A workflow that stores each page once must store the second test, too.
  test('shows page_id with Repeat Failed Executions, for live data one that no other test has', async () => {
    const options = { pullSize: 1, repeatFailed: true };
    expect((await testTrigger({})).flatMap(Object.keys)).not.toContain('page_id');
    const samples = await testTrigger({ options });
    expect(new Set(samples.map((item) => typeof item.page_id))).toEqual(new Set(['string']));
    gateway.queueReports(2);
    const live = { ...REPORTS_ONLY, testData: 'live', options };
    const [[first], [second]] = [await testTrigger(live), await testTrigger(live)];
    expect(second?.page_id).not.toBe(first?.page_id);
  });
});
