'use strict';

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  // Generous: on a busy machine a slow test is not a wrong one.
  testTimeout: 60_000,
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/e2e/'],
  modulePathIgnorePatterns: [
    '<rootDir>/test/e2e/node_modules',
    '<rootDir>/.cache',
    '<rootDir>/.demo',
    '<rootDir>/.e2e',
    '<rootDir>/.stryker-tmp',
  ],
  // The environment that n8n-core reads when it loads.
  globalSetup: '<rootDir>/test/tools/jest-global-setup.cjs',
  globalTeardown: '<rootDir>/test/tools/jest-global-teardown.cjs',
  setupFiles: ['<rootDir>/test/tools/jest-setup.cjs'],
  // Nothing else wants the cores while the tests run: jest's default would leave one idle.
  maxWorkers: '100%',
  // A worker that goes on to the next file keeps the coverage data of n8n-core for each file before it.
  // Without a limit that takes a third of the time of `npm test`.
  workerIdleMemoryLimit: '300MB',
  transform: {
    '\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } }],
  },
  // The tests run the built package, as n8n does; source maps lead the coverage back to the sources.
  collectCoverageFrom: ['dist/{nodes,credentials}/**/*.js'],
  coverageProvider: 'v8',
  coverageReporters: ['text'],
  // Just below what the tests cover: two runs differ by a branch or two. Only --coverage checks it.
  coverageThreshold: { global: { statements: 99.7, branches: 96.8, functions: 99.5, lines: 99.7 } },
  reporters: ['default', '<rootDir>/test/tools/closing-line-reporter.cjs'],
};
