import path from 'node:path';
import fc from 'fast-check';
import { makePausesVirtual } from '../kit/engine/pauses';

// Each worker has a folder of its own: n8n-core writes its settings there without a lock.
const { N8N_USER_FOLDER = '', JEST_WORKER_ID = '' } = process.env;
process.env.N8N_USER_FOLDER = path.join(N8N_USER_FOLDER, JEST_WORKER_ID);

makePausesVirtual();

// A property that says no number of its own: many ask a PostgreSQL. SEARCH_RUNS tries more.
fc.configureGlobal({ numRuns: Number(process.env.SEARCH_RUNS ?? 30) });
