import { createHarness } from '../../kit/engine';
import type { Harness } from '../../kit/engine';
import { Life } from './time';
import type { Clock } from './time';

/** One process: n8n and the package loaded anew, with nothing in memory of any other process. */
export interface Process extends Pick<Harness, 'createPoller'> {
  /** Counts the processes of this run. */
  number: number;
  life: Life;
}

export async function startProcess(clock: Clock, number: number): Promise<Process> {
  // Each process has a sleep of its own.
  jest.dontMock('n8n-workflow');
  let started: Process | undefined;
  await jest.isolateModulesAsync(async () => {
    const { createPoller } = await createHarness({});
    const process: Process = { createPoller, number, life: new Life(clock) };
    const n8n = jest.requireActual<object>('n8n-workflow');
    Object.defineProperty(n8n, 'sleep', {
      value: async (milliseconds: number) => await process.life.sleep(milliseconds),
    });
    started = process;
  });
  return started as Process;
}
