import { Pool } from 'undici';
import { signedHeaders } from '../sandbox/rawClient';
import { BATCH_SIZE, CONCURRENCY, TEMPLATE_SEND, templateSend } from './contestants';
import type { Client } from './contestantProcess';
import type { Credential } from './gatewayProcess';

/** The limit: the same requests outside n8n, over connections that stay open, and nothing else. */
export function rawClient(credential: Credential): Client {
  const { baseUrl, apiKey, apiSecret } = credential as Record<
    'baseUrl' | 'apiKey' | 'apiSecret',
    string
  >;
  const pool = new Pool(baseUrl, { connections: CONCURRENCY });

  const post = async (path: string, body: object): Promise<unknown> => {
    const answer = await pool.request({
      path,
      method: 'POST',
      headers: signedHeaders({ apiKey, apiSecret }),
      body: JSON.stringify(body),
    });
    return await answer.body.json();
  };

  return {
    async send(persons) {
      let accepted = 0;
      let next = 0;
      const worker = async () => {
        while (next < persons.length) {
          const batch = persons.slice(next, (next += BATCH_SIZE));
          const answer = await post(TEMPLATE_SEND, templateSend(batch));
          accepted += (answer as { count: number }).count;
        }
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, worker));
      return { done: accepted };
    },
    async drain(_, pageSize) {
      for (let done = 0; ;) {
        const answer = await post('/sendsms/report/pull', { count: pageSize });
        const { length } = (answer as { data: unknown[] }).data;
        done += length;
        if (length < pageSize) return { done };
      }
    },
  };
}
