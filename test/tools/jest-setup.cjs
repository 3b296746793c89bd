'use strict';
const path = require('node:path');

// Each worker has a folder of its own: n8n-core writes its settings there without a lock.
process.env.N8N_USER_FOLDER = path.join(process.env.N8N_USER_FOLDER, process.env.JEST_WORKER_ID);
