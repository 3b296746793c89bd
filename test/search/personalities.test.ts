import fc from 'fast-check';
import { meet } from '../personalities/campaign';
import { CAPABILITIES } from '../personalities/capabilities';
import { capabilityNamed } from '../personalities/settings';
import { PERSONALITIES } from '../sandbox/personalities';
import { settings } from './settings';

/** Providers that differ in several ways at once, at random. */

const SETTINGS = settings(5);

const ASPECTS = [...new Set(PERSONALITIES.map(({ about }) => about))];

/** For each aspect, mostly none of its personalities. */
const provider = fc
  .tuple(
    ...ASPECTS.map((about) =>
      fc.option(
        fc.constantFrom(...PERSONALITIES.filter((each) => each.about === about).map((p) => p.name)),
        { freq: 3, nil: undefined },
      ),
    ),
  )
  .map((names) => names.filter((name) => name !== undefined));

const NAMES = CAPABILITIES.map(({ name }) => name);

const some = fc.subarray(NAMES, { minLength: 4, maxLength: 8 });

test(
  `first contact: what fails says what to set, with ${SETTINGS.numRuns} random providers`,
  async () => {
    await fc.assert(
      fc.asyncProperty(provider, some, async (names, capabilities) => {
        await meet(names, capabilities.map(capabilityNamed));
      }),
      SETTINGS,
    );
  },
  60_000 + SETTINGS.numRuns * 2_000,
);
