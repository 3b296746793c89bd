import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import type { Gateway } from '../../sandbox/gateway';
import { outputFolder } from '../../kit/n8n/paths';

/**
 * Every API key, secret, token and X-Sign of the run, one per line. It is a file because Playwright
 * runs each group in a process of its own.
 */
export const secretsFile = path.join(outputFolder, 'secrets.txt');

/** Adds the secrets of a gateway, and the signatures of the requests that it has received. */
export function recordSecrets(gateway: Gateway): void {
  const { apiKey, apiSecret, authorizationToken } = gateway.credential();
  const signatures = gateway.requests.map(({ headers }) => headers['x-sign']);
  const secrets = [apiKey, apiSecret, authorizationToken, ...signatures].filter(Boolean);
  appendFileSync(secretsFile, secrets.map((each) => `${String(each)}\n`).join(''));
}

/** The secrets of all tests that have ended. */
export function recordedSecrets(): Set<string> {
  const text = existsSync(secretsFile) ? readFileSync(secretsFile, 'utf8') : '';
  return new Set(text.split('\n').filter(Boolean));
}
