'use strict';

/** A jest reporter: the last line of a run is `N passed, N failed`, for people and for CI. */
module.exports = class ClosingLineReporter {
  onRunComplete(_contexts, { numPassedTests, numFailedTests, numPendingTests, testResults }) {
    // A test file that cannot be loaded has no failed tests. So it counts as one failure.
    const brokenFiles = testResults.filter((file) => file.testExecError).length;
    const skipped = numPendingTests > 0 ? `, ${numPendingTests} skipped` : '';
    const line = `${numPassedTests} passed, ${numFailedTests + brokenFiles} failed${skipped}`;
    // jest prints its summary and the coverage after all reporters, so this waits for the exit.
    process.once('exit', () => process.stdout.write(`\n${line}\n`));
  }
};
