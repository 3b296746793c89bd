// `npm run release:check`: n8n's own package scanner looks at the sources and at the files in the
// tarball, as it does for verification. Suppressions in comments have no effect in it. It also checks
// provenance, which only a published version has. And code of others goes nowhere without its licence.
// Exit code 0 means that nothing is found.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import {
  analyzePackage,
  SOURCE_FILE_PATTERNS,
} from '@n8n/scan-community-package/scanner/scanner.mjs';

const repository = path.resolve('.');
const unpacked = fs.mkdtempSync(path.join(os.tmpdir(), 'release-check-'));
try {
  report('sources', await analyzePackage(repository, SOURCE_FILE_PATTERNS));
  report('tarball', await analyzePackage(unpack()));
  report('licences', licences());
} finally {
  fs.rmSync(unpacked, { recursive: true, force: true });
}

function report(what, { passed, message, details }) {
  console.log(`${what}: ${passed ? (message ?? 'passed') : `${message}\n${details ?? ''}`}`);
  if (!passed || message) process.exitCode = 1;
}

/** Packs the package, unpacks the tarball, and returns the folder with its files. */
function unpack() {
  const args = ['test/tools/pack.mjs', '--pack-destination', unpacked];
  const tarball = execFileSync('node', args, { encoding: 'utf8' }).trim().split('\n').at(-1);
  execFileSync('tar', ['-xzf', path.join(unpacked, tarball), '-C', unpacked]);
  return path.join(unpacked, 'package');
}

/**
 * Code of others is minified, which ours is not. The first line of its Code node has each package with its
 * version, and desk/NOTICE has the same line above the licence.
 */
function licences() {
  const notice = fs.readFileSync('desk/NOTICE', 'utf8').split('\n');
  const missing = [...workflowsIn('examples'), ...workflowsIn('desk/workflows')].flatMap((file) =>
    codesIn(file)
      .filter(({ code }) => code.split('\n').some((line) => line.length > 1000))
      .filter(({ code }) => {
        const named = /Licences of (.+): desk\/NOTICE\.\n/.exec(code)?.[1].split(', ') ?? [];
        const parts = [...code.matchAll(/^\/\/ (\S+)\nconst \{.+\} = \(\(\) => \{/gm)];
        const entries = parts.map(([, part]) => named.find((each) => each.startsWith(`${part} `)));
        return entries.length === 0 || !entries.every((entry) => notice.includes(entry));
      })
      .map(({ name }) => `${file}: ${name}`),
  );
  const message = 'Code of others whose licence is not named, or not in desk/NOTICE:';
  return missing.length === 0
    ? { passed: true }
    : { passed: false, message, details: missing.join('\n') };
}

function codesIn(file) {
  const { nodes = [] } = JSON.parse(fs.readFileSync(file, 'utf8'));
  return nodes.map(({ name, parameters }) => ({ name, code: parameters.jsCode ?? '' }));
}

function workflowsIn(folder) {
  const files = fs.readdirSync(folder, { recursive: true });
  return files.filter((file) => file.endsWith('.json')).map((file) => path.join(folder, file));
}
