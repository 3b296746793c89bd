/*
 * The life of a record that was pulled, as a table, and nothing else: `next` gives the life after something has
 * happened. `ledger.ts` keeps lives and carries them out. Times are of the wall clock, because they outlive a
 * process.
 */

export type State =
  | 'waiting' // it comes with its page
  | 'handedOver' // n8n has got it with its page
  | 'probe' // it comes alone, at once, to show whether anything works
  | 'probed' // n8n has got it alone for that
  | 'alone' // it comes alone, when it is due
  | 'handedOverAlone' // n8n has got it alone
  | 'left' // it comes no more, and somebody is to be told
  | 'done'; // n8n has it for certain

export type Happening =
  | 'handOver' // n8n gets it now
  | 'started' // n8n has stored an execution with it: enough without Repeat Failed Executions
  | 'refused' // n8n has not, so this was no try
  | 'succeeded' // its execution has
  | 'failed' // its execution has, and nothing else has succeeded since it failed last, or came
  | 'failedByItself' // its execution has, and something else has succeeded
  | 'silent' // n8n has said nothing for too long
  | 'restarted' // the process that has handed it over is gone
  | 'chosen' // its page has failed: three of its records are tried alone
  | 'divided' // its page has failed, and something works
  | 'givenUp' // it has failed by itself too often
  | 'told'; // somebody has been told that it is left

export interface Life {
  readonly state: State;
  /** When it failed last. Before that: when it came. */
  readonly at: number;
  /** Number of tries that failed when nothing else worked either, or ended a process, since it last failed by itself. */
  readonly vain: number;
  /** Number of tries that failed by themselves, and when the first one did. */
  readonly tries: number;
  readonly since: number;
  /** Whether n8n has said nothing of a try. */
  readonly isSilent: boolean;
}

export const newLife = (now: number): Life => ({
  ...({ state: 'waiting', at: now, vain: 0, tries: 0, since: 0, isSilent: false } as const),
});

type Step = (life: Life, now: number) => Life;

const to =
  (state: State): Step =>
  (life) => ({ ...life, state });

const failInVain =
  (state: State): Step =>
  (life, now) => ({ ...life, state, at: now, vain: life.vain + 1 });

const failByItself: Step = (life, now) => ({
  ...{ ...life, state: 'alone', at: now },
  ...{ tries: life.tries + 1, vain: 0, since: life.since || now },
});

/** Once. After that, only n8n or a start of n8n makes it come again: an execution may take long. */
const comeAloneOnce: Step = (life) =>
  life.isSilent ? life : { ...life, state: 'alone', isSilent: true };

/** What was with others when a process ended comes with them once more. After that, one of them may be the cause. */
const comeOnceMore =
  (before: State): Step =>
  (life, now) =>
    failInVain(life.vain === 0 ? before : 'alone')(life, now);

/** What may become of a record that n8n has got. */
const underWay = (before: State, after: State) => ({
  started: to('done'),
  refused: to(before),
  succeeded: to('done'),
  failed: failInVain(after),
  failedByItself: failByItself,
  silent: comeAloneOnce,
  restarted: comeOnceMore(before),
});

/** State → what happens → the life after it. Nothing else can happen. */
export const TABLE: Record<State, Partial<Record<Happening, Step>>> = {
  waiting: {
    handOver: to('handedOver'),
    succeeded: to('done'),
    chosen: to('probe'),
    divided: to('alone'),
  },
  handedOver: underWay('waiting', 'waiting'),
  probe: { handOver: to('probed'), succeeded: to('done'), divided: to('alone') },
  probed: underWay('probe', 'waiting'),
  alone: { handOver: to('handedOverAlone'), succeeded: to('done'), givenUp: to('left') },
  // It may be what has ended the process.
  handedOverAlone: { ...underWay('alone', 'alone'), restarted: failByItself },
  left: { succeeded: to('done'), told: to('done') },
  // n8n may report late on what was taken for started.
  done: { started: to('done'), succeeded: to('done'), refused: to('waiting') },
};

/** @throws Error if this cannot happen in the state */
export function next(life: Life, happening: Happening, now: number): Life {
  const step = TABLE[life.state][happening];
  if (!step) throw new Error(`A record that is ${life.state} cannot be ${happening}`);
  return step(life, now);
}

export function readLife(stored: unknown): Life {
  const life = readLike(newLife(0), stored);
  return Object.hasOwn(TABLE, life.state) ? life : { ...life, state: 'waiting' };
}

/** The fields of `usual` with what static data has of the same type. Tolerates anything: it may be edited by hand. */
export function readLike<T extends object>(usual: T, stored: unknown): T {
  const given = Object(stored) as Record<string, unknown>;
  const read = Object.entries(usual).map(([name, value]) => [
    name,
    typeof given[name] === typeof value ? given[name] : value,
  ]);
  return Object.fromEntries(read) as T;
}

/** After how long a record comes again that has failed by itself once, twice and so on, in milliseconds. */
export const ALONE_AGAIN_MS = [1, 5, 15, 60, 240].map((minutes) => minutes * 60_000);

/** A record that fails when nothing else works comes again at least so often, in milliseconds. */
export const VAIN_AGAIN_MS = 30 * 60_000;

/**
 * How long a record waits that has failed by itself.
 *
 * @param hasHope whether another one has succeeded since it failed last
 */
export function againMs({ tries, vain }: Life, hasHope: boolean): number {
  const after = (times: number) => ALONE_AGAIN_MS.slice(0, times).at(-1) ?? 0;
  return hasHope
    ? after(tries)
    : Math.max(after(tries), Math.min(after(tries + vain), VAIN_AGAIN_MS));
}
