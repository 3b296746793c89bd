import { useGatewayPerTest } from '../harness/gateway';
import { REPORTS_ONLY } from '../harness/pulls';

const { gateway, createPoller } = useGatewayPerTest();

test('a poll works without a time limit of n8n, and when n8n says nothing of the executions', async () => {
  gateway.queueReports(25);
  const poller = createPoller({ ...REPORTS_ONLY, options: { pullSize: 10 } }, { isOld: true });
  await poller.tick();
  expect(poller.executions.map((items) => items.length)).toEqual([10, 10, 5]);
});
