import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Makes a folder this process' own until `release`: two runs in one folder would pull the database
 * from under each other. Throws when another process has it.
 */
export function claim(folder: string, what: string): { release(): void } {
  const file = path.join(folder, 'running.pid');
  mkdirSync(folder, { recursive: true });
  const other = existsSync(file) ? Number(readFileSync(file, 'utf8')) : undefined;
  if (other && isAlive(other)) {
    throw new Error(
      `${what} is running already, as process ${other}. End that one first. ` +
        `(Should that process be something else: delete ${file}.)`,
    );
  }
  writeFileSync(file, String(process.pid));
  return { release: () => rmSync(file, { force: true }) };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
