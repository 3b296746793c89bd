/** The inbox on PostgreSQL, in queue mode (`npm run desk -- --store postgres`). */
import type { IDataObject } from 'n8n-workflow';

import { attackInbox } from './lib/inbox';
import { Outbox } from './lib/outbox';
import { test } from './lib/queueTest';
import { postgres } from './lib/store';

test('Stops cost no record, a crash of main or of a worker a page, and none of them a hand-over', async ({
  openGateway,
  queueMode,
}) => {
  test.setTimeout(15 * 60_000);
  const { client, workers, restartMain } = queueMode;
  const gateway = await openGateway({ latencyMs: 20 });
  const data = gateway.credential() as IDataObject;
  const credential = await client.createCredential('SMS', 'smsMessagingServiceApi', data);
  const database = await Outbox.create(queueMode.database, 'desk');
  const blows = [
    { strike: () => restartMain('stop') },
    { strike: () => restartMain('kill'), isCrash: true },
  ];
  const deadWorker = { strike: async () => workers[0]?.kill(), isCrash: true };
  const store = await postgres(client, database);
  await attackInbox(client, { gateway, credential }, [...blows, deadWorker, ...blows], store);
  await database.close();
});
