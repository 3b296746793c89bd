/** `npm run templates`: writes the workflows of the desk. */
import { write } from '../../builder/build';
import type { House } from '../../builder/build';

export const DESK: House = {
  sources: 'desk/src',
  files: 'desk/workflows',
  tag: 'SMS desk',
  hasIds: true,
};

if (require.main === module) void write(DESK);
