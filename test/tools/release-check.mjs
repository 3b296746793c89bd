// `npm run release:check`: applies the rules of n8n's package scanner to the sources and to the
// files in the tarball. As in the scanner, suppressions in comments have no effect. Exit code 0 means 0
// findings. The scanner also checks provenance, which exists only for a published version: see
// .github/workflows/publish.yml.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import { ESLint } from 'eslint';
import nodesBase from 'eslint-plugin-n8n-nodes-base';
import tseslint from 'typescript-eslint';

const config = [
  ...[n8nCommunityNodesPlugin.configs.recommended].flat(),
  { plugins: { 'n8n-nodes-base': nodesBase }, rules: { 'no-console': 'error' } },
  { files: ['package.json'], rules: nodesBase.configs.community.rules },
  {
    files: ['**/credentials/**/*.ts'],
    rules: {
      ...nodesBase.configs.credentials.rules,
      // The scanner does not use these rules: they are for n8n's repository, or have been replaced.
      'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
      'n8n-nodes-base/cred-class-field-type-options-password-missing': 'off',
    },
  },
  {
    files: ['**/nodes/**/*.ts'],
    rules: {
      ...nodesBase.configs.nodes.rules,
      // The scanner does not use these rules either.
      'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
      'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
      'n8n-nodes-base/node-param-type-options-max-value-present': 'off',
    },
  },
  { files: ['**/*.json', '**/*.ts'], languageOptions: { parser: tseslint.parser } },
];

const repository = path.resolve(process.argv[2] ?? '.');
const unpacked = fs.mkdtempSync(path.join(os.tmpdir(), 'release-check-'));
try {
  const findings =
    (await lint('sources', repository, ['package.json', '{nodes,credentials}/**/*.{js,ts,json}'])) +
    (await lint('tarball', unpack(), ['package.json', '**/*.js']));
  console.log(`${findings} findings`);
  process.exitCode = findings === 0 ? 0 : 1;
} finally {
  fs.rmSync(unpacked, { recursive: true, force: true });
}

/** Prints the findings in the files of a folder and returns their number. */
async function lint(what, cwd, patterns) {
  const eslint = new ESLint({
    cwd,
    allowInlineConfig: false,
    overrideConfigFile: true,
    overrideConfig: config,
    errorOnUnmatchedPattern: false,
  });
  const results = await eslint.lintFiles(patterns);
  const formatter = await eslint.loadFormatter('stylish');
  const report = await formatter.format(results);
  if (report) console.log(report);
  console.log(`${what}: ${results.length} files checked`);
  return results.reduce((sum, each) => sum + each.errorCount + each.warningCount, 0);
}

/** Packs the package, unpacks the tarball, and returns the folder with its files. */
function unpack() {
  const quiet = { cwd: repository, encoding: 'utf8' };
  const args = ['pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', unpacked];
  const tarball = execFileSync('npm', args, quiet).trim().split('\n').at(-1);
  execFileSync('tar', ['-xzf', path.join(unpacked, tarball), '-C', unpacked]);
  return path.join(unpacked, 'package');
}
