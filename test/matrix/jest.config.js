'use strict';
const path = require('node:path');
const base = require('../../jest.config.js');

const installed = path.resolve(process.env.MATRIX_FOLDER, 'node_modules');

/**
 * Runs the engine tests and the random search with the n8n-core that is installed in MATRIX_FOLDER.
 *
 * @type {import('jest').Config}
 */
module.exports = {
  ...base,
  rootDir: path.resolve(__dirname, '../..'),
  testMatch: ['<rootDir>/test/engine/**/*.test.ts', '<rootDir>/test/search/**/*.test.ts'],
  // main.ts reads the report, and holds it against the floor.
  reporters: ['default'],
  // Old versions of n8n-core do not close their timers and connections.
  forceExit: true,
  modulePathIgnorePatterns: base.modulePathIgnorePatterns.filter(
    (each) => !each.includes('.cache'),
  ),
  moduleNameMapper: {
    ...base.moduleNameMapper,
    '^n8n-core$': '<rootDir>/test/matrix/n8n-core.js',
    '^n8n-core/package.json$': `${installed}/n8n-core/package.json`,
    '^n8n-workflow$': '<rootDir>/test/matrix/n8n-workflow.js',
    '^(@n8n/di|reflect-metadata)$': `${installed}/$1`,
  },
};
