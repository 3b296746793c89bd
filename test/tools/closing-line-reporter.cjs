'use strict';

/** Ends a jest run with one plain line, `N passed, N failed`, for people and for CI to read. */
module.exports = class ClosingLineReporter {
  onRunComplete(_contexts, { numPassedTests, numFailedTests, numPendingTests, testResults }) {
    // A test file that does not even load has no failed tests of its own, and must still count.
    const brokenFiles = testResults.filter((file) => file.testExecError).length;
    const skipped = numPendingTests > 0 ? `, ${numPendingTests} skipped` : '';
    const line = `${numPassedTests} passed, ${numFailedTests + brokenFiles} failed${skipped}`;
    // jest prints its summary and the coverage after every reporter; this line is to be the last.
    process.once('exit', () => process.stdout.write(`\n${line}\n`));
  }
};
