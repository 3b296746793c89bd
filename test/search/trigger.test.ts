import fc from 'fast-check';
import { since } from '../kit/engine/since';
import { settings } from '../kit/search/settings';
import { play } from './trigger/history';
import { lifeOfPoll } from './trigger/n8n';
import { startProcess } from './trigger/processes';
import type { Process } from './trigger/processes';
import { scenario } from './trigger/scenario';
import { Clock } from './trigger/time';

const SETTINGS = settings(30);

/** Processes per history. The restarts after that are left out. */
const PROCESSES = 6;

// The search's n8n is the present one: `npm run matrix` tries the trigger in older ones by examples.
since('2.38').test(
  `the trigger loses no record and brings none twice, in ${SETTINGS.numRuns} random lives`,
  async () => {
    const clock = new Clock();
    const processes: Process[] = [];
    for (let each = 0; each < PROCESSES; each++) processes.push(await startProcess(clock, each));
    clock.install(lifeOfPoll);
    // A poll that never ends is a failure, too.
    await fc.assert(
      fc.asyncProperty(scenario, (each) => play(each, { clock, processes })),
      { ...SETTINGS, timeout: 180_000 },
    );
  },
);
