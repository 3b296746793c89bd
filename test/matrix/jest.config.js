'use strict';
const path = require('node:path');
const base = require('../../jest.config.js');

const installed = path.resolve(process.env.MATRIX_FOLDER, 'node_modules');

/**
 * The engine tests with the n8n-core in the folder MATRIX_FOLDER instead of the locked one.
 *
 * @type {import('jest').Config}
 */
module.exports = {
  ...base,
  rootDir: path.resolve(__dirname, '../..'),
  testMatch: ['<rootDir>/test/engine/**/*.test.ts', '<rootDir>/test/search/**/*.test.ts'],
  // Older ones leave timers and connections behind.
  forceExit: true,
  modulePathIgnorePatterns: base.modulePathIgnorePatterns.filter(
    (each) => !each.includes('.cache'),
  ),
  moduleNameMapper: {
    '^n8n-core$': '<rootDir>/test/matrix/n8n-core.js',
    '^n8n-core/package.json$': `${installed}/n8n-core/package.json`,
    '^n8n-workflow$': '<rootDir>/test/matrix/n8n-workflow.js',
    '^(@n8n/di|reflect-metadata)$': `${installed}/$1`,
  },
  transform: {
    ...base.transform,
    // Some of them load packages that are ES modules only.
    '\\.m?js$': ['@swc/jest', { module: { type: 'commonjs' } }],
  },
  transformIgnorePatterns: [
    '/dist/',
    '/node_modules/(?!(p-retry|is-network-error|p-queue|p-timeout|uuid|eventemitter3)/)',
  ],
};
