import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

export const ROOT = path.resolve(__dirname, '../..');

/** The files of the repository: those that git tracks, and new ones, so that a page can be checked while it is written. */
export const FILES = git('ls-files', '--cached', '--others', '--exclude-standard').filter((file) =>
  fs.existsSync(path.join(ROOT, file)),
);

export const read = (file: string) => fs.readFileSync(path.join(ROOT, file), 'utf8');

/** Whether the repository has this file, or a file in this folder. */
export const exists = (file: string) =>
  FILES.some((each) => each === file || each.startsWith(`${file.replace(/\/$/, '')}/`));

/** Whether a file other than a page has this text. */
export function isInSources(text: string): boolean {
  try {
    return git('grep', '-lFw', '--untracked', '-e', text, '--', ':!*.md', ':!test/docs').length > 0;
  } catch {
    return false;
  }
}

function git(...args: string[]): string[] {
  const output = execFileSync(
    'git',
    ['-c', 'core.quotePath=off', '-c', 'safe.directory=*', ...args],
    {
      cwd: ROOT,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  return output.split('\n').filter(Boolean);
}
