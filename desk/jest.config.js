'use strict';
const path = require('node:path');
const base = require('../jest.config.js');

/**
 * The tests of the desk alone, as `npm test --workspace desk` runs them.
 *
 * @type {import('jest').Config}
 */
module.exports = {
  ...base,
  rootDir: path.resolve(__dirname, '..'),
  testMatch: ['<rootDir>/desk/test/**/*.test.ts'],
  // The floor is that of all tests.
  reporters: ['default'],
};
