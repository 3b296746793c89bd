import fc from 'fast-check';
import { startGateway } from '../sandbox/gateway';
import type { GatewayOptions } from '../sandbox/gateway';
import { now, play, scenario, startProcess } from './trigger';
import type { Process } from './trigger';

/** `npm run search` runs many, with a seed of its own; `npm test` always the same few. */
const RUNS = Number(process.env.SEARCH_RUNS ?? 40);
const SEED = Number(process.env.SEARCH_SEED ?? 1);

/** More restarts than a history has. */
const PROCESSES = 6;

test(
  `the trigger keeps its promises in ${RUNS} random lives`,
  async () => {
    jest.spyOn(Date, 'now').mockImplementation(now);
    const options: GatewayOptions = {};
    const gateway = await startGateway(options);
    const processes: Process[] = [];
    for (let each = 0; each < PROCESSES; each++) processes.push(await startProcess(gateway));
    let polls = 0;
    let histories = 0;
    try {
      await fc.assert(
        fc.asyncProperty(scenario, async (each) => {
          histories += 1;
          polls += await play(each, { gateway, options, processes });
        }),
        {
          numRuns: RUNS,
          seed: SEED,
          // A poll that does not end is a finding.
          timeout: 60_000,
          ...(process.env.SEARCH_PATH && { path: process.env.SEARCH_PATH }),
        },
      );
    } finally {
      process.stdout.write(`${histories} histories, ${polls} polls, seed ${SEED}\n`);
      await gateway.close();
    }
  },
  60_000 + RUNS * 5_000,
);
