import { readdirSync } from 'node:fs';
import path from 'node:path';

/**
 * All checks of the documentation. They are one file, because jest loads n8n and parses all pages again
 * for each file: that took ten times as long as the checks themselves.
 */
for (const file of readdirSync(path.join(__dirname, 'checks'))) {
  describe(path.parse(file).name, () => {
    jest.requireActual(`./checks/${file}`);
  });
}
