import { readdirSync, readFileSync } from 'node:fs';

import type { N8n } from './n8n';

/** Kills the task runners of an n8n. It starts new ones. */
export function killTaskRunners(n8n: N8n['pid']): void {
  for (const pid of readdirSync('/proc').map(Number)) {
    if (pid !== n8n && groupOf(pid) === n8n) process.kill(pid, 'SIGKILL');
  }
}

/** The process group, which stands third behind the name of the program. The name may have spaces. */
function groupOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[2]);
  } catch {
    // The process has ended, or the entry is no process.
    return NaN;
  }
}
