import type { FullConfig, FullResult, Reporter, Suite } from '@playwright/test/reporter';

/** Ends a run with one plain line, `N passed, N failed`, for people and for CI to read. */
export default class ClosingLine implements Reporter {
  private suite?: Suite;
  private errors = 0;

  onBegin(_config: FullConfig, suite: Suite): void {
    this.suite = suite;
  }

  /** An error outside the tests, for instance in the setup. It counts as a failed test. */
  onError(): void {
    this.errors += 1;
  }

  /** An interrupted run gets no line, because it has no result. */
  onEnd({ status }: FullResult): void {
    if (status === 'interrupted') return;
    const outcomes = (this.suite?.allTests() ?? []).map((test) => test.outcome());
    const count = (wanted: string) => outcomes.filter((each) => each === wanted).length;
    const skipped = count('skipped') > 0 ? `, ${count('skipped')} skipped` : '';
    const failed = count('unexpected') + this.errors;
    console.log(`\n${count('expected')} passed, ${failed} failed${skipped}`);
  }

  printsToStdio(): boolean {
    return true;
  }
}
