import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { ruleText } from '../serviceCheck/load';

const FOLDER = path.join(__dirname, '../../examples/code');

/** The line in whose place a Code node gets `parsePhoneNumbers`, the reader of the nodes themselves. */
const READER = '// parsePhoneNumbers: how the SMS node reads phone numbers.\n';

const readerText = ruleText('parameters/phoneNumbers');

/** The line in whose place a Code node gets another file of examples/code. */
const INCLUDE = /^\/\/ include (.+\.js)\n/gm;

/** The text of a Code node that has a file in examples/code. */
export interface Code {
  /** Name of a workflow in examples/. */
  workflow: string;
  node: string;
  text: string;
}

/** The texts of all Code nodes in examples/code: a folder per workflow, a file per node. */
export function codes(): Code[] {
  return readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name: workflow }) =>
      readdirSync(path.join(FOLDER, workflow)).map((file) => ({
        workflow,
        node: path.basename(file, '.js'),
        text: read(`${workflow}/${file}`).trimEnd(),
      })),
    );
}

function read(file: string): string {
  return readFileSync(path.join(FOLDER, file), 'utf8')
    .replace(READER, () => READER + readerText)
    .replace(INCLUDE, (_, included: string) => read(included));
}
