import manifest from 'n8n-core/package.json';

const [major = 0, minor = 0] = manifest.version.split('.').map(Number);

/**
 * `describe` and `test` for what n8n itself does since this version of n8n-core: `npm run matrix` runs
 * the tests with older ones, too.
 */
export function since(wanted: `${number}.${number}`): Pick<typeof globalThis, 'describe' | 'test'> {
  const [wantedMajor = 0, wantedMinor = 0] = wanted.split('.').map(Number);
  const isThere = major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
  return isThere
    ? { describe, test }
    : { describe: describe.skip as never, test: test.skip as never };
}
