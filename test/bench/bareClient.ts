import { createHash, randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import { BATCH_SIZE, CONCURRENCY, TEMPLATE_SEND, templateSend } from './contestants';
import type { Person } from './contestants';
import type { Credential } from './gatewayProcess';

/** Sends one signed request and returns the parsed JSON answer. */
export type Post = (path: string, body: object) => Promise<unknown>;

/**
 * Sends and drains with nothing but requests. It shows the lowest time that is possible with a
 * `Post` function.
 */
export class BareClient {
  constructor(private readonly post: Post) {}

  /**
   * Sends to all persons: `BATCH_SIZE` per request, `CONCURRENCY` requests at a time.
   *
   * @returns the number of accepted messages
   */
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

  /**
   * Pulls delivery reports until a page is not full.
   *
   * @returns the number of delivery reports
   */
  async drain(pageSize: number): Promise<number> {
    for (let drained = 0; ;) {
      const answer = await this.post('/sendsms/report/pull', { count: pageSize });
      const { length } = (answer as { data: unknown[] }).data;
      drained += length;
      if (length < pageSize) return drained;
    }
  }
}

/** Returns a function that sends requests with undici and keeps connections open. */
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
