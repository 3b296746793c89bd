/** What n8n has kept of all groups before this one. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';

import { database, outputFolder } from '../kit/n8n/paths';
import { recordedSecrets } from './lib/secrets';
import { expect, test } from './lib/test';

/** Folders and files of the suite itself. Traces and pictures show the forms that secrets are typed into. */
const OF_THE_SUITE = ['pictures', 'results', 'secrets.txt'];

test('No secret of the suite is in a file of n8n', async ({ client, n8n, openAccount }) => {
  // When this group runs alone, there are only these secrets to search for.
  const { gateway, credential } = await openAccount();
  await client.testCredential(credential, gateway.credential() as Record<string, string>);
  const signature = gateway.requests[0]?.headers['x-sign'];
  expect(signature).toEqual(expect.any(String));
  const { apiKey, apiSecret } = gateway;
  const secrets = [...recordedSecrets(), apiKey, apiSecret, String(signature)];

  // After a graceful stop, everything is in the files of the database.
  await n8n.restart('stop');
  expect(filesWith(secrets)).toEqual([]);

  // The search finds what is there: names of credentials, which are no secrets, and the head of a dump.
  const kept = filesWith(['SMS account', 'PostgreSQL database cluster dump']);
  expect(kept.some((file) => file.startsWith(path.relative(outputFolder, database)))).toBe(true);
  const dumps = readdirSync(outputFolder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => path.basename(file) === 'postgres.sql',
  );
  expect(kept).toEqual(expect.arrayContaining(dumps));
  console.log(`searched for ${secrets.length} values, also in ${dumps.length} dumps`);
});

/** The files of the suite's n8n that have one of these texts in them. */
function filesWith(texts: string[]): string[] {
  const where = readdirSync(outputFolder).filter((each) => !OF_THE_SUITE.includes(each));
  const found = spawnSync('grep', ['-rlaF', '--file=-', '--', ...where], {
    cwd: outputFolder,
    input: texts.map((text) => `${text}\n`).join(''),
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  });
  // n8n is running: what it removes meanwhile is not there.
  expect(found.stderr.replaceAll(/.*: No such file or directory\n/g, '')).toBe('');
  return found.stdout.split('\n').filter(Boolean);
}
