import path from 'node:path';

import { Outbox } from '../../../desk/kit/outbox';
import { tarballIn } from '../../kit/n8n/pack';
import { outputFolder } from '../../kit/n8n/paths';
import { startQueueMode, type QueueMode } from '../../kit/n8n/queue';
import { storeIn } from '../../../desk/kit/store';
import { accountsIn, expect, test as base } from './test';

export { expect };

interface Fixtures {
  /** A main and two workers that end with the test. */
  queueMode: QueueMode;
}

/** For tests in queue mode. */
export const test = base.extend<Fixtures>({
  openAccount: async ({ openGateway, queueMode: { client } }, use) => {
    await use(accountsIn(client, openGateway));
    await client.deactivateAll();
  },

  store: async ({ queueMode: { client, postgres: server } }, use) => {
    const desk = await Outbox.create(server.database, 'desk');
    await use(await storeIn(client, desk));
    await desk.close();
  },

  queueMode: [
    async ({}, use, { testId }) => {
      const queueMode = await startQueueMode({
        folder: path.join(outputFolder, 'queue', testId),
        tarball: tarballIn(outputFolder),
        workers: 2,
      });
      await use(queueMode);
      await queueMode.stop();
    },
    { timeout: 300_000 },
  ],
});
