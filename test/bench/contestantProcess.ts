import { createRequire } from 'node:module';
import type { IVersionedNodeType } from 'n8n-workflow';
import { Pool } from 'undici';
import { signedHeaders } from '../sandbox/rawClient';
import { serve } from '../kit/n8n/child';
import {
  BATCH_SIZE,
  CONCURRENCY,
  CONTESTANTS,
  people,
  TEMPLATE_SEND,
  templateSend,
} from './contestants';
import type { Name, NodeUnderTest, Person } from './contestants';
import type { Credential } from './gatewayProcess';
import { startProductionEngine } from '../kit/n8n/productionEngine';

/* Runs one contestant. Each has its own process, so that its memory is its own. */

/** Which contestant the process runs, and the folder of the installed package that is measured. */
export interface ContestantArgument {
  name: Name;
  packageFolder: string;
}

/** A send or a drain to measure. */
export interface Task {
  credential: Credential;
  /** Number of recipients of a send, or of queued records to drain. */
  size: number;
  /** Records per page of a drain. Undefined for a send. */
  pageSize?: number;
}

interface Result {
  /** Number of accepted messages or drained records, as the contestant reports it. */
  done: number;
  error?: string;
}

/** What one run took and did. */
export interface Measurement extends Result {
  wallMs: number;
  /** Highest resident memory of the process since its start, in MB. */
  peakMb: number;
}

/** Sends and drains in one way. */
interface Client {
  send: (persons: Person[]) => Promise<Result>;
  drain: (records: number, pageSize: number) => Promise<Result>;
}

void serve<ContestantArgument, Task, Measurement>(async ({ name, packageFolder }) => {
  const node = CONTESTANTS.find((each) => each.name === name)?.node;
  if (node) await startProductionEngine();
  // Each gateway has one client for all runs, because the client keeps connections open.
  const clients = new Map<unknown, Client>();

  return async ({ credential, size, pageSize }) => {
    const client =
      clients.get(credential.baseUrl) ??
      (node ? await nodeClient(node, credential, packageFolder) : rawClient(credential));
    clients.set(credential.baseUrl, client);
    const persons = people(size);
    const started = performance.now();
    const result = await (pageSize ? client.drain(size, pageSize) : client.send(persons));
    const wallMs = performance.now() - started;
    return { wallMs, peakMb: process.resourceUsage().maxRSS / 1024, ...result };
  };
});

async function nodeClient(
  { type, typeVersion = 1, onError, parameters }: NodeUnderTest,
  credential: Credential,
  packageFolder: string,
): Promise<Client> {
  // Imported only here, so that n8n does not add to the memory of the raw client.
  const { createHarness } = await import('../kit/engine');
  const { HttpRequest } = createRequire(__filename)(
    'n8n-nodes-base/dist/nodes/HttpRequest/HttpRequest.node.js',
  ) as { HttpRequest: new () => IVersionedNodeType };
  const { execute, createPoller } = await createHarness(credential, {
    folder: packageFolder,
    otherNodes: { 'n8n-nodes-base.httpRequest': new HttpRequest() },
  });
  return {
    async send(persons) {
      const { json, error } = await execute(parameters(credential.baseUrl), persons, {
        mode: 'trigger',
        node: { type, typeVersion, onError },
      });
      return { done: json.filter(({ code }) => code === 0).length, error: error?.message };
    },
    async drain(records, pageSize) {
      let done = 0;
      const poller = createPoller(
        { events: ['deliveryReport'], options: { pullSize: pageSize } },
        {
          onExecution: (items) => {
            done += items.length;
            // Frees the items as n8n does. The poller of the tests keeps them.
            poller.executions.length = 0;
          },
        },
      );
      // Polls like n8n, one poll after the other, until a poll brings nothing.
      for (let before = -1; done > before && done < records && poller.errors.length === 0;) {
        before = done;
        await poller.tick();
      }
      // Otherwise the trigger of the next drain would be a second one for the same account.
      await poller.deactivate();
      return { done, error: poller.errors[0]?.message };
    },
  };
}

/** The limit: the same requests outside n8n, over connections that stay open, and nothing else. */
function rawClient(credential: Credential): Client {
  const pool = new Pool(credential.baseUrl, { connections: CONCURRENCY });

  const post = async <T>(path: string, body: object): Promise<T> => {
    const headers = signedHeaders(credential);
    const answer = await pool.request({
      path,
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return (await answer.body.json()) as T;
  };

  return {
    async send(persons) {
      let done = 0;
      let next = 0;
      const worker = async () => {
        while (next < persons.length) {
          const batch = persons.slice(next, (next += BATCH_SIZE));
          const { count } = await post<{ count: number }>(TEMPLATE_SEND, templateSend(batch));
          done += count;
        }
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, worker));
      return { done };
    },
    async drain(_, pageSize) {
      for (let done = 0; ;) {
        const body = { count: pageSize };
        const { data } = await post<{ data: unknown[] }>('/sendsms/report/pull', body);
        done += data.length;
        if (data.length < pageSize) return { done };
      }
    },
  };
}
