import { existsSync } from 'node:fs';
import path from 'node:path';

import { defineConfig } from '@playwright/test';

import { groups } from './groups';
import { outputFolder } from '../kit/n8n/paths';

// Each run has a folder of its own, because Playwright empties the folder before `globalSetup` can
// refuse a second run. Workers load this file again, and find the name in their environment.
process.env.E2E_RESULTS ??= path.join(outputFolder, 'results', String(Date.now()));

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export default defineConfig({
  // The desk has its own tests beside it.
  testDir: '../..',
  globalSetup: './lib/setup.ts',
  outputDir: process.env.E2E_RESULTS,
  reporter: [['list'], ['./lib/closingLine.ts']],
  // All tests share one n8n.
  workers: 1,
  forbidOnly: Boolean(process.env.CI),
  reportSlowTests: null,
  // n8n's triggers poll once a minute, so some tests wait for minutes.
  timeout: 5 * 60_000,
  // A busy machine needs ten seconds for what usually takes one.
  expect: { timeout: 60_000 },
  use: {
    actionTimeout: 60_000,
    navigationTimeout: 60_000,
    testIdAttribute: 'data-test-id',
    launchOptions: {
      // Without any of them, Playwright says how to install its own.
      executablePath: CHROMIUM.find((file) => existsSync(file)),
      args: [
        '--no-sandbox',
        '--force-device-scale-factor=1',
        '--lang=en-US',
        // n8n's editor asks registries about community packages. The suite talks to loopback only.
        '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost',
      ],
    },
    // The window of a small laptop.
    viewport: { width: 1280, height: 800 },
    screenshot: 'only-on-failure',
    trace: 'retain-on-failure',
  },
  projects: groups().map((name) => ({
    name,
    testMatch: `**/{test,desk}/e2e/**/${name}{,.*}.spec.ts`,
  })),
});
