import { existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { n8nBin, n8nFolder } from './paths';
import { freePort } from './ports';
import { lastLines, startGroup, type ProcessGroup } from './processes';

const START_LIMIT_MS = 180_000;

/** n8n calls nobody but the sandbox: each of these is a call that was seen, or its close relative. */
const SILENCE = {
  N8N_DIAGNOSTICS_ENABLED: 'false',
  N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
  N8N_TEMPLATES_ENABLED: 'false',
  N8N_PERSONALIZATION_ENABLED: 'false',
  N8N_HIRING_BANNER_ENABLED: 'false',
  N8N_DYNAMIC_BANNERS_ENABLED: 'false',
  N8N_VERIFIED_PACKAGES_ENABLED: 'false',
  N8N_AI_ENABLED: 'false',
  EXTERNAL_FRONTEND_HOOKS_URLS: '',
};

const MCP_REGISTRY = path.join(n8nFolder, 'node_modules/n8n/dist/modules/mcp-registry');

/** Settings of somebody's own n8n, which must not reach this one. */
const FOREIGN_SETTING = /^(N8N|DB|QUEUE|EXECUTIONS|NODES|CREDENTIALS|WEBHOOK|GENERIC|EXTERNAL)_/;

export interface N8nOptions {
  /** Holds n8n's `.n8n` folder: its database, its key and the installed packages. */
  userFolder: string;
  logFile: string;
  /** A worker of queue mode has no editor; its port answers health checks only. */
  as?: 'start' | 'worker';
  /** A free port when it is not given. */
  port?: number;
  env?: Record<string, string>;
}

export interface N8n {
  url: string;
  logFile: string;
  /** Resolves when n8n has ended, wanted or not. */
  ended: ProcessGroup['ended'];
  /** In Unix milliseconds. */
  startedAt: number;
  /** Ends it in order: SIGTERM, and SIGKILL when it does not go. */
  stop(): Promise<void>;
  /** Ends it as a crash would: SIGKILL. */
  kill(): Promise<void>;
}

/**
 * n8n's second way of polling: jobs in its database, and each poll's memory stored with its execution.
 * With E2E_DURABLE=1 the whole suite runs so.
 */
export const DURABLE = {
  N8N_SCHEDULER_ENABLED: 'true',
  N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
  N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
};

/** Starts n8n, on loopback only, and waits until it answers. */
export async function startN8n(options: N8nOptions): Promise<N8n> {
  const { userFolder, logFile, as = 'start' } = options;
  mkdirSync(userFolder, { recursive: true });
  rmSync(logFile, { force: true });
  const port = options.port ?? (await freePort());
  const url = `http://127.0.0.1:${port}`;

  const startedAt = Date.now();
  const group = startGroup(
    path.join(n8nBin, 'node'),
    [path.join(n8nFolder, 'node_modules/n8n/bin/n8n'), as],
    {
      cwd: userFolder,
      logFile,
      env: {
        ...withoutForeignSettings(process.env),
        // n8n starts its task runner as plain `node`: that must be its own one too.
        PATH: [n8nBin, process.env.PATH].join(path.delimiter),
        NO_PROXY: '127.0.0.1,localhost',
        ...SILENCE,
        // An n8n that does not have the module does not start with this.
        ...(existsSync(MCP_REGISTRY) ? { N8N_DISABLED_MODULES: 'mcp-registry' } : {}),
        N8N_USER_FOLDER: userFolder,
        N8N_LISTEN_ADDRESS: '127.0.0.1',
        N8N_HOST: '127.0.0.1',
        ...(as === 'start'
          ? { N8N_PORT: String(port) }
          : {
              QUEUE_HEALTH_CHECK_ACTIVE: 'true',
              QUEUE_HEALTH_CHECK_PORT: String(port),
              N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
            }),
        N8N_RUNNERS_BROKER_PORT: String(await freePort()),
        // Plain http on loopback: some browsers drop a Secure cookie there.
        N8N_SECURE_COOKIE: 'false',
        ...(process.env.E2E_DURABLE ? DURABLE : {}),
        ...options.env,
      },
    },
  );
  await untilReady(as === 'start' ? [READY, SETTINGS] : [READY], url, group, logFile);
  const { ended, stop, kill } = group;
  return { url, logFile, startedAt, ended, stop, kill };
}

/** /healthz alone answers before the database is migrated, and in n8n 1.x both before the REST interface. */
const READY = '/healthz/readiness';
const SETTINGS = '/rest/settings';

async function untilReady(
  paths: string[],
  url: string,
  group: ProcessGroup,
  logFile: string,
): Promise<void> {
  let exit: number | string | undefined;
  void group.ended.then((how) => (exit = how));
  const deadline = Date.now() + START_LIMIT_MS;
  const areUp = async () =>
    (await Promise.all(paths.map((each) => isUp(url + each)))).every(Boolean);
  while (!(await areUp())) {
    const failure =
      exit !== undefined
        ? `n8n ended with ${exit} while it started.`
        : Date.now() > deadline
          ? `n8n is not ready after ${START_LIMIT_MS / 1000} s.`
          : undefined;
    if (failure) {
      await group.kill();
      throw new Error(`${failure} Its last words:\n${lastLines(logFile)}`);
    }
    await sleep(200);
  }
}

async function isUp(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(5_000) })).ok;
  } catch {
    return false;
  }
}

function withoutForeignSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !FOREIGN_SETTING.test(name)));
}
