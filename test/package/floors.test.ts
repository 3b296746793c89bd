import { floorError } from '../tools/floors.cjs';
import Reporter from '../tools/closing-line-reporter.cjs';

/** A suite that has run too little does not pass. */

const FLOORS = { small: { passed: 10, skipped: 1 } };

test.each([
  ['enough', 10, 1, undefined],
  ['nothing', 0, 0, 'small: 0 tests passed and 0 were skipped. test/floors.json wants at least 10'],
  ['skipped', 12, 2, 'small: 12 tests passed and 2 were skipped'],
])('a run with %s', (_, passed, skipped, error) => {
  const found = floorError('small', { passed, skipped }, FLOORS);
  expect(found).toEqual(error && expect.stringContaining(error));
});

test.each([
  ['whole', [], '0 passed, 1 failed'],
  ['one file', ['test/engine/texts'], '0 passed, 0 failed'],
])('what jest is told of a run of nothing: %s', (_, args, line) => {
  const once = jest.spyOn(process, 'once').mockReturnThis();
  const reporter = new Reporter({}, { args });
  reporter.onRunComplete(new Set(), {
    numPassedTests: 0,
    numFailedTests: 0,
    numPendingTests: 0,
    testResults: [],
  });
  expect(once).toHaveBeenCalledWith('exit', expect.any(Function));
  expect(reporter.lines.at(-1)).toBe(line);
  expect(reporter.getLastError()?.message).toEqual(
    args.length === 0 ? expect.stringMatching(/^test: 0 tests passed/) : undefined,
  );
});
