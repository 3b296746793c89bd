import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

import type { IDataObject } from 'n8n-workflow';

import { database, n8nBin } from '../../kit/n8n/paths';

const command = promisify(execFile);

/** Runs one statement on the database of the suite's n8n, and returns its rows. */
export async function runSql(sql: string): Promise<IDataObject[]> {
  const { stdout } = await command(path.join(n8nBin, 'node'), [
    '--disable-warning=ExperimentalWarning',
    path.join(__dirname, 'run-sql.mjs'),
    database,
    sql,
  ]);
  return JSON.parse(stdout) as IDataObject[];
}
