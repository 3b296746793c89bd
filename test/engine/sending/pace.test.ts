import type * as n8nWorkflow from 'n8n-workflow';
import type { Happening } from '../../../nodes/SmsMessagingService/sending/messageLife';
import { Pace, pauseAfter } from '../../../nodes/SmsMessagingService/sending/pace';
import type { Turn } from '../../../nodes/SmsMessagingService/sending/pace';

/** When the requests of a run are made. What becomes of their messages is in sender.test.ts. */

/** The pauses that have not ended. */
let mockPauses: { ms: number; end: () => void }[];

jest.mock('n8n-workflow', () => ({
  ...jest.requireActual<typeof n8nWorkflow>('n8n-workflow'),
  sleep: async (ms: number) => await new Promise<void>((end) => void mockPauses.push({ ms, end })),
}));

describe('the pause after an answer that is not clear', () => {
  // Guess: repeat
  test.each<[Happening, number, number[], number | undefined]>([
    // Three pauses last longer than a minute: a limit is often one request per minute.
    ['throttled', 3, [1_000, 8_000, 60_000], undefined],
    ['throttled', 0, [], undefined],
    ['throttled', 1, [1_100], 1_100],
    ['throttled', 2, [1_000, 8_000], 900],
    ['throttled', 1, [60_000], 60_000],
    ['throttled', 1, [], 60_001],
    ['unreachable', 3, [500, 1_000, 2_000], undefined],
    ['unclear', 0, [0, 0, 1_000, 2_000, 4_000], undefined],
  ])(
    '%s, Max Retries %d: %j, and then the run stops (Retry-After %p)',
    (happening, maxRetries, pauses, retryAfterMs = 0) => {
      const found = [...pauses, undefined].map((_, before) =>
        pauseAfter(happening, retryAfterMs, before + 1, maxRetries, 0),
      );
      expect(found).toEqual([...pauses, undefined]);
    },
  );

  test('is up to twice as long, so that several runs do not go on together, but a minute at most', () => {
    const pauses = [1, 2, 3, 99].map((inARow) => pauseAfter('throttled', 0, inARow, 99, 1));
    expect(pauses).toEqual([2_000, 16_000, 60_000, 60_000]);
  });
});

describe('the requests of a run', () => {
  beforeEach(() => {
    mockPauses = [];
    jest.spyOn(Math, 'random').mockReturnValue(0);
  });

  afterEach(() => jest.restoreAllMocks());

  /** Ends the latest pause. */
  async function pass(): Promise<void> {
    mockPauses.pop()?.end();
    await new Promise(setImmediate);
  }

  /** A run that has begun this many requests. */
  async function start(count: number, signal = new AbortController().signal) {
    const pace = new Pace(1, signal);
    const turns: Turn[] = [];
    const run = {
      pace,
      /** Wants to make more requests. */
      want: async (more: number) => {
        for (let n = 0; n < more; n++) void pace.begin().then((turn) => turns.push(turn));
        await new Promise(setImmediate);
      },
      /** How many have begun. */
      begun: () => turns.filter(({ kind }) => kind === 'go').length,
      /** What the others were told. */
      stopped: () => turns.flatMap((turn) => (turn.kind === 'stopped' ? turn.news.msg : [])),
      /** Answers a request, by its number from 0 on. */
      answer: async (request: number, happening: Happening = 'accepted', retryAfterMs?: number) => {
        const turn = turns[request];
        if (turn?.kind !== 'go') throw new Error(`Request ${request} has not begun`);
        pace.end(turn.pauses, { happening }, retryAfterMs);
        await new Promise(setImmediate);
      },
    };
    await run.want(count);
    return run;
  }

  test('are not made during a pause; then one alone, until it gets a clear answer', async () => {
    const run = await start(3);
    await run.answer(0, 'throttled');
    await run.want(3);
    // They began before the pause, so they say nothing about the service after it.
    await run.answer(1);
    await run.answer(2, 'throttled', 30_000);
    expect([run.begun(), mockPauses]).toMatchObject([3, [{ ms: 1_000 }]]);
    await pass();
    expect(run.begun()).toBe(4);
    await run.answer(3);
    expect(run.begun()).toBe(6);
  });

  test('end after six unclear answers in a row, the latest of them made alone', async () => {
    const run = await start(4);
    const begun: number[] = [];
    for (let request = 0; !run.pace.stop; request++) {
      begun.push(run.begun());
      await run.answer(request, request === 1 ? 'accepted' : 'unclear');
      await run.want(1);
      await pass();
    }
    // The first pause comes with the third in a row. Three others are in flight then, and do not count.
    expect(begun).toEqual([4, 5, 6, 7, 8, 8, 8, 8, 9, 10, 11]);
  });

  test.each([
    ['during a pause', 1],
    ['while one is made alone', 2],
  ])('end when the execution is cancelled %s', async (_, begun) => {
    const controller = new AbortController();
    const run = await start(1, controller.signal);
    await run.answer(0, 'throttled');
    await run.want(3);
    if (begun === 2) await pass();
    controller.abort();
    if (begun === 2) await run.answer(1);
    await new Promise(setImmediate);
    expect(run.begun()).toBe(begun);
    expect(run.stopped()).toEqual(Array(4 - begun).fill('The execution was cancelled'));
  });
});
