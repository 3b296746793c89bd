import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';

import { checkPort } from 'get-port-please';

import { n8nBin, n8nFolder } from './paths';
import { startGroup, untilReady, type ProcessGroup } from './processes';

/** The suite listens on no other address. */
export const LOOPBACK = '127.0.0.1';

const START_LIMIT_MS = 180_000;

let nextPort = randomInt(20_000, 28_000);

/**
 * A free port below those that a system gives to whoever asks for any (from 32768 on). Between this look and
 * the start of the server, and while a server restarts, nobody else takes it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    nextPort += 1;
    const port = nextPort;
    if ((await checkPort(port, LOOPBACK)) === port) return port;
  }
}

/** Switches off n8n's calls to other servers, so that it calls the sandbox only. */
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

/** Settings for another n8n of this machine. The n8n that is started here must not get them. */
const FOREIGN_SETTING = /^(N8N|DB|QUEUE|EXECUTIONS|NODES|CREDENTIALS|WEBHOOK|GENERIC|EXTERNAL)_/;

export interface N8nOptions {
  /** Contains n8n's `.n8n` folder with the database, the encryption key and the installed packages. */
  userFolder: string;
  logFile: string;
  /** A worker of queue mode has no editor. Its port only answers health checks. */
  as?: 'start' | 'worker';
  /** By default a free port. */
  port?: number;
  env?: Record<string, string>;
}

/** The process group has n8n and its task runner. */
export interface N8n extends ProcessGroup {
  url: string;
  logFile: string;
  /** In Unix milliseconds. */
  startedAt: number;
}

/**
 * Switches on n8n's durable scheduler: polls are jobs in the database, and what a poll remembers is
 * stored with its execution. With E2E_DURABLE=1 the whole suite runs with it.
 */
export const DURABLE = {
  N8N_SCHEDULER_ENABLED: 'true',
  N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
  N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
};

/** Starts n8n on loopback, and waits until it is ready. */
export async function startN8n(options: N8nOptions): Promise<N8n> {
  const { userFolder, logFile, as = 'start' } = options;
  mkdirSync(userFolder, { recursive: true });
  rmSync(logFile, { force: true });
  const port = options.port ?? (await freePort());
  const url = `http://${LOOPBACK}:${port}`;

  const startedAt = Date.now();
  const group = startGroup(
    path.join(n8nBin, 'node'),
    [path.join(n8nFolder, 'node_modules/n8n/bin/n8n'), as],
    {
      cwd: userFolder,
      logFile,
      env: {
        ...withoutForeignSettings(process.env),
        // n8n starts its task runner as `node`. It must find the same Node.js.
        PATH: [n8nBin, process.env.PATH].join(path.delimiter),
        NO_PROXY: '127.0.0.1,localhost',
        ...SILENCE,
        // An n8n without this module does not start when the module is disabled.
        ...(existsSync(MCP_REGISTRY) ? { N8N_DISABLED_MODULES: 'mcp-registry' } : {}),
        N8N_USER_FOLDER: userFolder,
        N8N_LISTEN_ADDRESS: LOOPBACK,
        N8N_HOST: LOOPBACK,
        ...(as === 'start'
          ? { N8N_PORT: String(port) }
          : {
              QUEUE_HEALTH_CHECK_ACTIVE: 'true',
              QUEUE_HEALTH_CHECK_PORT: String(port),
              N8N_WORKER_SERVER_ADDRESS: LOOPBACK,
            }),
        N8N_RUNNERS_BROKER_PORT: String(await freePort()),
        // Some browsers refuse a Secure cookie over plain http.
        N8N_SECURE_COOKIE: 'false',
        ...(process.env.E2E_DURABLE ? DURABLE : {}),
        ...options.env,
      },
    },
  );
  const paths = as === 'start' ? [READY, SETTINGS] : [READY];
  await untilReady('n8n', { group, logFile, timeout: START_LIMIT_MS }, async () => {
    const answers = await Promise.all(paths.map((each) => isUp(url + each)));
    return answers.every(Boolean);
  });
  return { ...group, url, logFile, startedAt };
}

/**
 * Both have to answer. /healthz alone answers before the database is migrated, and n8n 1.x answers it
 * before it answers its REST interface.
 */
const READY = '/healthz/readiness';
const SETTINGS = '/rest/settings';

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
