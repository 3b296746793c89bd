import { rmSync } from 'node:fs';
import path from 'node:path';

import { claim } from '../../kit/n8n/claim';
import { ensureN8n } from '../../kit/n8n/install';
import { installPackage, packPackage } from '../../kit/n8n/pack';
import { logFolder, outputFolder, userFolder } from '../../kit/n8n/paths';
import { secretsFile } from './secrets';

/**
 * Runs once, before all tests: clears what an earlier run has left, installs n8n, and installs into it the
 * package as it is here, or as npm knows it (E2E_PACKAGE=<name>@<version>, for the groups that need one n8n).
 */
export default async function setUp(): Promise<void> {
  // Playwright stops its workers, and so n8n, in an orderly way only for a SIGINT.
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.kill(process.pid, 'SIGINT'));
  }
  process.once('exit', claim(outputFolder, 'The end-to-end suite').release);
  const leftovers = ['pictures', 'queue', 'results'].map((name) => path.join(outputFolder, name));
  for (const each of [...leftovers, logFolder, userFolder, secretsFile]) {
    rmSync(each, { recursive: true, force: true });
  }

  const startedAt = Date.now();
  const tell = (line: string) => {
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    console.log(`[${String(seconds).padStart(4)} s] ${line}`);
  };
  await ensureN8n(path.join(outputFolder, 'install.log'), tell);
  const what = process.env.E2E_PACKAGE ?? (await packPackage(outputFolder, tell));
  await installPackage(what, userFolder);
}
