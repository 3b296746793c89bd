import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import type { FullConfig, FullResult, Reporter, Suite } from '@playwright/test/reporter';

import { chosen } from '../groups';
import { otherVersion, pinnedFolder, repository } from '../../kit/n8n/paths';

/** Anything after the command, such as a pattern, makes a run a part of it. */
const WHOLE = ['test', '--config', 'test/e2e/playwright.config.ts'];

/** `npm run e2e:rest` is no part of CI, so it writes down when it has run last, and how. */
const LAST_RESULT = path.join(pinnedFolder, 'rest.json');

/**
 * Ends a run with one plain line, `N passed, N failed`, for people and for CI to read.
 */
export default class ClosingLine implements Reporter {
  private suite?: Suite;
  private readonly commit = describeCommit();
  private readonly errors: string[] = [];

  onBegin(_config: FullConfig, suite: Suite): void {
    this.suite = suite;
  }

  /** An error outside the tests, for instance in the setup. It counts as a failed test. */
  onError({ message = '' }: { message?: string }): void {
    this.errors.push(message.split('\n', 1)[0] ?? '');
  }

  /** An interrupted run gets no line, because it has no result. */
  onEnd({ status, duration }: FullResult): void {
    if (status === 'interrupted') return;
    const all = (this.suite?.allTests() ?? []).map((test) => ({
      title: test.titlePath().filter(Boolean).join(' › '),
      outcome: test.outcome(),
    }));
    const count = (wanted: string) => all.filter(({ outcome }) => outcome === wanted).length;
    const [passed, skipped] = [count('expected'), count('skipped')];
    const unexpected = all.filter(({ outcome }) => outcome === 'unexpected');
    const isWhole = process.argv.slice(2).join(' ') === WHOLE.join(' ');
    const failures = [...unexpected.map(({ title }) => title), ...this.errors];
    if (isWhole && chosen === 'rest' && !otherVersion) {
      const date = new Date().toISOString().slice(0, 10);
      const counts = { passed, failed: failures.length, skipped };
      const minutes = Math.round(duration / 60_000);
      const result = { date, commit: this.commit, ...counts, minutes, failures };
      writeFileSync(LAST_RESULT, `${JSON.stringify(result, null, 2)}\n`);
    }
    const more = skipped > 0 ? `, ${skipped} skipped` : '';
    console.log(`\n${passed} passed, ${failures.length} failed${more}`);
  }
}

function describeCommit(): string {
  const args = ['describe', '--always', '--dirty', '--exclude', '*'];
  return execFileSync('git', args, { cwd: repository, encoding: 'utf8' }).trim();
}
