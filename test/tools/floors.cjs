'use strict';

/**
 * Suite → the fewest tests that must pass in a whole run, and the most that may be skipped. A commit that
 * removes tests lowers it.
 *
 * @type {Record<string, { passed: number, skipped: number } | undefined>}
 */
const FLOORS = require('../floors.json');

/**
 * Says why a whole run of a suite is too small to be trusted, if it is. A suite without a floor never is.
 *
 * @param {string} suite
 * @param {{ passed: number, skipped: number }} run
 * @param {typeof FLOORS} [floors]
 * @returns {string | undefined}
 */
exports.floorError = (suite, { passed, skipped }, floors = FLOORS) => {
  const floor = floors[suite];
  if (!floor || (passed >= floor.passed && skipped <= floor.skipped)) return undefined;
  const found = `${passed} tests passed and ${skipped} were skipped`;
  return `${suite}: ${found}. test/floors.json wants at least ${floor.passed} and at most ${floor.skipped}.`;
};
