'use strict';
const fs = require('node:fs');

// Tests import the sources of the nodes, and n8n's loader what package.json names. Both get the same code:
// as it is written, so that a test needs no build, or with NODES=built as it is packed.
const isBuilt = process.env.NODES === 'built';

// Not the end-to-end suite: to watch the files of the n8n in it takes a minute.
const tests = fs
  .readdirSync(`${__dirname}/test`, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'e2e')
  .map(({ name }) => `<rootDir>/test/${name}`);

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: '<rootDir>/test/tools/jest-environment.cjs',
  runtime: '<rootDir>/test/tools/jest-runtime.cjs',
  // Generous: on a busy machine a slow test is not a wrong one. A search takes as long as it takes.
  testTimeout: process.env.SEARCH_RUNS ? 24 * 3_600_000 : 60_000,
  roots: [
    '<rootDir>/nodes',
    '<rootDir>/credentials',
    // Without a build it is the global setup that says what to do: jest would only miss a folder.
    ...(isBuilt && fs.existsSync(`${__dirname}/dist`) ? ['<rootDir>/dist'] : []),
    ...tests,
    '<rootDir>/desk/test',
  ],
  testMatch: ['<rootDir>/{test,desk/test}/**/*.test.ts'],
  modulePathIgnorePatterns: [
    '<rootDir>/test/e2e/node_modules',
    '<rootDir>/.cache',
    '<rootDir>/.demo',
    '<rootDir>/.e2e',
  ],
  // The environment that n8n-core reads when it loads.
  globalSetup: '<rootDir>/test/tools/jest-global-setup.cjs',
  setupFiles: ['<rootDir>/test/tools/jest-setup.ts'],
  // Jest's default would leave a core idle.
  maxWorkers: '100%',
  // A worker keeps something of each file that it has run.
  workerIdleMemoryLimit: '1GB',
  moduleNameMapper: isBuilt
    ? { '^(?:\\.\\./)+(nodes|credentials)/(SmsMessagingService.*)$': '<rootDir>/dist/$1/$2.js' }
    : {
        [`^${__dirname}/dist/(.*)\\.js$`]: '<rootDir>/$1.ts',
        [`^${__dirname}/dist/(.*\\.json)$`]: '<rootDir>/$1',
      },
  transform: {
    '\\.(ts|mjs)$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } }],
  },
  // It takes a fifth more time, so it is asked for each night: COVERAGE=1 npm test.
  collectCoverage: process.env.COVERAGE === '1',
  // The tests run the built package, as n8n does, so the lines are those of dist/.
  collectCoverageFrom: ['dist/{nodes,credentials}/**/*.js'],
  // V8 would measure n8n-core too, which takes a fifth of the time.
  coverageProvider: 'babel',
  coverageReporters: ['text'],
  // Below what the tests cover: two runs differ by a branch or two.
  coverageThreshold: { global: { statements: 98.4, branches: 95.5, functions: 98.5, lines: 98.7 } },
  reporters: ['default', '<rootDir>/test/tools/closing-line-reporter.cjs'],
};
