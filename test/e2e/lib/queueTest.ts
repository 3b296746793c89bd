import path from 'node:path';

import { tarballIn } from './pack';
import { outputFolder } from './paths';
import { startQueueMode, type QueueMode } from './queue';
import { expect, test as base } from './test';

export { expect };

/** For tests in queue mode, with a main and two workers that end with the test. */
export const test = base.extend<{ queueMode: QueueMode }>({
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
