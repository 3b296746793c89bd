import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import type { WorkflowFile } from './client';
import { repository } from './paths';

const FOLDER = path.join(repository, 'examples');

/** The names of the example workflows. */
export function exampleNames(): string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => path.basename(file, '.json'));
}

/** The example workflow of a name. */
export function readExample(name: string): WorkflowFile {
  return JSON.parse(readFileSync(path.join(FOLDER, `${name}.json`), 'utf8')) as WorkflowFile;
}
