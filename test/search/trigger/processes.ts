import type * as recordLife from '../../../nodes/SmsMessagingService/receiving/recordLife';
import { createHarness } from '../../kit/engine';
import type { Harness } from '../../kit/engine';
import { Life } from './time';
import type { Clock } from './time';

/** One process: the package loaded anew, with nothing in memory of any other process. */
export interface Process extends Pick<Harness, 'createPoller'> {
  /** Counts the processes of this run. */
  number: number;
  life: Life;
  /** What has happened to a record and cannot. The node may swallow the error. */
  impossible?: Error;
}

const RECORD_LIFE = '../../../nodes/SmsMessagingService/receiving/recordLife';

export async function startProcess(clock: Clock, number: number): Promise<Process> {
  let process: Process | undefined;
  jest.resetModules();
  // Each process has a sleep of its own.
  jest.doMock('n8n-workflow', () => ({
    ...jest.requireActual<object>('n8n-workflow'),
    sleep: async (milliseconds: number) => await process?.life.sleep(milliseconds),
  }));
  jest.doMock(RECORD_LIFE, () => {
    const actual = jest.requireActual<typeof recordLife>(RECORD_LIFE);
    const next: typeof actual.next = (...happening) => {
      try {
        return actual.next(...happening);
      } catch (error) {
        if (process) process.impossible = error as Error;
        throw error;
      }
    };
    return { ...actual, next };
  });
  await jest.isolateModulesAsync(async () => {
    const { createPoller } = await createHarness({});
    process = { createPoller, number, life: new Life(clock) };
  });
  return process as unknown as Process;
}
