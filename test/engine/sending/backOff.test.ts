import { afterSetback, afterSuccess } from '../../../nodes/SmsMessagingService/sending/backOff';
import type { Setback, Step, Tempo } from '../../../nodes/SmsMessagingService/sending/backOff';

/** When a run pauses, and when it stops: tables of steps. */

const START: Tempo = { concurrency: 4, maxConcurrency: 4, pauses: 0, unclear: 0 };

/** The steps that follow these setbacks, each of a request that began after the pause before it. */
function play(setbacks: Setback[], { maxRetries = 3, random = 0, tempo = START } = {}): Step[] {
  let now = tempo;
  return setbacks.map((setback) => {
    const next = afterSetback(now, setback, true, maxRetries, random);
    if (next.kind === 'continue') now = next.tempo;
    return next;
  });
}

const pausesOf = (steps: Step[]) =>
  steps.map((step) => (step.kind === 'stop' ? 'stop' : step.pauseMs));

const LIMITED: Setback = { kind: 'throttled' };
const AWAY: Setback = { kind: 'unreachable' };
const UNCLEAR: Setback = { kind: 'unclear' };

describe('requests that were not let through', () => {
  // Guess: repeat
  test.each([
    ['throttled', LIMITED, [1000, 8000, 60_000, 'stop']],
    ['unreachable', AWAY, [500, 1000, 2000, 'stop']],
  ])('%s: the run stops after Max Retries pauses in a row, each longer', (_, setback, pauses) => {
    expect(pausesOf(play(Array<Setback>(4).fill(setback)))).toEqual(pauses);
    const many = pausesOf(play(Array<Setback>(10).fill(setback), { maxRetries: 99, random: 1 }));
    expect(many[0]).toBe(Number(pauses[0]) * 2);
    expect(many.at(-1)).toBe(60_000);
    expect(pausesOf(play([setback], { maxRetries: 0 }))).toEqual(['stop']);
  });

  test('three pauses last longer than a minute, because a limit is often one per minute', () => {
    const pauses = pausesOf(play(Array<Setback>(3).fill(LIMITED)));
    expect(pauses.reduce((sum: number, pause) => sum + Number(pause), 0)).toBeGreaterThan(60_000);
  });

  // Guess: retry-after
  test.each([
    [0, 1000],
    [-5000, 1000],
    [1100, 1100],
    [60_000, 60_000],
    [60_001, 'stop'],
  ])('Retry-After of %d ms: the longer of it and the back-off is waited for', (ms, pause) => {
    expect(pausesOf(play([{ ...LIMITED, retryAfterMs: ms }]))).toEqual([pause]);
  });

  test('fewer requests run at a time, down to one, and never more than half again', () => {
    const [one, two, three] = play(Array<Setback>(3).fill(LIMITED));
    expect([one, two, three]).toMatchObject([
      { tempo: { concurrency: 2, maxConcurrency: 2 } },
      { tempo: { concurrency: 1, maxConcurrency: 1 } },
      { tempo: { concurrency: 1, maxConcurrency: 1 } },
    ]);
    if (one?.kind !== 'continue') throw new Error('stopped');
    expect(afterSuccess(one.tempo)).toEqual({
      concurrency: 2,
      maxConcurrency: 2,
      pauses: 0,
      unclear: 0,
    });
  });

  test('a clear answer ends the row', () => {
    const [, , third] = play(Array<Setback>(3).fill(LIMITED));
    if (third?.kind !== 'continue') throw new Error('stopped');
    expect(pausesOf(play([LIMITED], { tempo: afterSuccess(third.tempo) }))).toEqual([1000]);
  });

  test('those that began before the pause do not count, but their Retry-After is waited for', () => {
    const tempo = { ...START, pauses: 3 };
    const late = { ...LIMITED, retryAfterMs: 700 };
    expect(afterSetback(tempo, late, false, 3, 0)).toEqual({
      kind: 'continue',
      tempo,
      pauseMs: 700,
    });
  });
});

describe('unclear outcomes', () => {
  test('the run pauses from the third in a row on, longer each time, and stops with the sixth', () => {
    const steps = play(Array<Setback>(6).fill(UNCLEAR));
    expect(pausesOf(steps)).toEqual([0, 0, 1000, 2000, 4000, 'stop']);
    expect(steps[2]).toMatchObject({ tempo: { concurrency: 1, maxConcurrency: 4 } });
  });

  test('a clear answer ends the row, and the run becomes as fast again', () => {
    const [, , , , fifth] = play(Array<Setback>(5).fill(UNCLEAR));
    if (fifth?.kind !== 'continue') throw new Error('stopped');
    let tempo = afterSuccess(fifth.tempo);
    expect(tempo).toMatchObject({ concurrency: 2, unclear: 0 });
    for (let count = 0; count < 5; count++) tempo = afterSuccess(tempo);
    expect(tempo.concurrency).toBe(4);
  });

  test('those that were under way when the pause began do not count', () => {
    const tempo = { ...START, unclear: 3 };
    expect(afterSetback(tempo, UNCLEAR, false, 3, 0)).toEqual({
      kind: 'continue',
      tempo,
      pauseMs: 0,
    });
  });
});
