import type * as n8nWorkflow from 'n8n-workflow';

/**
 * In all tests, the node's pauses take virtual time: `performance.now`, which the node reads, jumps to the
 * end of each `sleep`, and pauses end in their order. Requests take their real time.
 */

/** A pause really takes this fraction of its time, so that open requests can continue. */
const SPEED = 500;
/** The longest real pause. */
const MAX_REAL_MS = 20;
/** A pause that is shorter only lets others continue: Node's timers take a millisecond at least. */
const MIN_MS = 20;

interface Pause {
  end: number;
  resolve: () => void;
}

interface Clock extends Performance {
  /** How far it is ahead of real time, in milliseconds. */
  ahead: number;
  /** The pauses that have not ended, the next to end first. */
  pauses: Pause[];
  timer?: NodeJS.Timeout | NodeJS.Immediate;
}

/** Modules that are loaded again have the same clock. */
const clock = () => performance as Clock;

/** Sets the clock of pauses forward. */
export function setForward(milliseconds: number): void {
  clock().ahead += milliseconds;
}

/** jest calls this before each file of tests. */
export function makePausesVirtual(): void {
  const real = performance;
  const virtual = Object.create(real) as Clock;
  const now = () => real.now() + virtual.ahead;
  globalThis.performance = Object.assign(virtual, { ahead: 0, pauses: [], now });
  jest.doMock('n8n-workflow', () => {
    const actual = jest.requireActual<typeof n8nWorkflow>('n8n-workflow');
    return { ...actual, sleep };
  });
}

async function sleep(milliseconds: number): Promise<void> {
  const { pauses } = clock();
  await new Promise<void>((resolve) => {
    pauses.push({ end: performance.now() + milliseconds, resolve });
    pauses.sort((one, other) => one.end - other.end);
    awaitNext();
  });
}

function awaitNext(): void {
  const { pauses, timer } = clock();
  clearTimeout(timer as NodeJS.Timeout);
  clearImmediate(timer as NodeJS.Immediate);
  const [next] = pauses;
  if (!next) return;
  const leftMs = next.end - performance.now();
  const realMs = Math.min(leftMs / SPEED, MAX_REAL_MS);
  clock().timer = leftMs < MIN_MS ? setImmediate(endNext) : setTimeout(endNext, realMs);
}

function endNext(): void {
  const next = clock().pauses.shift();
  if (next) setForward(Math.max(0, next.end - performance.now()));
  next?.resolve();
  awaitNext();
}

/** Waits until the node pauses for at least this time. */
export async function untilPause(milliseconds: number): Promise<void> {
  const isLong = ({ end }: Pause) => end - performance.now() >= milliseconds;
  while (!clock().pauses.some(isLong)) await new Promise(setImmediate);
}

/** Waits until something holds. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(setImmediate);
}

/** Runs something in which the time limits of the node (`AbortSignal.timeout`) end only when `end` is called. */
export async function withTimeLimits<T>(run: (end: () => void) => Promise<T>): Promise<T> {
  const limits: AbortController[] = [];
  const spy = jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const limit = new AbortController();
    limits.push(limit);
    return limit.signal;
  });
  const reason = () => new DOMException('The operation was aborted due to timeout', 'TimeoutError');
  try {
    return await run(() => limits.forEach((limit) => limit.abort(reason())));
  } finally {
    spy.mockRestore();
  }
}

const { timeout } = AbortSignal;

/** Runs something while every time limit of the node is a hundred times shorter. */
export async function withShortTimeLimits<T>(run: () => Promise<T>): Promise<T> {
  const spy = jest
    .spyOn(AbortSignal, 'timeout')
    .mockImplementation((milliseconds) => timeout.call(AbortSignal, Math.ceil(milliseconds / 100)));
  try {
    return await run();
  } finally {
    spy.mockRestore();
  }
}
