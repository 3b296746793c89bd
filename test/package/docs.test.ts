import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');

test('docs/operations.md is up to date with the descriptions of the nodes', () => {
  const { status, stderr } = spawnSync('node', ['test/tools/operations-docs.mjs', '--check'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
});

test.each(['README.md', 'CONTRIBUTING.md', ...filesIn('docs')])(
  '%s links only to files and headings that exist',
  (file) => {
    const text = fs.readFileSync(path.join(ROOT, file), 'utf8');
    const links = [...text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link]) => link ?? '');
    const broken = links.filter((link) => {
      const [target = '', heading] = link.split('#', 2);
      const linked = target === '' ? file : path.join(path.dirname(file), target);
      if (!fs.existsSync(path.join(ROOT, linked))) return true;
      return heading !== undefined && !headingsOf(linked).includes(heading);
    });
    expect(broken).toEqual([]);
  },
);

function filesIn(folder: string): string[] {
  return fs
    .readdirSync(path.join(ROOT, folder))
    .filter((file) => file.endsWith('.md'))
    .map((file) => path.join(folder, file));
}

/** The anchors of a file's headings, in the form in which GitHub makes them. */
function headingsOf(file: string): string[] {
  const text = fs.readFileSync(path.join(ROOT, file), 'utf8');
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-'),
  );
}
