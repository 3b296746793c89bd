/** What n8n has kept of all groups before this one. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
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
  const files = filesBelow(outputFolder);
  const findings = files.flatMap((file) => {
    const content = readFileSync(file);
    return secrets
      .filter((secret) => content.includes(secret))
      .map((secret) => `${path.relative(outputFolder, file)}: ${secret.slice(0, 10)}…`);
  });
  expect(findings).toEqual([]);

  // The search finds what is there: names of credentials, which are no secrets, and the head of a dump.
  const dumps = files.filter((file) => path.basename(file) === 'postgres.sql');
  for (const each of [database, ...dumps]) {
    const parts = files.filter((file) => file.startsWith(each));
    const content = parts.map((file) => readFileSync(file, 'latin1')).join('');
    expect(content, each).toMatch(/SMS account|PostgreSQL database cluster dump/);
  }
  console.log(`searched ${files.length} files for ${secrets.length} values`);
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => !OF_THE_SUITE.includes(file.split(path.sep)[0] ?? ''))
    .map((file) => path.join(folder, file))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
}
