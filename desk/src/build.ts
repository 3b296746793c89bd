/** `npm run templates`: writes the workflows of the desk, and the licences in them. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { write } from '../../builder/build';
import type { House } from '../../builder/build';
import { NOTICE } from '../../builder/bundle';

export const DESK: House = {
  sources: 'desk/src',
  files: 'desk/workflows',
  tag: 'SMS desk',
  hasIds: true,
};

if (require.main === module) {
  writeFileSync(path.join(__dirname, '../NOTICE'), NOTICE);
  void write(DESK);
}
