import { createRequire } from 'node:module';
import type { IVersionedNodeType } from 'n8n-workflow';
import { serve } from './child';
import { CONTESTANTS, people } from './contestants';
import type { Contestant, Name, NodeUnderTest, Person } from './contestants';
import type { Credential } from './gatewayProcess';
import { startProductionEngine } from './productionEngine';
import { rawClient } from './rawClient';

/* Runs one contestant. Each has its own process, so that its memory is its own. */

/** Which contestant the process runs. */
export interface ContestantArgument {
  name: Name;
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

/** What one run took and did. */
export interface Measurement extends Result {
  wallMs: number;
  /** Highest resident memory of the process since its start, in MB. */
  peakMb: number;
}

interface Result {
  /** Number of accepted messages or drained records, as the contestant reports it. */
  done: number;
  error?: string;
}

/** Sends and drains in one way. */
export interface Client {
  send: (persons: Person[]) => Promise<Result>;
  drain: (records: number, pageSize: number) => Promise<Result>;
}

void serve<ContestantArgument, Task, Measurement>(async ({ name, packageFolder }) => {
  const { node } = CONTESTANTS.find((each) => each.name === name) as Contestant;
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
  const { createHarness } = await import('../engine/harness');
  const { execute, createPoller } = await createHarness(credential, {
    folder: packageFolder,
    otherNodes: { 'n8n-nodes-base.httpRequest': httpRequestNode() },
  });
  return {
    async send(persons) {
      const { json, error } = await execute(parameters(String(credential.baseUrl)), persons, {
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

function httpRequestNode(): IVersionedNodeType {
  const file = 'n8n-nodes-base/dist/nodes/HttpRequest/HttpRequest.node.js';
  const { HttpRequest } = createRequire(__filename)(file) as {
    HttpRequest: new () => IVersionedNodeType;
  };
  return new HttpRequest();
}
