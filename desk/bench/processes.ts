/** What the servers that this process has started use, read from /proc: on Linux alone. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** By name of the processes: all their CPU time, and the highest memory of one of them. */
export type Use = Record<string, { cpuMs: number; peakMb: number }>;

type Process = ReturnType<typeof processOf>;

/** Linux counts CPU time in hundredths of a second. */
const TICK_MS = 10;

const SERVER = /redis-server|postgres|n8n (start|worker)/;

/** Begins to measure. The function that it returns gives what was used since. */
export function measure(): () => Use {
  // The highest memory begins anew.
  for (const [, { pid }] of servers()) writeFileSync(`/proc/${pid}/clear_refs`, '5');
  const before = use();
  return () => {
    const after = use();
    for (const [name, { cpuMs }] of Object.entries(before)) {
      if (after[name]) after[name].cpuMs -= cpuMs;
    }
    return after;
  };
}

function use(): Use {
  const found: Use = {};
  for (const [name, { pid, cpuMs }] of servers()) {
    const peakMb = Number(/VmHWM:\s+(\d+)/.exec(read(pid, 'status'))?.[1] ?? 0) / 1024;
    const all = (found[name] ??= { cpuMs: 0, peakMb: 0 });
    all.cpuMs += cpuMs;
    all.peakMb = Math.max(all.peakMb, peakMb);
  }
  return found;
}

/** The servers and all that they have started, each with its name. */
function servers(): [name: string, process: Process][] {
  const all = readdirSync('/proc').filter(Number).map(processOf);
  const childrenOf = (pid: string) => all.filter(({ parent }) => parent === pid);
  const within = (name: string, top: Process): [string, Process][] => {
    const nameOf = ({ command }: Process) => name + (command.includes('runner') ? "'s runner" : '');
    return [[name, top], ...childrenOf(top.pid).flatMap((child) => within(nameOf(child), child))];
  };
  let workers = 0;
  return childrenOf(String(process.pid)).flatMap((child) => {
    const [name] = SERVER.exec(child.command) ?? [];
    if (!name) return [];
    return within(name.endsWith('worker') ? `${name} ${(workers += 1)}` : name, child);
  });
}

/** `cpuMs`: of its own, and of children that have ended. */
function processOf(pid: string) {
  const stat = read(pid, 'stat');
  // The name before the bracket may have spaces in it.
  const [, parent = '', ...others] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = others.slice(9, 13).reduce((sum, each) => sum + Number(each), 0);
  const command = read(pid, 'cmdline').replaceAll('\0', ' ');
  return { pid, parent, command, cpuMs: ticks * TICK_MS };
}

/** What Linux says of a process. Empty if it has ended. */
function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
