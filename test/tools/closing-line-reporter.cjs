'use strict';

const { floorError } = require('./floors.cjs');

/**
 * A jest reporter: the last line of a run is `N passed, N failed`, for people and for CI. A whole run, which
 * is one without arguments, fails if it has fewer tests than test/floors.json says.
 */
module.exports = class ClosingLineReporter {
  constructor(_globalConfig, { args = process.argv.slice(2) } = {}) {
    this.isWhole = args.length === 0;
    /** @type {string[]} */
    this.lines = [];
    /** @type {Error | undefined} */
    this.error = undefined;
  }

  onRunComplete(_contexts, { numPassedTests, numFailedTests, numPendingTests, testResults }) {
    // A test file that cannot be loaded has no failed tests. So it counts as one failure.
    const brokenFiles = testResults.filter((file) => file.testExecError).length;
    const counts = { passed: numPassedTests, skipped: numPendingTests };
    const error = this.isWhole ? floorError('test', counts) : undefined;
    const skipped = numPendingTests > 0 ? `, ${numPendingTests} skipped` : '';
    const failed = numFailedTests + brokenFiles + (error ? 1 : 0);
    this.lines = [
      ...(error ? [error] : []),
      `${numPassedTests} passed, ${failed} failed${skipped}`,
    ];
    if (error) this.error = new Error(error);
    // jest prints its summary and the coverage after all reporters, so this waits for the exit.
    process.once('exit', () => process.stdout.write(`\n${this.lines.join('\n')}\n`));
  }

  /** jest asks for it after the run. With an error, the run has failed. */
  getLastError() {
    return this.error;
  }
};
