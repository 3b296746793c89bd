import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import type { Step } from './lib/step';

/** After everything else has run: what n8n has kept of it. */
export const security: Step[] = [
  {
    name: 'No key, secret, token or X-Sign of the whole suite is in the database, a log or a file of n8n',
    async run(stage) {
      // Something has to be looked for, also when this group runs alone.
      const { gateway, credential } = await stage.account();
      await stage.client.testCredential(credential, gateway.credential() as Record<string, string>);
      const signature = gateway.requests[0]?.headers['x-sign'];
      const secrets = new Set([
        ...stage.secrets,
        gateway.apiKey,
        gateway.apiSecret,
        String(signature),
      ]);
      assert.ok(secrets.size >= 3 && !secrets.has('undefined'));

      // Stopped in order, so that the database is all in its files.
      await stage.restart('stop');
      const files = filesBelow(stage.folder).filter((file) => !file.includes('/pictures/'));
      const findings = files.flatMap((file) => {
        const content = readFileSync(file);
        return [...secrets]
          .filter((secret) => content.includes(secret))
          .map((secret) => `${path.relative(stage.folder, file)}: ${secret.slice(0, 10)}…`);
      });
      assert.deepEqual(findings, []);
      // The search finds what is there: the name of the credential, which is no secret.
      const database = path.join(stage.userFolder, '.n8n/database.sqlite');
      assert.ok(
        [database, `${database}-wal`].some(
          (file) => files.includes(file) && readFileSync(file).includes(credential.name),
        ),
      );
      stage.tell(`  looked for ${secrets.size} values in ${files.length} files`);
    },
  },
  {
    name: 'The sandbox listens on loopback only',
    async run({ account }) {
      const { gateway } = await account();
      const port = new URL(gateway.origin).port;
      const addresses = Object.values(os.networkInterfaces())
        .flat()
        .filter((each) => each && !each.internal && each.family === 'IPv4')
        .map((each) => each?.address ?? '');
      for (const address of addresses) {
        await assert.rejects(
          fetch(`http://${address}:${port}/`, { signal: AbortSignal.timeout(5_000) }),
          `${address}:${port} answers`,
        );
      }
      assert.ok((await fetch(`${gateway.origin}/`)).ok);
    },
  },
  {
    name: 'The tarball holds nothing but the compiled sources, icons and texts',
    async run({ tarball }) {
      const files = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).trim().split('\n');
      const foreign = files.filter(
        (file) =>
          !/^package\/(?:package\.json|index\.js|README\.md|LICENSE|CHANGELOG\.md|dist\/(?:nodes|credentials)\/.*\.(?:js|json)|dist\/icons\/.*\.svg)$/.test(
            file,
          ),
      );
      assert.deepEqual(foreign, []);
      await Promise.resolve();
    },
  },
];

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => path.join(folder, file))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
}
