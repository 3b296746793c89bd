import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface GroupOptions {
  cwd: string;
  /** Everything the group prints is appended here. */
  logFile: string;
  env: NodeJS.ProcessEnv;
  /** How long a group that is being stopped may take to end before it is killed. */
  patienceMs?: number;
}

/**
 * A command in a process group of its own, so that stopping the group stops everything the command has
 * started. Ctrl-C in the terminal does not reach the group: this process decides what ends in which order.
 */
export interface ProcessGroup {
  /** Of the leader, and so of the group. Undefined when it could not be started. */
  pid: number | undefined;
  /** Resolves when no process of the group is left, with the exit code or the name of the signal. */
  ended: Promise<number | string>;
  /** Sends SIGTERM, and SIGKILL when that does not end the group in time. */
  stop(): Promise<void>;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
}

const running = new Set<ProcessGroup>();

/** Starts a command in a process group of its own. */
export function startGroup(command: string, args: string[], options: GroupOptions): ProcessGroup {
  mkdirSync(path.dirname(options.logFile), { recursive: true });
  const log = openSync(options.logFile, 'a');
  const leader = spawn(command, args, {
    cwd: options.cwd,
    env: options.env,
    stdio: ['ignore', log, log],
    detached: true,
  });
  closeSync(log);

  // The guard kills the rest of the group when its standard input closes. That happens when the leader
  // has ended, and also when this process dies, even by SIGKILL.
  const guard = spawn('sh', ['-c', 'cat >/dev/null; kill -s KILL -- "-$0"', String(leader.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });

  const signal = (name: NodeJS.Signals) => {
    try {
      if (leader.pid) process.kill(-leader.pid, name);
    } catch {
      // The group has already ended.
    }
  };
  const group: ProcessGroup = {
    pid: leader.pid,
    ended: new Promise((resolve) => {
      const finish = (how: number | string) => {
        guard.once('exit', () => {
          running.delete(group);
          resolve(how);
        });
        guard.stdin.end();
      };
      leader.once('exit', (code, name) => {
        finish(code ?? name ?? 'no exit code');
      });
      leader.once('error', (error) => {
        finish(error.message);
      });
    }),
    async stop() {
      signal('SIGTERM');
      const killer = setTimeout(() => signal('SIGKILL'), options.patienceMs ?? 10_000);
      await group.ended;
      clearTimeout(killer);
    },
    async kill() {
      signal('SIGKILL');
      await group.ended;
    },
  };
  running.add(group);
  return group;
}

/** Stops every group that this process has started. */
export async function stopAll(): Promise<void> {
  await Promise.all([...running].map((group) => group.stop()));
}

/**
 * Waits until a server of a group is ready. When it does not become ready, the group is killed.
 *
 * @throws the end of the log, when the group ends before it is ready or takes too long
 */
export async function untilReady(
  what: string,
  { group, logFile, timeout }: { group: ProcessGroup; logFile: string; timeout: number },
  isReady: () => Promise<boolean>,
): Promise<void> {
  let exit: number | string | undefined;
  void group.ended.then((how) => (exit = how));
  const deadline = Date.now() + timeout;
  while (exit === undefined && !(await isReady())) {
    if (Date.now() > deadline) await group.kill();
    else await sleep(50);
  }
  if (exit === undefined) return;
  throw new Error(
    `${what} ended with ${exit} before it was ready, or was not ready after ${timeout / 1000} s. ` +
      `The end of its log:\n${lastLines(logFile)}`,
  );
}

/** Runs a command to its end. Every ten seconds, `onProgress` gets the time that has passed. */
export async function run(
  command: string,
  args: string[],
  options: GroupOptions & { onProgress?: (seconds: number) => void },
): Promise<void> {
  const startedAt = Date.now();
  const ticker = setInterval(() => {
    options.onProgress?.(Math.round((Date.now() - startedAt) / 1000));
  }, 10_000);
  try {
    const exit = await startGroup(command, args, { patienceMs: 1_000, ...options }).ended;
    if (exit !== 0) {
      throw new Error(
        `\`${[command, ...args].join(' ')}\` ended with ${exit}. The end of ${options.logFile}:\n` +
          lastLines(options.logFile),
      );
    }
  } finally {
    clearInterval(ticker);
  }
}

/** The end of a log file. */
export function lastLines(logFile: string): string {
  if (!existsSync(logFile)) return '(nothing)';
  return readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-20).join('\n');
}
