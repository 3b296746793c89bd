import { useGatewayPerTest } from '../harness/gateway';
import { REPORTS_ONLY } from '../harness/pulls';

const { gateway, poll } = useGatewayPerTest();

test('a poll works without a time limit of n8n, and when n8n says nothing of the executions', async () => {
  gateway.queueReports(25);
  const poller = await poll({ ...REPORTS_ONLY, options: { pullSize: 10 } }, { isOld: true });
  expect(poller.executions.map((items) => items.length)).toEqual([10, 10, 5]);
});
