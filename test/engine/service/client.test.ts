import type { ServerResponse } from 'node:http';
import { useGateway, useService } from '../../kit/engine/gateway';
import { until, withTimeLimits } from '../../kit/engine/pauses';
import { CONTINUE, inPairs, people } from '../../kit/engine/sends';

/** How a request is made: the credential that signs it, and what ends it. */

const { gateway, execute } = useGateway();

test('the credential is read once for a run, for its first item, so a database that is gone then costs nobody a message', async () => {
  const itemsOfReads: unknown[] = [];
  const statuses = async (reads: number) => {
    const { json } = await execute(inPairs({ batchSize: 1 }), people(2), {
      ...CONTINUE,
      readCredential: (data, nth, itemIndex) => {
        itemsOfReads.push(itemIndex);
        if (nth > reads) throw new Error('SQLITE_BUSY: database is locked');
        return data;
      },
    });
    return json.map(({ status }) => status);
  };
  expect(await statuses(1)).toEqual(['accepted', 'accepted']);
  expect(itemsOfReads).toEqual([0]);
  // Before the first request, nothing was sent for certain.
  expect(await statuses(0)).toEqual(['rejected', 'rejected']);
  expect(gateway.requests).toHaveLength(2);
});

describe('a body that drips', () => {
  const answers: ServerResponse[] = [];
  const { search, testTrigger } = useService((request, response) => {
    request.resume();
    answers.push(response);
    response.writeHead(200, { 'Content-Type': 'application/json' });
    const drip = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(drip));
  })();

  test.each<[string, () => Promise<unknown>]>([
    ['a list of the editor', async () => await search('searchTemplates')],
    ['a poll', async () => await testTrigger({ events: ['reply'], testData: 'live' })],
  ])('%s: the time limit ends the connection too', async (_, ask) => {
    answers.length = 0;
    await withTimeLimits(async (end) => {
      void until(() => answers.length > 0).then(end);
      await expect(ask()).rejects.toThrow(/did not answer/);
    });
    expect(answers).toHaveLength(1);
    await until(() => answers.every(({ destroyed }) => destroyed));
  });
});
