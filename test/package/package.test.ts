import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileOf, filesIn, read } from '../kit/files';

const ROOT = fileOf('.');

const shipped = filesIn('dist', /\.js$/);

test.each(shipped)('%s imports only relative files, n8n-workflow and node:crypto', (file) => {
  const source = read(file);
  const imported = [...source.matchAll(/(?:require|import)\(\s*(['"`])(.*?)\1\s*\)/g)].map(
    ([, , name]) => name,
  );
  const foreign = imported.filter(
    (name) => !/^\.{1,2}\//.test(name ?? '') && name !== 'n8n-workflow' && name !== 'node:crypto',
  );
  expect(foreign).toEqual([]);
  expect(source).not.toMatch(/(?:require|import)\(\s*[^'"`\s)]/);
});

const manifest = JSON.parse(read('package.json')) as { repository: { url: string } };

test('the package has no runtime dependencies', () => {
  expect(manifest).not.toHaveProperty('dependencies');
  expect(manifest).toHaveProperty('peerDependencies', { 'n8n-workflow': '*' });
});

/** The files of the tarball that `npm run pack` makes, by their paths. */
const packed = new Map<string, Buffer>();
let tarball: number;

beforeAll(() => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'package-'));
  const args = ['test/tools/pack.mjs', '--pack-destination', folder];
  const name = execFileSync('node', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  tarball = fs.statSync(path.join(folder, name)).size;
  execFileSync('tar', ['-xzf', name], { cwd: folder });
  const unpacked = path.join(folder, 'package');
  for (const file of fs.readdirSync(unpacked, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const whole = path.join(file.parentPath, file.name);
    packed.set(path.relative(unpacked, whole), fs.readFileSync(whole));
  }
  fs.rmSync(folder, { recursive: true });
});

test('the tarball has what the nodes and their users need, and no more', () => {
  const paths = [...packed.keys()];
  expect(paths).toEqual(expect.arrayContaining(shipped));
  const others = paths.filter(
    (file) =>
      !/^dist\/(?:nodes|credentials)\/.*\.(?:js|node\.json)$/.test(file) &&
      !/^dist\/nodes\/\w+\/__schema__\/v1\.0\.0(?:\/\w+\/\w+)?\.json$/.test(file) &&
      !/^docs\/(?:use|run|reference|build)\/[\w-]+\.md$/.test(file) &&
      !/^examples\/(?:[\w-]+\.json|records-postgres\/\w+\.\w+)$/.test(file),
  );
  expect(others.sort()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'dist/icons/smsMessagingService.dark.svg',
    'dist/icons/smsMessagingService.svg',
    'examples/README.md',
    'index.js',
    'package.json',
  ]);
  expect(tarball).toBeLessThan(700_000);
});

const address = manifest.repository.url.replace(/^git\+|\.git$/g, '');

test('a link in the tarball leads to a file in it, or to one of the repository by its address', () => {
  const dead = [...packed].flatMap(([page, content]) =>
    [...(page.endsWith('.md') ? content.toString().matchAll(/\]\((?!#)([^)#\s]+)/g) : [])]
      .filter(([, to = '']) => !leadsSomewhere(page, to))
      .map(([, to]) => `${page}: ${to}`),
  );
  expect(dead).toEqual([]);
});

function leadsSomewhere(page: string, to: string): boolean {
  if (!to.startsWith('https:')) return isPacked(path.posix.join(path.posix.dirname(page), to));
  const [, file] = to.split(new RegExp(`^${address}/(?:blob|raw)/v[^/]+/`));
  return file === undefined || fs.existsSync(fileOf(file));
}

const isPacked = (target: string): boolean =>
  [...packed.keys()].some((file) => file === target || file.startsWith(`${target}/`));

test('the editor links to pages of the repository, whose address stands in package.json alone', () => {
  const linked = [...packed].flatMap(([file, content]) =>
    file.startsWith('dist/')
      ? [...content.toString().matchAll(/https:\/\/[^/\s]+\/[\w./-]+\/(docs\/[\w./-]+)/g)]
      : [],
  );
  expect(linked.map(([link, page]) => link.replace(`/${page}`, ''))).toEqual(
    Array(3).fill(expect.stringMatching(`^${address}/blob/v[^/]+$`)),
  );
  for (const [, page = ''] of linked) expect(isPacked(page)).toBe(true);
  const named = execFileSync('git', ['grep', '-lF', address], { cwd: ROOT, encoding: 'utf8' });
  expect(named).toBe('package.json\n');
});

test('the entry point exports the credential and both nodes', () => {
  // Callers outside n8n use the entry point, so a separate process loads it.
  const names = execFileSync('node', ['-p', 'Object.keys(require("./index.js")).join()'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect(names.trim()).toBe(
    'SmsMessagingServiceApi,SmsMessagingService,SmsMessagingServiceTrigger',
  );
});
