import { readdirSync, readFileSync } from 'node:fs';

import type { N8n } from './n8n';

/** What a process has used. */
export interface Memory {
  process: string;
  /** In MB, in the order of time. */
  samples: number[];
  /** Of the time that was watched. */
  cpuSeconds: number;
}

/** Looks at the resident memory of n8n's processes, task runners included, every half second. */
export class MemoryWatch {
  private readonly byProcess = new Map<number, Memory>();
  private readonly cpu = new Map<number, number>();
  private readonly timer: NodeJS.Timeout;

  /** @param groups n8n's, by name */
  constructor(private readonly groups: Record<string, N8n>) {
    this.timer = setInterval(() => this.look(), 500);
  }

  /** Ends the watch. */
  stop(): Memory[] {
    clearInterval(this.timer);
    for (const [pid, memory] of this.byProcess) {
      memory.cpuSeconds = Math.round(memory.cpuSeconds + (this.cpu.get(pid) ?? 0));
    }
    return [...this.byProcess.values()];
  }

  private look(): void {
    const names = new Map(Object.entries(this.groups).map(([name, { pid }]) => [pid, name]));
    for (const id of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
      const pid = Number(id);
      const name = names.get(groupOf(pid));
      const megabytes = name === undefined ? undefined : residentMemory(pid);
      if (name === undefined || megabytes === undefined) continue;
      const isLeader = names.has(pid);
      const memory = this.byProcess.get(pid) ?? {
        process: isLeader ? name : `${name}, task runner`,
        samples: [],
        cpuSeconds: -cpuSecondsOf(pid),
      };
      memory.samples.push(megabytes);
      this.cpu.set(pid, cpuSecondsOf(pid));
      this.byProcess.set(pid, memory);
    }
  }
}

/** The highest memory in each third of the time. */
export function thirds({ samples }: Memory): number[] {
  const third = Math.ceil(samples.length / 3);
  return [0, 1, 2].map((part) => Math.max(0, ...samples.slice(part * third, (part + 1) * third)));
}

/** Kills the task runners of an n8n. It starts new ones. */
export function killTaskRunners(n8n: N8n['pid']): void {
  for (const pid of readdirSync('/proc').map(Number)) {
    if (pid !== n8n && groupOf(pid) === n8n) process.kill(pid, 'SIGKILL');
  }
}

function groupOf(pid: number): number {
  return Number(statOf(pid)[2]);
}

function cpuSecondsOf(pid: number): number {
  const [user, system] = statOf(pid).slice(11, 13).map(Number);
  // In hundredths of a second.
  return ((user ?? 0) + (system ?? 0)) / 100;
}

/** The fields after the name of the program, which stands in brackets and may have spaces. */
function statOf(pid: number): string[] {
  return read(`/proc/${pid}/stat`)?.split(') ').at(-1)?.split(' ') ?? [];
}

function residentMemory(pid: number): number | undefined {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`) ?? '')?.[1];
  return kilobytes === undefined ? undefined : Math.round(Number(kilobytes) / 1024);
}

/** Undefined when the process has ended. */
function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
