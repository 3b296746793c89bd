import 'reflect-metadata';
import { createRequire } from 'node:module';
import path from 'node:path';
import { InstanceSettings, PackageDirectoryLoader } from 'n8n-core';
import { NodeHelpers, Workflow } from 'n8n-workflow';
import type {
  ICredentialDataDecryptedObject,
  ICredentialsHelper,
  IDataObject,
  IHttpRequestOptions,
  INode,
  INodeParameters,
  INodeType,
  INodeTypes,
  IVersionedNodeType,
  IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { AGENTS, asTool } from './agents';
import { START } from './start';

/** The package in n8n's own loader, and what n8n gives to every context of a node. */

const ROOT = path.resolve(__dirname, '../../..');
const PACKAGE = 'n8n-nodes-sms-messaging-service';
export const CREDENTIAL = 'smsMessagingServiceApi';
export const ACTION = 'smsMessagingService';
export const TRIGGER = 'smsMessagingServiceTrigger';

/** n8n's container of services. n8n-core finds its services only in its own copy of `@n8n/di`. */
export const { Container } = createRequire(require.resolve('n8n-core'))('@n8n/di') as {
  Container: { get<T>(type: abstract new (...args: never[]) => T): T };
};

/** Returns the data of a credential as nodes get it: with defaults, and without values of hidden fields. */
export function decrypted(
  loader: PackageDirectoryLoader,
  data: ICredentialDataDecryptedObject,
): ICredentialDataDecryptedObject {
  const { properties } = loader.getCredential(CREDENTIAL).type;
  return NodeHelpers.getNodeParameters(
    properties,
    data as INodeParameters,
    true,
    false,
    null,
    null,
  ) as ICredentialDataDecryptedObject;
}

/**
 * Returns what n8n finds when it reads the credential, which it does for the node and again for each request.
 *
 * @param data as it is saved
 * @param nth counts the reads of one execution, from 1
 * @param itemIndex the item that its expressions are evaluated for
 * @throws if the credential cannot be read
 */
export type ReadCredential = (
  data: ICredentialDataDecryptedObject,
  nth: number,
  itemIndex?: number,
) => ICredentialDataDecryptedObject | Promise<ICredentialDataDecryptedObject>;

/** What n8n-core asks n8n about credentials, with the data of one credential in memory. */
class CredentialsHelper implements Partial<ICredentialsHelper> {
  private reads = 0;

  constructor(
    private readonly loader: PackageDirectoryLoader,
    private readonly data: ICredentialDataDecryptedObject,
    private readonly read: ReadCredential,
  ) {}

  getParentTypes() {
    return [];
  }

  getCredentialsProperties(type: string) {
    return this.loader.getCredential(type).type.properties;
  }

  isCredentialUsableByNode() {
    return true;
  }

  async authenticate(
    credentials: ICredentialDataDecryptedObject,
    type: string,
    options: IHttpRequestOptions,
  ) {
    const credentialType = this.loader.getCredential(type).type;
    if (typeof credentialType.authenticate !== 'function') throw new TypeError('No authenticate()');
    return await credentialType.authenticate(credentials, options);
  }

  async preAuthentication() {
    return undefined;
  }

  async getDecrypted(...args: Parameters<ICredentialsHelper['getDecrypted']>) {
    const itemIndex = args[6]?.itemIndex;
    return decrypted(this.loader, await this.read(this.data, ++this.reads, itemIndex));
  }
}

export interface LoadOptions {
  /** The folder of the built package. */
  folder?: string;
  /** Nodes of other packages, by type. `execute` runs one if its option `node.type` names it. */
  otherNodes?: Record<string, INodeType | IVersionedNodeType>;
}

/** What a test's workflow has besides its nodes. */
type WorkflowParts = Partial<Omit<ConstructorParameters<typeof Workflow>[0], 'nodes'>>;

export type LoadedPackage = Awaited<ReturnType<typeof loadPackage>>;

const load = createRequire(__filename);

/** n8n's loader. It loads the package by the tests' own `require`: anew for each file of tests, and in each process. */
function loaderOf(folder: string): PackageDirectoryLoader {
  const exportsOf = (file: string) =>
    load(path.join(folder, file)) as Record<string, new () => object>;
  const loadClass = (file: string) => {
    const [className = ''] = path.basename(file).split('.');
    const { [className]: Loaded } = exportsOf(file);
    return Loaded && new Loaded();
  };
  const getCodex = (file: string) => exportsOf(`${file}on`);
  return Object.assign(new PackageDirectoryLoader(folder), { loadClass, getCodex });
}

/** Loads the built package into n8n-core, for nodes that use one credential with this data. */
export async function loadPackage(
  credential: ICredentialDataDecryptedObject,
  { folder = ROOT, otherNodes = {} }: LoadOptions,
) {
  Container.get(InstanceSettings).markAsLeader();
  const loader = loaderOf(folder);
  await loader.loadAll();

  const others: Record<string, INodeType | IVersionedNodeType> = {
    [START.type]: START.nodeType,
    ...AGENTS,
    [`${PACKAGE}.${ACTION}Tool`]: asTool(loader.getNode(ACTION).type as INodeType),
    ...otherNodes,
  };
  const nodeTypes: INodeTypes = {
    getByName: (name) => others[name] ?? loader.getNode(name.slice(PACKAGE.length + 1)).type,
    getByNameAndVersion: (name, version) =>
      NodeHelpers.getVersionedNodeType(nodeTypes.getByName(name), version),
    getKnownTypes: () => ({}),
  };

  /** Returns a node type of the package, by its short name. */
  const getNodeType = (name: string): INodeType =>
    nodeTypes.getByNameAndVersion(`${PACKAGE}.${name}`);

  const additionalData = (
    extra: Partial<IWorkflowExecuteAdditionalData> = {},
    readCredential: ReadCredential = (data) => data,
  ) =>
    ({
      credentialsHelper: new CredentialsHelper(loader, credential, readCredential),
      executionId: '1',
      currentNodeExecutionIndex: 0,
      variables: {},
      webhookWaitingBaseUrl: 'http://localhost/webhook-waiting',
      formWaitingBaseUrl: 'http://localhost/form-waiting',
      setExecutionStatus: () => undefined,
      sendDataToUI: () => undefined,
      ...extra,
    }) as unknown as IWorkflowExecuteAdditionalData;

  const createNode = (
    type: string,
    parameters: INodeParameters,
    extra: Partial<INode> = {},
  ): INode => ({
    id: 'node-1',
    name: 'SMS',
    type: `${PACKAGE}.${type}`,
    typeVersion: 1,
    position: [0, 0],
    parameters,
    credentials: { [CREDENTIAL]: { id: '1', name: 'account' } },
    ...extra,
  });

  const createWorkflow = (nodes: INode[], parts: WorkflowParts = {}): Workflow =>
    new Workflow({
      id: 'workflow-1',
      name: 'Workflow',
      nodes,
      connections: {},
      nodeTypes,
      active: false,
      settings: {},
      ...parts,
    });

  /** Returns a workflow with one node, and the node as n8n keeps it there, with its default values. */
  const createWorkflowOf = (node: INode, parts: WorkflowParts = {}) => {
    const workflow = createWorkflow([node], parts);
    return { workflow, node: nodeOf(workflow, node.name) };
  };

  return {
    loader,
    nodeTypes,
    getNodeType,
    additionalData,
    createNode,
    createWorkflow,
    createWorkflowOf,
  };
}

/** @throws Error if the workflow has no node of this name */
export function nodeOf(workflow: Workflow, name: string): INode {
  const node = workflow.getNode(name);
  if (!node) throw new TypeError(`No node ${name}`);
  return node;
}

/** Returns the json of the items of one output. */
export function jsonOf(items: { json: IDataObject }[] | null | undefined): IDataObject[] {
  return (items ?? []).map(({ json }) => json);
}
