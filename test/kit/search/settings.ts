import fc from 'fast-check';

/**
 * How fast-check searches. `npm run search` runs many cases, with a new seed each time. `npm test` always
 * runs the same few. SEARCH_PATH leads to the smallest case of an earlier search.
 *
 * @param few how many cases `npm test` runs
 */
export function settings(few: number) {
  const { SEARCH_RUNS, SEARCH_SEED, SEARCH_PATH } = process.env;
  return {
    numRuns: Number(SEARCH_RUNS ?? few),
    seed: Number(SEARCH_SEED ?? 1),
    ...(SEARCH_PATH && { path: SEARCH_PATH }),
  };
}

export type Search = ReturnType<typeof settings>;

/** What an arbitrary makes. */
export type Made<A> = A extends fc.Arbitrary<infer T> ? T : never;

/** One of several, each by its weight. */
export const weighed = <Choices extends [weight: number, arbitrary: fc.Arbitrary<unknown>][]>(
  ...choices: Choices
) =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary }))) as fc.Arbitrary<
    Made<Choices[number][1]>
  >;
