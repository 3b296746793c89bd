import { createRequire } from 'node:module';
import type { IDataObject, INodeType, IVersionedNodeType } from 'n8n-workflow';
import type { Harness } from '../engine/harness';
import { BareClient, undiciPost } from './bareClient';
import { serve } from './child';
import { CONTESTANTS, people } from './contestants';
import type { NodeUnderTest, Person } from './contestants';
import { BENCH_NODES } from './nodes';
import { startProductionEngine } from './productionEngine';
import type { Credential } from './gatewayProcess';

/*
 * Runs one contestant. Each contestant has its own process, so that CPU time and memory can be
 * measured per contestant.
 */

/** Which contestant the process runs. */
export interface ContestantArgument {
  /** Index in CONTESTANTS. */
  contestant: number;
  /** Folder of the installed package that is measured. */
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

/** Asks for the heap size after a garbage collection, in MB. */
export type HeapQuestion = 'heap';

/** What one run took and did. */
export interface Measurement {
  wallMs: number;
  cpuMs: number;
  /** Number of accepted messages or drained records, as the contestant reports it. */
  done: number;
  error?: string;
  /** Highest resident memory (RSS) of the process since its start, in MB. */
  rssPeak: number;
}

interface Result {
  done: number;
  error?: string;
}

interface Client {
  send: (persons: Person[]) => Promise<Result>;
  drain: (records: number, pageSize: number) => Promise<Result>;
}

void serve<ContestantArgument, Task | HeapQuestion, Measurement | number>(
  async ({ contestant, packageFolder }) => {
    const { engine, node } = CONTESTANTS[contestant] ?? {};
    if (engine === 'vm') await startProductionEngine();
    // Each gateway has one client for all runs, because the client keeps connections open.
    const clients = new Map<unknown, Promise<Client>>();

    return async (question) => {
      if (question === 'heap') {
        global.gc?.();
        return process.memoryUsage().heapUsed / 1024 / 1024;
      }
      const { credential, size, pageSize } = question;
      let client = clients.get(credential.baseUrl);
      if (client === undefined) {
        client = engine ? n8nClient(node, credential, packageFolder) : undiciClient(credential);
        clients.set(credential.baseUrl, client);
      }
      const { send, drain } = await client;
      if (pageSize !== undefined) return await measure(() => drain(size, pageSize));
      const persons = people(size);
      return await measure(() => send(persons));
    };
  },
);

async function measure(work: () => Promise<Result>): Promise<Measurement> {
  const cpu = process.cpuUsage();
  const started = performance.now();
  const result = await work();
  const wallMs = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  const rssPeak = process.resourceUsage().maxRSS / 1024;
  return { wallMs, cpuMs: (user + system) / 1000, rssPeak, ...result };
}

async function undiciClient(credential: Credential): Promise<Client> {
  const client = new BareClient(undiciPost(credential));
  return {
    send: async (persons) => ({ done: await client.send(persons) }),
    drain: async (_, pageSize) => ({ done: await client.drain(pageSize) }),
  };
}

async function n8nClient(
  node: NodeUnderTest | undefined,
  credential: Credential,
  packageFolder: string,
): Promise<Client> {
  // Imported only here, so that n8n does not add to the memory of the raw client.
  const { createHarness } = await import('../engine/harness');
  const harness = await createHarness(credential as never, {
    folder: packageFolder,
    otherNodes: { ...BENCH_NODES, ...httpRequestNode() },
  });
  const baseUrl = String(credential.baseUrl);
  return node ? nodeClient(harness, node, baseUrl) : bareN8nClient(harness, baseUrl);
}

function bareN8nClient({ execute }: Harness, baseUrl: string): Client {
  const run = async (items: IDataObject[], pageSize: number) => {
    const { json, error } = await execute({ baseUrl, pageSize }, items, {
      mode: 'trigger',
      node: { type: 'bench.bareRequests' },
    });
    return { done: Number(json[0]?.done), error: error?.message };
  };
  return {
    send: async (persons) => await run(persons, 0),
    drain: async (_, pageSize) => await run([{}], pageSize),
  };
}

function nodeClient(
  { execute, createPoller }: Harness,
  { type, typeVersion = 1, onError, parameters }: NodeUnderTest,
  baseUrl: string,
): Client {
  return {
    async send(persons) {
      const { json, error } = await execute(parameters(baseUrl), persons, {
        mode: 'trigger',
        node: { type, typeVersion, onError },
      });
      const done = json.filter(({ code }) => code === 0).length;
      return { done, error: error?.message };
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

function httpRequestNode(): Record<string, INodeType | IVersionedNodeType> {
  const { HttpRequest } = createRequire(__filename)(
    'n8n-nodes-base/dist/nodes/HttpRequest/HttpRequest.node.js',
  ) as { HttpRequest: new () => IVersionedNodeType };
  return { 'n8n-nodes-base.httpRequest': new HttpRequest() };
}
