import { Breather } from '../../../nodes/SmsMessagingService/n8n/breather';
import { people, useSendingGateway, withOptions } from '../../kit/engine/sends';

const { execute } = useSendingGateway();

test('other executions have their turn during a check', async () => {
  // Whoever looks at the clock finds that 20 ms have passed.
  let now = Date.now();
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => (now += 20));
  const pause = jest.spyOn(Breather.prototype, 'pause');
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  const { json } = await execute(withOptions({ checkOnly: true }), people(100));
  clearInterval(timer);
  clock.mockRestore();
  expect(json).toHaveLength(100);
  // The plan and the inspection stop at each item.
  expect(pause.mock.calls.length).toBeGreaterThanOrEqual(200);
  expect(turns).toBeGreaterThan(10);
});
