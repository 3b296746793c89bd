/** The inbox in queue mode. */
import { attackInbox } from '../kit/inbox';
import { test } from '../../test/e2e/lib/queueTest';

test('Stops cost no record, a crash of main or of a worker a page, and none of them a hand-over', async ({
  openAccount,
  queueMode,
  store,
}) => {
  test.setTimeout(15 * 60_000);
  const { client, workers, restartMain } = queueMode;
  const account = await openAccount({ latencyMs: 20 });
  const blows = [
    { strike: () => restartMain('stop') },
    { strike: () => restartMain('kill'), isCrash: true },
  ];
  const deadWorker = { strike: async () => workers[0]?.kill(), isCrash: true };
  await attackInbox(client, account, [...blows, deadWorker, ...blows], store);
});
