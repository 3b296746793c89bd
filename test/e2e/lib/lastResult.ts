import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import type { FullResult, Reporter, Suite, TestCase } from '@playwright/test/reporter';

import { chosen } from '../groups';
import { countsOf, isWhole } from './closingLine';
import { otherVersion, pinnedFolder, repository } from './paths';

/** `npm run e2e:rest` is no part of CI, so it writes down when it has run last, and how. */
const FILE = path.join(pinnedFolder, 'rest.json');

/** Writes the result of a whole run of the groups that are not in CI. */
export default class LastResult implements Reporter {
  private suite?: Suite;
  private commit = '';
  private startedAt = 0;
  private errors: string[] = [];

  onBegin(_config: unknown, suite: Suite): void {
    this.suite = suite;
    this.startedAt = Date.now();
    this.commit = git('describe', '--always', '--dirty', '--exclude', '*');
  }

  /** An error outside the tests. It counts as a failed test. */
  onError({ message = '' }: { message?: string }): void {
    this.errors.push(message.split('\n', 1)[0] ?? '');
  }

  onEnd({ status }: FullResult): void {
    if (chosen !== 'rest' || !isWhole() || otherVersion || status === 'interrupted') return;
    const { passed, failed, skipped } = countsOf(this.suite);
    const failures = (this.suite?.allTests() ?? [])
      .filter((test) => test.outcome() === 'unexpected')
      .map(titleOf);
    const result = {
      date: new Date().toISOString().slice(0, 10),
      commit: this.commit,
      passed,
      failed: failed + this.errors.length,
      skipped,
      minutes: Math.round((Date.now() - this.startedAt) / 60_000),
      failures: [...failures, ...this.errors],
    };
    writeFileSync(FILE, `${JSON.stringify(result, null, 2)}\n`);
  }
}

const titleOf = (test: TestCase) => test.titlePath().filter(Boolean).join(' › ');

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: repository, encoding: 'utf8' }).trim();
