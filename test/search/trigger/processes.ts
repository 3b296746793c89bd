import { AsyncLocalStorage } from 'node:async_hooks';
import { createHarness, CREDENTIAL } from '../../engine/harness';
import type { Harness } from '../../engine/harness';
import type { Gateway } from '../../sandbox/gateway';

/** Processes of n8n, which can be killed, and their time. */

/** Time is compressed: every wait, of the node and for the node, takes a fiftieth of its time. */
const COMPRESSION = 50;

/** Waits for some of the trigger's milliseconds. */
export async function waitFor(triggerMs: number): Promise<void> {
  await pause(triggerMs / COMPRESSION);
}

/** Waits for some real milliseconds. */
export async function pause(milliseconds: number): Promise<void> {
  await untilNever(milliseconds === Infinity);
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** What belongs to a life that is over goes no further. */
export async function untilNever(isOver = false): Promise<void> {
  if (isOver) await new Promise(() => undefined);
}

let minutes = 0;
const realNow = Date.now.bind(Date);

/** The clock of n8n and of the gateway. */
export const now = () => realNow() + minutes * 61_000;

/** A minute passes between two polls. */
export function passMinute(): void {
  minutes += 1;
}

/** The life of a process. A process that is killed does nothing more. */
export class Life {
  isOver = false;
  end!: () => void;
  readonly ended = new Promise<void>((resolve) => {
    this.end = () => {
      this.isOver = true;
      resolve();
    };
  });
}

const lives = new AsyncLocalStorage<Life>();

/** Does something as part of a life: it stops where the life ends. */
export async function live<T>(life: Life, work: () => Promise<T>): Promise<T> {
  return await lives.run(life, work);
}

/** One process: n8n and the package loaded anew, with nothing in memory of any other process. */
export interface Process extends Pick<Harness, 'createPoller'> {
  /** Removes the claims of a trigger, as the end of its process does: a later process takes this one's place. */
  release: (trigger: string) => void;
}

export async function startProcess(gateway: Gateway): Promise<Process> {
  let started: Process | undefined;
  await jest.isolateModulesAsync(async () => {
    const { createPoller, loader } = await createHarness(gateway.credential());
    const credential = loader.getCredential(CREDENTIAL).type;
    const authenticate = credential.authenticate as (...args: unknown[]) => Promise<unknown>;
    Object.assign(credential, {
      authenticate: async (...args: unknown[]) => {
        await untilNever(lives.getStore()?.isOver);
        return await authenticate.apply(credential, args);
      },
    });
    const { release } = jest.requireActual<Pick<Process, 'release'>>(
      '../../../dist/nodes/SmsMessagingService/receiving/claims',
    );
    started = { createPoller, release };
    const n8n = jest.requireActual<{ sleep: (milliseconds: number) => Promise<void> }>(
      'n8n-workflow',
    );
    Object.defineProperty(n8n, 'sleep', {
      value: async (milliseconds: number) => {
        const life = lives.getStore();
        await waitFor(milliseconds);
        await untilNever(life?.isOver);
      },
    });
  });
  return started as Process;
}
