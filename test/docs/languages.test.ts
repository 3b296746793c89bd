import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The Chinese pages are written and not translated: they name the settings and limits of their English ones. */

const ROOT = path.resolve(__dirname, '../..');
const read = (page: string) => readFileSync(path.join(ROOT, page), 'utf8');

const FOLDER = 'docs/zh-CN';
const CHINESE = readdirSync(path.join(ROOT, FOLDER), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md'))
  .map((file) => path.posix.join(FOLDER, file));

/** The page that a page leads to behind a word at its top. */
function twinOf(page: string, word: string): string {
  const [, link = ''] =
    new RegExp(`^${word}[:：]\\s*\\[[^\\]]*\\]\\(([^)#]+)\\)`, 'm').exec(read(page)) ?? [];
  return path.posix.join(path.posix.dirname(page), link);
}

const found = (text: string, pattern: RegExp) =>
  [...new Set([...text.matchAll(pattern)].map(([, name]) => name))].sort();

/** What a page names in code: columns, options of commands, and variables of n8n. */
const settingsIn = (text: string) =>
  found(text, /`([a-z]+(?:_[a-z]+)+|[A-Z]+(?:_[A-Z]+)+|--[a-z-]+)/g);

/** Numbers of three digits or more, outside links and code. */
const limitsIn = (text: string) =>
  found(text.replace(/`[^`]*`/g, ''), /(?<![\w.,])(\d[\d,]*\d\d)(?!\d)/g);

test.each(CHINESE)('%s and its English page name the same settings and limits', (page) => {
  const english = twinOf(page, 'English');
  expect(twinOf(english, '中文')).toBe(page);
  const [here, there] = [page, english].map((each) =>
    read(each)
      .replace(/\]\([^)]*\)/g, ']')
      .replace(/```[^]*?```/g, ''),
  ) as [string, string];
  expect(settingsIn(here)).toEqual(settingsIn(there));
  expect(limitsIn(here)).toEqual(limitsIn(there));
});
