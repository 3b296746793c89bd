/** `npm run templates`: writes the templates. */
import { write } from '../../builder/build';
import type { House } from '../../builder/build';

export const TEMPLATES: House = {
  sources: 'examples/src',
  files: 'examples',
  tag: 'SMS',
  hasIds: false,
};

if (require.main === module) void write(TEMPLATES);
