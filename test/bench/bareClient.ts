import { createHash, randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import { BATCH_SIZE, CONCURRENCY, templateSend } from './contestants';
import type { Person } from './contestants';
import type { Credential } from './server';

/** The limit: undici with connections that stay open, and nothing but what has to be done. */
export class RawClient {
  private readonly pool: Pool;

  constructor(private readonly credential: Credential) {
    this.pool = new Pool(String(credential.baseUrl), { connections: CONCURRENCY });
  }

  /** Sends to all, in requests of `BATCH_SIZE`, `CONCURRENCY` at a time. Returns how many were accepted. */
  async send(persons: Person[]): Promise<number> {
    let accepted = 0;
    let next = 0;
    const worker = async () => {
      while (next < persons.length) {
        const batch = persons.slice(next, (next += BATCH_SIZE));
        const answer = await this.post('/sendsms/template/send', templateSend(batch));
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

  private async post(path: string, body: unknown): Promise<unknown> {
    const { apiKey, apiSecret } = this.credential as Record<string, string>;
    const timestamp = String(Math.floor(Date.now() / 1000));
    const nonce = randomUUID();
    const sign = createHash('sha256').update(`${apiKey}${apiSecret}${timestamp}${nonce}`);
    const answer = await this.pool.request({
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
  }
}
