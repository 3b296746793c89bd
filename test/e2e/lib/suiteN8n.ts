import { existsSync } from 'node:fs';
import path from 'node:path';

import { N8nClient, type Owner } from '../../kit/n8n/client';
import { startN8n, type N8n } from '../../kit/n8n/n8n';
import { database, logFolder, userFolder } from '../../kit/n8n/paths';

const OWNER: Owner = { email: 'e2e@example.com', password: 'End-to-end-1' };

/** The n8n that the tests share. It can be restarted on the same data and port. */
export class SuiteN8n {
  private constructor(
    private running: N8n,
    /** Signed in as the owner, also after a restart. */
    readonly client: N8nClient,
  ) {}

  /** Starts n8n on the data of the run. The first start of a run creates the data. */
  static async start(env?: Record<string, string>): Promise<SuiteN8n> {
    const isNew = !existsSync(database);
    const running = await start({ env });
    const client = new N8nClient(running.url);
    if (isNew) {
      await client.setUpOwner(OWNER);
    } else {
      await client.logIn(OWNER);
      // A test that has ended with its process may have left published workflows.
      await client.deactivateAll();
    }
    return new SuiteN8n(running, client);
  }

  /** When the running process was started, in Unix milliseconds. */
  get startedAt(): number {
    return this.running.startedAt;
  }

  /** Of the process group: n8n and its task runner. */
  get pid(): N8n['pid'] {
    return this.running.pid;
  }

  /** Stops or kills n8n, and starts it on the same data and port, with other settings if wanted. */
  async restart(how: 'stop' | 'kill', env?: Record<string, string>): Promise<void> {
    await this.running[how]();
    const again = () => start({ port: Number(new URL(this.client.url).port), env });
    // When an execution was stored and had not begun at a kill, the recovery of n8n 2.40.7 fails at the
    // next start ("reading 'getTime'"). The start after that one succeeds.
    this.running = await (how === 'kill' ? again().catch(again) : again());
  }

  /** A graceful stop. */
  async stop(): Promise<void> {
    await this.running.stop();
  }
}

async function start(options: { port?: number; env?: Record<string, string> } = {}): Promise<N8n> {
  const logFile = path.join(logFolder, `n8n-${Date.now()}.log`);
  return await startN8n({ userFolder, logFile, ...options });
}
