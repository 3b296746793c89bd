import { people, useSendingGateway, withOptions } from '../harness/sends';

/** Other executions have their turn while the node works on much. */

const { execute } = useSendingGateway();

/** Runs, and counts how often the event loop had its turn meanwhile. */
async function turnsDuring<T>(run: () => Promise<T>): Promise<{ result: T; turns: number }> {
  let turns = 0;
  let isRunning = true;
  const count = () => {
    turns += 1;
    if (isRunning) setTimeout(count, 1);
  };
  setTimeout(count, 1);
  const result = await run();
  isRunning = false;
  return { result, turns };
}

test('a check of 10,000 items, also where an expression says that it is one', async () => {
  const items = people(10_000, { check: true });
  const { result, turns } = await turnsDuring(() =>
    execute(withOptions({ checkOnly: '={{ $json.check && true }}' }), items),
  );
  expect(result.json).toHaveLength(10_000);
  expect(turns).toBeGreaterThan(10);
});
