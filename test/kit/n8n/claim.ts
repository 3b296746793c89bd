import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Reserves a folder for this process until `release`. Two runs in one folder would destroy each
 * other's database.
 *
 * @throws when another process has the folder
 */
export function claim(folder: string, what: string): { release(): void } {
  const file = path.join(folder, 'running.pid');
  mkdirSync(folder, { recursive: true });
  const other = existsSync(file) ? Number(readFileSync(file, 'utf8')) : undefined;
  if (other && isAlive(other)) {
    throw new Error(
      `${what} is already running, as process ${other}. Stop that process first. ` +
        `(If that process is something else, delete ${file}.)`,
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
