'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

/**
 * Sets what n8n-core reads when it loads: a folder for the tests alone, which goes with jest, and no log.
 * jest passes these variables on to its workers.
 */
module.exports = () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sms-engine-'));
  // PostgreSQL runs as another user, and has its files there too.
  fs.chmodSync(folder, 0o711);
  process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
  process.env.N8N_USER_FOLDER = folder;
  process.env.N8N_ENCRYPTION_KEY = 'engine-tests';
  process.env.N8N_LOG_LEVEL ??= 'silent';
};
