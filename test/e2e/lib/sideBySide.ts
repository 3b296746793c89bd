import { otherVersion } from '../../kit/n8n/paths';
import { test } from './test';

/** n8n 1.x refuses to publish two workflows at once. */
const isOneAtATime = otherVersion?.startsWith('1.') ?? false;

/** Runs cases that wait for polls at the same time, each as a step of the test. They share no account. */
export async function sideBySide<Fixtures>(
  fixtures: Fixtures,
  cases: Record<string, (fixtures: Fixtures) => Promise<void>>,
): Promise<void> {
  const runs = Object.entries(cases).map(
    ([title, run]) =>
      () =>
        test.step(title, () => run(fixtures)),
  );
  if (isOneAtATime) for (const run of runs) await run();
  else await Promise.all(runs.map((run) => run()));
}
