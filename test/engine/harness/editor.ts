import { CredentialTestContext, LoadOptionsContext } from 'n8n-core';
import type {
  ICredentialDataDecryptedObject,
  ICredentialTestFunctions,
  IDataObject,
  INodeCredentialTestResult,
  INodeListSearchResult,
  INodeParameters,
  ResourceMapperFields,
} from 'n8n-workflow';
import { checkErrorText } from './errorText';
import { ACTION, CREDENTIAL, decrypted } from './package';
import type { LoadedPackage } from './package';

/** What the editor asks n8n for while a user sets up a credential or the action node. */
export function createEditor(loaded: LoadedPackage, credential: ICredentialDataDecryptedObject) {
  const { methods } = loaded.getNodeType(ACTION);

  /** The credential test, as n8n calls it. */
  async function testCredential(
    data: IDataObject = credential,
  ): Promise<INodeCredentialTestResult> {
    const test = existing(methods?.credentialTest?.testConnection, 'credential test');
    const context = new CredentialTestContext() as unknown as ICredentialTestFunctions;
    const result = await test.call(context, {
      id: '1',
      name: 'account',
      type: CREDENTIAL,
      data: decrypted(loaded.loader, data as ICredentialDataDecryptedObject),
    });
    // A single text. It begins with what is the title elsewhere.
    if (result.status === 'Error') checkErrorText({ message: 'x', description: result.message });
    return result;
  }

  function loadOptionsContext(path: string, parameters: INodeParameters): LoadOptionsContext {
    const { workflow, node } = loaded.createWorkflowOf(loaded.createNode(ACTION, parameters));
    const additionalData = loaded.additionalData({ currentNodeParameters: parameters });
    return new LoadOptionsContext(workflow, node, additionalData, path);
  }

  /** One page of a picker's list, in a node with these parameters. */
  async function search(
    method: string,
    filter?: string,
    paginationToken?: string,
    parameters: INodeParameters = {},
  ): Promise<INodeListSearchResult> {
    const found = existing(methods?.listSearch?.[method], `list search ${method}`);
    return await checked(found.call(loadOptionsContext('', parameters), filter, paginationToken));
  }

  async function mapper(method: string, parameters: INodeParameters) {
    const found = existing(methods?.resourceMapping?.[method], `resource mapping ${method}`);
    return await checked(found.call(loadOptionsContext('', parameters)));
  }

  /** The fields of the parameter mapper. */
  async function mapperFields(parameters: INodeParameters): Promise<ResourceMapperFields> {
    return await mapper('getTemplateParameters', parameters);
  }

  /** The text of the chosen template, as HTML. */
  async function templateText(parameters: INodeParameters): Promise<string> {
    const { fields, emptyFieldsNotice = '' } = await mapper('getTemplateText', parameters);
    // With a field, the editor would not show the notice.
    if (fields.length > 0) throw new TypeError('The text has fields');
    return emptyFieldsNotice;
  }

  return { testCredential, search, mapperFields, templateText };
}

function existing<T>(method: T | undefined, name: string): T {
  if (method === undefined) throw new TypeError(`No ${name}`);
  return method;
}

/** Returns the promise, and checks the text of its error. */
async function checked<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    checkErrorText(error);
    throw error;
  }
}
