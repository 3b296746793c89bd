import type { IDataObject } from 'n8n-workflow';
import { createOtherHarness } from '../harness';
import { useGatewayPerTest } from '../harness/gateway';
import { countDistinct, REPORTS_ONLY } from '../harness/pulls';

/** The lines of docs/use/receiving.md that cost something: it is what they say, and not more. */

const { gateway, createPoller } = useGatewayPerTest();

const PAGES_OF_TEN = { ...REPORTS_ONLY, options: { pullSize: 10 } };

/** What a new process gets after this one has ended. */
async function drainAfterRestart(restarted: IDataObject): Promise<IDataObject[]> {
  const other = await createOtherHarness(gateway.credential());
  const poller = other.createPoller(PAGES_OF_TEN, { restarted });
  await poller.tick();
  return poller.executions.flat();
}

test('killed before n8n has stored a page: that page', async () => {
  gateway.queueReports(50);
  let pages = 0;
  const poller = createPoller(PAGES_OF_TEN, {
    onEmit: () => (++pages < 3 ? 'usual' : 'gone'),
    onExecution: () => (pages < 3 ? undefined : new Promise(() => undefined)),
  });
  // n8n is gone in the middle of the third page, and so is the poll.
  void poller.tick();
  while (pages < 3) await new Promise(setImmediate);
  await poller.deactivate();
  const rest = await drainAfterRestart(poller.saved);
  expect(countDistinct([...poller.executions.flat(), ...rest])).toBeGreaterThanOrEqual(40);
});

test('n8n restarts before it has stored a page that it did not take: that page', async () => {
  gateway.queueReports(50);
  const poller = createPoller(PAGES_OF_TEN, {
    onEmit: () => 'notSaved',
    onExecution: () => {
      throw new Error('The database is down');
    },
  });
  await poller.tick();
  expect(await drainAfterRestart(poller.saved)).toHaveLength(40);
});

// Guess: equal-records
test('two records are equal and come in different pages: the second one', async () => {
  const report = { time: 1767225600, batch_id: 'b-1', status: 'DELIVRD' } as IDataObject;
  gateway.fault({ kind: 'wrongShape', body: { code: 0, data: [report, { ...report, time: 1 }] } });
  gateway.fault({ kind: 'wrongShape', body: { code: 0, data: [report] }, nth: 2 });
  const poller = createPoller({ ...REPORTS_ONLY, options: { pullSize: 2 } });
  await poller.tick();
  await poller.tick();
  expect(poller.executions.flat()).toHaveLength(2);
});

test('n8n stores an execution and says that it could not: its records come twice', async () => {
  gateway.queueReports(10);
  const stored: IDataObject[] = [];
  const poller = createPoller(PAGES_OF_TEN, {
    onExecution: (items) => {
      stored.push(...items);
      if (stored.length === 10) throw new Error('Connection terminated unexpectedly');
    },
  });
  await poller.tick();
  await poller.tick();
  expect(countDistinct(stored)).toBe(10);
  expect(stored.filter(({ batch_id }) => batch_id !== undefined)).toHaveLength(20);
});
