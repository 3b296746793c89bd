// `npm run release:check`: n8n's own package scanner looks at the sources and at the files in the
// tarball, as it does for verification. Suppressions in comments have no effect in it. It also checks
// provenance, which only a published version has. Exit code 0 means that it finds nothing.
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
} finally {
  fs.rmSync(unpacked, { recursive: true, force: true });
}

function report(what, { passed, message, details }) {
  console.log(`${what}: ${passed ? (message ?? 'passed') : `${message}\n${details ?? ''}`}`);
  if (!passed || message) process.exitCode = 1;
}

/** Packs the package, unpacks the tarball, and returns the folder with its files. */
function unpack() {
  const quiet = { cwd: repository, encoding: 'utf8' };
  const args = ['pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', unpacked];
  const tarball = execFileSync('npm', args, quiet).trim().split('\n').at(-1);
  execFileSync('tar', ['-xzf', path.join(unpacked, tarball), '-C', unpacked]);
  return path.join(unpacked, 'package');
}
