import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');
const DIST = path.join(ROOT, 'dist');

const shipped = fs
  .readdirSync(DIST, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.js'));

test.each(shipped)('%s imports only relative files, n8n-workflow and node:crypto', (file) => {
  const source = fs.readFileSync(path.join(DIST, file), 'utf8');
  const imported = [...source.matchAll(/(?:require|import)\(\s*(['"`])(.*?)\1\s*\)/g)].map(
    ([, , name]) => name,
  );
  const foreign = imported.filter(
    (name) => !/^\.{1,2}\//.test(name ?? '') && name !== 'n8n-workflow' && name !== 'node:crypto',
  );
  expect(foreign).toEqual([]);
  expect(source).not.toMatch(/(?:require|import)\(\s*[^'"`\s)]/);
});

test('the package has no runtime dependencies', () => {
  const manifest = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as object;
  expect(manifest).not.toHaveProperty('dependencies');
  expect(manifest).toHaveProperty('peerDependencies', { 'n8n-workflow': '*' });
});

/** The files in the tarball. */
function packed(): string[] {
  const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--loglevel=silent'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const [{ files }] = JSON.parse(output) as [{ files: { path: string }[] }];
  return files.map((file) => file.path);
}

test('the tarball contains only what the nodes and their users need', () => {
  const paths = packed();
  const code = paths.filter((file) => !/\.(?:md|png|json|sql|yaml)$/.test(file));
  expect(code.filter((file) => !file.startsWith('dist/')).sort()).toEqual(['LICENSE', 'index.js']);
  const kinds = paths.filter(
    (file) =>
      !/^dist\/(?:nodes|credentials)\/.*\.(?:js|node\.json)$/.test(file) &&
      !/^dist\/nodes\/\w+\/__schema__\/v1\.0\.0(?:\/\w+\/\w+)?\.json$/.test(file),
  );
  expect(kinds.filter((file) => file.startsWith('dist/')).sort()).toEqual([
    'dist/icons/smsMessagingService.dark.svg',
    'dist/icons/smsMessagingService.svg',
  ]);
  expect(paths).toEqual(expect.arrayContaining(shipped.map((file) => `dist/${file}`)));
});

test('the pages in the tarball lead to files that are in it', () => {
  const paths = packed();
  const broken = paths
    .filter((file) => file.endsWith('.md'))
    .flatMap((page) =>
      [...fs.readFileSync(path.join(ROOT, page), 'utf8').matchAll(/\]\((?![a-z]+:)([^)#\s]+)/g)]
        .map(([, link = '']) => path.posix.join(path.posix.dirname(page), link))
        .filter(
          (target) => !paths.some((file) => file === target || file.startsWith(`${target}/`)),
        ),
    );
  expect(broken).toEqual([]);
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

test("n8n's package scanner finds nothing in the sources and in the tarball", () => {
  const { status, stdout } = spawnSync('node', ['test/tools/release-check.mjs'], {
    cwd: ROOT,
    encoding: 'utf8',
    // jest sets NODE_ENV to "test". Some of n8n's rules then behave as in their own tests.
    env: { ...process.env, NODE_ENV: 'production' },
  });
  expect([status, stdout]).toEqual([0, 'sources: passed\ntarball: passed\n']);
});
