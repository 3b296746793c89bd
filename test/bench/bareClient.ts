import { createHash, randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import { BATCH_SIZE, CONCURRENCY, TEMPLATE_SEND, templateSend } from './contestants';
import type { Person } from './contestants';
import type { Credential } from './gatewayProcess';

/** Makes one signed request and reads its answer. */
export type Post = (path: string, body: object) => Promise<unknown>;

/** The limit of whoever makes the requests: nothing but what has to be done around them. */
export class BareClient {
  constructor(private readonly post: Post) {}

  /** Sends to all, in requests of `BATCH_SIZE`, `CONCURRENCY` at a time. Returns how many were accepted. */
  async send(persons: Person[]): Promise<number> {
    let accepted = 0;
    let next = 0;
    const worker = async () => {
      while (next < persons.length) {
        const batch = persons.slice(next, (next += BATCH_SIZE));
        const answer = await this.post(TEMPLATE_SEND, templateSend(batch));
        accepted += (answer as { count: number }).count;
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
    return accepted;
  }

  /** Pulls delivery reports until a page is short. Returns how many came. */
  async drain(pageSize: number): Promise<number> {
    for (let drained = 0; ;) {
      const answer = await this.post('/sendsms/report/pull', { count: pageSize });
      const { length } = (answer as { data: unknown[] }).data;
      drained += length;
      if (length < pageSize) return drained;
    }
  }
}

/** Requests by undici, over connections that stay open. */
export function undiciPost(credential: Credential): Post {
  const { baseUrl, apiKey, apiSecret } = credential as Record<string, string>;
  const pool = new Pool(String(baseUrl), { connections: CONCURRENCY });
  return async (path, body) => {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const nonce = randomUUID();
    const sign = createHash('sha256').update(`${apiKey}${apiSecret}${timestamp}${nonce}`);
    const answer = await pool.request({
      path,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-key': apiKey,
        'x-timestamp': timestamp,
        'x-nonce': nonce,
        'x-sign': sign.digest('hex'),
      },
      body: JSON.stringify(body),
    });
    return await answer.body.json();
  };
}
