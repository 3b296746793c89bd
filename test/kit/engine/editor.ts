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
    const context = new CredentialTestContext() as unknown as ICredentialTestFunctions;
    const result = (await methods?.credentialTest?.testConnection?.call(context, {
      id: '1',
      name: 'account',
      type: CREDENTIAL,
      data: decrypted(loaded.loader, data as ICredentialDataDecryptedObject),
    })) as INodeCredentialTestResult;
    // A single text. It begins with what is the title elsewhere.
    if (result.status === 'Error') checkErrorText({ message: 'x', description: result.message });
    return result;
  }

  function loadOptionsContext(parameters: INodeParameters): LoadOptionsContext {
    const { workflow, node } = loaded.createWorkflowOf(loaded.createNode(ACTION, parameters));
    const additionalData = loaded.additionalData({ currentNodeParameters: parameters });
    return new LoadOptionsContext(workflow, node, additionalData, '');
  }

  /** One page of a picker's list, in a node with these parameters. */
  async function search(
    method: string,
    filter?: string,
    paginationToken?: string,
    parameters: INodeParameters = {},
  ): Promise<INodeListSearchResult> {
    const find = methods?.listSearch?.[method];
    return await checked(find?.call(loadOptionsContext(parameters), filter, paginationToken));
  }

  /** The fields of the parameter mapper, or what another method gives. */
  async function mapperFields(
    parameters: INodeParameters,
    method = 'getTemplateParameters',
  ): Promise<ResourceMapperFields> {
    const map = methods?.resourceMapping?.[method];
    return await checked(map?.call(loadOptionsContext(parameters)));
  }

  /** The text of the chosen template, as HTML. */
  async function templateText(parameters: INodeParameters): Promise<string> {
    const { fields, emptyFieldsNotice = '' } = await mapperFields(parameters, 'getTemplateText');
    // With a field, the editor would not show the notice.
    if (fields.length > 0) throw new TypeError('The text has fields');
    return emptyFieldsNotice;
  }

  return { testCredential, search, mapperFields, templateText };
}

/** What a method of the node gives. The text of its error is checked. */
async function checked<T>(answer: Promise<T> | undefined): Promise<T> {
  try {
    return (await answer) as T;
  } catch (error) {
    checkErrorText(error);
    throw error;
  }
}
