import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';

export interface GroupOptions {
  cwd: string;
  /** Everything the group prints is appended here. */
  logFile: string;
  env: NodeJS.ProcessEnv;
  /** How long it may take to end by itself when it is stopped; then it is killed. */
  patienceMs?: number;
}

/**
 * A command in a process group of its own, so that stopping it stops all that it started. A Ctrl-C
 * in the terminal does not reach it: this process decides in which order things end.
 */
export interface ProcessGroup {
  /** Resolves once nothing of the group is left, with the exit code or the signal's name. */
  ended: Promise<number | string>;
  /** Asks it to end, and kills it when it does not. */
  stop(): Promise<void>;
  kill(): Promise<void>;
}

const running = new Set<ProcessGroup>();

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

  // The guard kills what is left of the group when its standard input closes: when the leader has
  // ended, and also when this process dies in whatever way, SIGKILL included.
  const guard = spawn('sh', ['-c', 'cat >/dev/null; kill -s KILL -- "-$0"', String(leader.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });

  const signal = (name: NodeJS.Signals) => {
    try {
      if (leader.pid) process.kill(-leader.pid, name);
    } catch {
      // It has ended meanwhile.
    }
  };
  const group: ProcessGroup = {
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

/** Ends everything that startGroup started. */
export async function stopAll(): Promise<void> {
  await Promise.all([...running].map((group) => group.stop()));
}

/** Runs a command to its end, telling every few seconds how long it has been at it. */
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

export function lastLines(logFile: string, count = 20): string {
  if (!existsSync(logFile)) return '(nothing)';
  return readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-count).join('\n');
}
