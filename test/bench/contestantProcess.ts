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

/** One contestant in a process of its own, so that its CPU and its memory are its own. */

export interface ContestantArgument {
  /** Index in CONTESTANTS. */
  contestant: number;
  /** Folder of the installed package. */
  packageFolder: string;
}

export interface Task {
  credential: Credential;
  /** Recipients to send to, or queued records to drain. */
  size: number;
  /** Records per page; makes it a drain. */
  pageSize?: number;
}

/** Asks for the heap that is left after a garbage collection, in MB. */
export type HeapQuestion = 'heap';

export interface Measurement {
  wallMs: number;
  cpuMs: number;
  /** Recipients that the contestant says were accepted, or records that it brought. */
  done: number;
  error?: string;
  /** The highest resident memory that the process has had, in MB. */
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
    // One per gateway: connections that stay open between runs are part of what is measured.
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
  // Not for the raw client, which is to be as light as it can be.
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
  { type, typeVersion = 1, parameters }: NodeUnderTest,
  baseUrl: string,
): Client {
  return {
    async send(persons) {
      const { json, error } = await execute(parameters(baseUrl), persons, {
        mode: 'trigger',
        node: { type, typeVersion },
      });
      const done = json.filter(({ code }) => code === 0).length;
      return { done, error: error?.message };
    },
    async drain(records, pageSize) {
      let done = 0;
      const poller = createPoller(
        { events: ['deliveryReport'], pullSize: pageSize },
        {
          onExecution: (items) => {
            done += items.length;
            // The poller keeps what was handed over; n8n does not.
            poller.executions.length = 0;
          },
        },
      );
      // One poll after the other, as n8n would, until nothing more comes.
      for (let before = -1; done > before && done < records && poller.errors.length === 0;) {
        before = done;
        await poller.tick();
      }
      // Or the trigger of the next drain would be the second one of this account.
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
