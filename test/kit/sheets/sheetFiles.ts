import { readFileSync } from 'node:fs';
import path from 'node:path';

import type { IDataObject } from 'n8n-workflow';

interface SheetFile {
  fileName: string;
  /** In base64. */
  bytes: string;
  items: IDataObject[];
}

/**
 * Files as people have them, and what n8n's own Extract from File makes of each: `read-sheet-files.mjs` has
 * written it.
 */
export const SHEET_FILES = JSON.parse(
  readFileSync(path.join(__dirname, 'sheetFiles.json'), 'utf8'),
) as Record<string, SheetFile>;
