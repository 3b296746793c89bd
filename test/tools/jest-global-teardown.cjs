'use strict';
const fs = require('node:fs');

/** Removes the folder that jest-global-setup.cjs has made. */
module.exports = () => {
  fs.rmSync(process.env.N8N_USER_FOLDER, { recursive: true, force: true });
};
