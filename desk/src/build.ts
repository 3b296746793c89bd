/** `npm run templates`: writes the workflows of the desk, for both of its stores, and the licences in them. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { write } from '../../builder/build';
import type { House } from '../../builder/build';
import { NOTICE } from '../../builder/bundle';
import { onPostgres } from './parts';

export const DESK: House = {
  sources: 'desk/src',
  files: 'desk/workflows',
  tag: 'SMS desk',
  hasIds: true,
};

export const ON_POSTGRES: House = { ...DESK, files: 'desk/workflows/postgres', as: onPostgres };

if (require.main === module) {
  writeFileSync(path.join(__dirname, '../NOTICE'), NOTICE);
  void write(DESK).then(() => write(ON_POSTGRES));
}
