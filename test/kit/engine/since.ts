import manifest from 'n8n-core/package.json';

/**
 * `describe` and `test` for what n8n does since this version of n8n-core. With an older version, the tests
 * are skipped: `npm run matrix` runs them with several versions.
 */
export function since(wanted: `${number}.${number}`): Pick<typeof globalThis, 'describe' | 'test'> {
  const isThere = manifest.version.localeCompare(wanted, 'en', { numeric: true }) >= 0;
  return isThere
    ? { describe, test }
    : { describe: describe.skip as never, test: test.skip as never };
}
