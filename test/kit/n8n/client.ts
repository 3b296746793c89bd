import { createRequire } from 'node:module';
import path from 'node:path';

import { expect } from '@playwright/test';
import type {
  IConnections,
  IDataObject,
  INode,
  INodeCredentialsDetails,
  INodeExecutionData,
  INodeTypeDescription,
  IRunExecutionData,
  IWorkflowSettings,
} from 'n8n-workflow';
import { Agent, fetch } from 'undici';

import type { Gateway } from '../../sandbox/gateway';
import { n8nFolder } from './paths';
import { withChoices } from '../workflows/workflowFiles';

export interface WorkflowFile {
  /** An example has a fixed one, so that others can name it and importing it again replaces it. */
  id?: string;
  name: string;
  nodes: INode[];
  connections: IConnections;
  settings?: IWorkflowSettings;
}

export interface Workflow extends WorkflowFile {
  id: string;
  versionId: string;
}

export interface Credential {
  id: string;
  name: string;
  type: string;
}

/** An account with the SMS platform: a sandbox gateway of its own, and n8n's credential for it. */
export interface Account {
  gateway: Gateway;
  credential: Credential;
}

export interface ExecutionSummary {
  id: string;
  workflowId: string;
  status: string;
  mode: string;
  /** In ISO 8601. Null when it has not started. */
  startedAt: string | null;
}

export interface Execution extends ExecutionSummary {
  data: IRunExecutionData;
}

export interface Owner {
  email: string;
  password: string;
}

/** The pause between two requests that wait for a change, in milliseconds. */
const FREQUENTLY = [150];

/** A new connection for each call. n8n closes idle ones, sometimes just when they are used again. */
const dispatcher = new Agent({ pipelining: 0 });

/** n8n stores the data of an execution in this format. n8n's own copy of the parser reads it. */
const flatted = createRequire(path.join(n8nFolder, 'package.json'))('flatted') as {
  parse(text: string): IRunExecutionData;
};

/** An answer of n8n with an error status. */
export class N8nError extends Error {
  constructor(
    what: string,
    readonly status: number,
    readonly answer: string,
  ) {
    super(`n8n answered ${status} to ${what}: ${answer}`);
    this.name = 'N8nError';
  }
}

/** n8n's REST API for its editor. */
export class N8nClient {
  private cookie = '';

  constructor(readonly url: string) {}

  /** Creates the first user of a new n8n, and signs in. */
  async setUpOwner(owner: Owner): Promise<void> {
    const name = { firstName: 'Demo', lastName: 'Owner' };
    await this.call('POST', '/rest/owner/setup', { ...owner, ...name });
  }

  /** Signs in. */
  async logIn({ email, password }: Owner): Promise<void> {
    await this.call('POST', '/rest/login', { emailOrLdapLoginId: email, password });
  }

  /** The session cookie. A browser that gets it is signed in too. */
  get session(): { name: string; value: string } {
    const [name = '', value = ''] = this.cookie.split('=', 2);
    return { name, value };
  }

  /** The descriptions of all nodes that n8n knows. */
  async nodeTypes(): Promise<INodeTypeDescription[]> {
    return await this.call('GET', '/types/nodes.json');
  }

  /** Creates a credential. */
  async createCredential(name: string, type: string, data: IDataObject): Promise<Credential> {
    return await this.call('POST', '/rest/credentials', { name, type, data });
  }

  /** Leaves n8n as a new user has it, without credentials. The editor would select one that exists. */
  async removeCredentials(): Promise<void> {
    const credentials: Credential[] = await this.call('GET', '/rest/credentials');
    for (const { id } of credentials) await this.call('DELETE', `/rest/credentials/${id}`);
  }

  /** Runs n8n's test of a credential. */
  async testCredential(
    credential: Credential,
    data: IDataObject,
  ): Promise<{ status: string; message: string }> {
    const { id, name, type } = credential;
    return await this.call('POST', '/rest/credentials/test', {
      credentials: { id, name, type, data },
    });
  }

  /** Imports a workflow. Its nodes get the given credentials, by type. The rest is left to choose. */
  async importWorkflow(file: WorkflowFile, credentials: Credential[]): Promise<Workflow> {
    const nodes = file.nodes.map((node) => ({
      ...node,
      ...(node.credentials && { credentials: filledIn(node, credentials) }),
    }));
    if (file.id !== undefined) await this.removeWorkflow(file.id);
    // n8n 1.x demands the field `active`. Tags are names in a file, and this takes IDs.
    const workflow = { active: false, ...file, nodes, tags: undefined };
    return await this.call('POST', '/rest/workflows', workflow);
  }

  /** Removes a workflow with its executions, if there is one of this ID. */
  private async removeWorkflow(id: string): Promise<void> {
    try {
      await this.call('GET', `/rest/workflows/${id}`);
    } catch (error) {
      if (error instanceof N8nError && [403, 404].includes(error.status)) return;
      throw error;
    }
    await this.call('POST', `/rest/workflows/${id}/deactivate`, {});
    await this.call('POST', `/rest/workflows/${id}/archive`, {});
    await this.call('DELETE', `/rest/workflows/${id}`);
  }

  /** Saves a change of a workflow. */
  async updateWorkflow(id: string, change: Partial<WorkflowFile>): Promise<Workflow> {
    return await this.call('PATCH', `/rest/workflows/${id}`, change);
  }

  /** Changes parameters of a node. A published workflow goes on with the old ones. */
  async changeNode(workflow: Workflow, name: string, parameters: object): Promise<Workflow> {
    const { nodes } = withChoices(workflow, { [name]: { ...parameters } });
    return await this.updateWorkflow(workflow.id, { nodes });
  }

  /** Publishes a workflow, and waits until its triggers have started. */
  async publish({ id, versionId, name }: Workflow): Promise<void> {
    await this.call('POST', `/rest/workflows/${id}/activate`, { versionId });
    // The answer above says "active" even when a trigger cannot start. What a killed main was publishing, n8n takes up
    // again after two minutes.
    let state = { status: '' };
    const status = async () => (state = await this.publicationState(id)).status;
    await expect
      .poll(status, { message: `"${name}" is published`, timeout: 180_000, intervals: FREQUENTLY })
      .toMatch(/^(published|partial|failed)$/);
    // Partial means that only some triggers have started. n8n counts a Wait node as a trigger.
    if (state.status !== 'published') {
      throw new Error(`n8n could not publish "${name}": ${JSON.stringify(state)}`);
    }
  }

  /** Unpublishes a workflow. */
  async deactivate({ id }: Workflow): Promise<void> {
    await this.call('POST', `/rest/workflows/${id}/deactivate`, {});
  }

  /** Unpublishes every workflow. */
  async deactivateAll(): Promise<void> {
    const filter = encodeURIComponent(JSON.stringify({ active: true }));
    const active = await this.call<Workflow[]>('GET', `/rest/workflows?filter=${filter}`);
    for (const workflow of active) await this.deactivate(workflow);
  }

  /** Executes a workflow as the editor's button does, and waits for its end. */
  async run({ id }: Workflow, trigger: string): Promise<Execution> {
    const { executionId } = await this.call<{ executionId: string }>(
      'POST',
      `/rest/workflows/${id}/run`,
      { triggerToStartFrom: { name: trigger } },
    );
    return await this.finishedExecution(executionId);
  }

  /** Waits for the end of an execution. */
  async finishedExecution(id: string): Promise<Execution> {
    let execution = await this.execution(id);
    const isOver = async () => hasEnded((execution = await this.execution(id)));
    await expect
      .poll(isOver, {
        message: `execution ${id} has ended`,
        intervals: FREQUENTLY,
        timeout: 60_000,
      })
      .toBe(true);
    return execution;
  }

  /** Waits until so many executions beside those of earlier IDs have ended, and none goes on. Returns their IDs. */
  async endedExecutions(
    workflow: Workflow,
    count: number,
    earlier: ReadonlySet<string> = new Set(),
  ): Promise<string[]> {
    let ids: string[] = [];
    const haveEnded = async () => {
      const all = (await this.executions(workflow)).filter(({ id }) => !earlier.has(id));
      ids = all.map(({ id }) => id);
      return all.length >= count && all.every(hasEnded);
    };
    const message = `${count} executions have ended`;
    await expect.poll(haveEnded, { message, timeout: 120_000, intervals: FREQUENTLY }).toBe(true);
    return ids;
  }

  /** The executions of a workflow, newest first. */
  async executions({ id }: Workflow): Promise<ExecutionSummary[]> {
    const filter = encodeURIComponent(JSON.stringify({ workflowId: id }));
    const all: ExecutionSummary[] = [];
    for (let range = ''; ;) {
      const { results, nextCursor } = await this.call<{
        results: ExecutionSummary[];
        nextCursor?: string | null;
      }>('GET', `/rest/executions?filter=${filter}&limit=100${range}`);
      all.push(...results);
      const last = results.at(-1);
      // A page by the last id repeats what has started in another order, so it is not asked for without need.
      if (last === undefined || results.length < 100 || nextCursor === null) return all;
      // n8n 2.41 returns a cursor for the next page. An older one takes the last id of this page.
      range = nextCursor === undefined ? `&lastId=${last.id}` : `&cursor=${nextCursor}`;
    }
  }

  /** An execution with its data. */
  async execution(id: string): Promise<Execution> {
    const found = await this.call<ExecutionSummary & { data: string }>(
      'GET',
      `/rest/executions/${id}`,
    );
    return { ...found, data: flatted.parse(found.data) };
  }

  /** Calls a published webhook. */
  async callWebhook(path: string, body: unknown, headers: Record<string, string> = {}) {
    return (await this.request('POST', `/webhook/${path}`, headers, body)).text;
  }

  /** Makes a request to n8n, and returns the data of the answer. */
  async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const { headers, text } = await this.request(method, path, { cookie: this.cookie }, body);
    const session = headers.getSetCookie().find((each) => each.startsWith('n8n-auth='));
    if (session) this.cookie = session.split(';', 1)[0] ?? '';
    const answer: unknown = JSON.parse(text);
    return (isRecord(answer) && 'data' in answer ? answer.data : answer) as T;
  }

  private async request(
    method: string,
    path: string,
    headers: Record<string, string>,
    body: unknown,
  ) {
    const response = await fetch(this.url + path, {
      method,
      dispatcher,
      headers: { 'content-type': 'application/json', ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new N8nError(`${method} ${path}`, response.status, text);
    return { headers: response.headers, text };
  }

  /** An older n8n has no such state. What it has activated is published. */
  private async publicationState(id: string): Promise<{ status: string }> {
    try {
      return await this.call('GET', `/rest/workflows/${id}/publication-status`);
    } catch (error) {
      if (error instanceof N8nError && error.status === 404) return { status: 'published' };
      throw error;
    }
  }
}

/** Whether n8n will not change an execution's status any more. */
export function hasEnded({ status }: ExecutionSummary): boolean {
  return ['success', 'error', 'crashed', 'canceled'].includes(status);
}

/** The items of the first output of a node, from all its runs in an execution. */
export function itemsOf(execution: Execution, node: string): INodeExecutionData[] {
  const runs = execution.data.resultData.runData[node] ?? [];
  return runs.flatMap((each) => each.data?.main?.[0] ?? []);
}

/** The message of the error that an execution failed with. */
export function errorOf(execution: Execution): string | undefined {
  return execution.data.resultData.error?.message;
}

function filledIn(node: INode, credentials: Credential[]): Record<string, INodeCredentialsDetails> {
  return Object.fromEntries(
    Object.keys(node.credentials ?? {}).flatMap((type) => {
      const credential = credentials.find((each) => each.type === type);
      return credential ? [[type, { id: credential.id, name: credential.name }]] : [];
    }),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
