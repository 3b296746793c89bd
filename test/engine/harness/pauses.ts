import type * as n8nWorkflow from 'n8n-workflow';

/** How many times shorter the pauses of the node are in tests that would wait for them. */
export const SPEED = 20;

/** n8n-workflow with a `sleep` that is shorter, for `jest.mock`. */
export function withShortPauses(speed = SPEED): typeof n8nWorkflow {
  const actual = jest.requireActual<typeof n8nWorkflow>('n8n-workflow');
  return { ...actual, sleep: async (milliseconds) => await actual.sleep(milliseconds / speed) };
}

/** Lets the clock of pauses run faster by the same factor, until mocks are restored. */
export function hurryClock(speed = SPEED): void {
  const real = performance.now.bind(performance);
  const begin = real();
  jest.spyOn(performance, 'now').mockImplementation(() => begin + (real() - begin) * speed);
}

const realNow = performance.now.bind(performance);
let forward = 0;

/** Sets the clock of pauses forward, until mocks are restored. */
export function setForward(milliseconds: number): void {
  forward += milliseconds;
  jest.spyOn(performance, 'now').mockImplementation(() => realNow() + forward);
}
