// `node test/tools/release-notes.mjs`: prints the section of CHANGELOG.md for the version in
// package.json. Exit code 1 if there is none, so that no version is published without notes.
import fs from 'node:fs';

const { version } = JSON.parse(fs.readFileSync('package.json', 'utf8'));
const sections = fs.readFileSync('CHANGELOG.md', 'utf8').split(/^## /m);
const section = sections.find((each) => each.startsWith(`[${version}]`));
const notes = section?.split('\n').slice(1).join('\n').trim();
if (notes) {
  console.log(notes);
} else {
  console.error(`CHANGELOG.md has no section [${version}] with notes in it.`);
  process.exitCode = 1;
}
