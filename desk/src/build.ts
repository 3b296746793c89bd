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
  origin: (name) =>
    `Generated from \`desk/src/${name}/\` in the sources of the SMS nodes: change that, or put your nodes behind the last step. 由源码的 \`desk/src/${name}/\` 生成：请改源码，或把节点接在最后一步后面。`,
};

if (require.main === module) {
  writeFileSync(path.join(__dirname, '../NOTICE'), NOTICE);
  void write(DESK);
}
