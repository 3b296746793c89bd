import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

import type { Gateway, GatewayOptions } from '../../sandbox/gateway';
import type { Credential, N8nClient } from './client';
import type { N8n } from './n8n';

/** An account with the SMS platform: a sandbox gateway of its own, and n8n's credential for it. */
export interface Account {
  gateway: Gateway;
  credential: Credential;
}

/** What a step works with. n8n lasts for the whole suite; accounts and pages end with their step. */
export interface Stage {
  /** Signed in as the owner. */
  readonly client: N8nClient;
  /** The n8n that is running now. Read it again after `restart`. */
  readonly n8n: N8n;
  /** The folder of this run, for any files. */
  readonly folder: string;
  /** n8n's own folder; its database is `.n8n/database.sqlite` in it. */
  readonly userFolder: string;
  /** The packed package, as it would be published. */
  readonly tarball: string;
  /** Every API key, secret, token and X-Sign of the accounts so far. */
  readonly secrets: ReadonlySet<string>;
  /** Opens an account, with a key, a secret and a token that nobody else has. */
  account(options?: GatewayOptions): Promise<Account>;
  /**
   * Ends n8n, in order or as a crash would, and starts it again on the same data and port, with
   * other settings if wanted. The client stays signed in.
   */
  restart(how: 'stop' | 'kill', env?: Record<string, string>): Promise<void>;
  /** A signed-in browser window at a path of n8n, as large as a small laptop's. */
  page(path?: string): Promise<Page>;
  /** A browser window profile of nobody. */
  visitor(options?: BrowserContextOptions): Promise<BrowserContext>;
  /** Saves what is seen as `pictures/<name>.png` in the folder. */
  picture(what: Pick<Page, 'screenshot'>, name: string): Promise<void>;
  tell(line: string): void;
}

/**
 * One thing that the suite proves; its `run` throws what is not so. When it has ended, workflows that
 * it published are deactivated, and its accounts must not have seen a breach of the contract.
 */
export interface Step {
  /** As it stands in the list of results: "A wrong secret fails the credential's test". */
  name: string;
  run(stage: Stage): Promise<void>;
}
