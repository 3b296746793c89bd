import type {
  IDataObject,
  ILoadOptionsFunctions,
  ResourceMapperField,
  ResourceMapperFields,
} from 'n8n-workflow';
import { toNodeError } from '../n8n/errors';
import { findRecord } from '../operations/records';
import { locatorText } from '../parameters/locators';
import { requireId } from '../parameters/values';
import { isEnabled, paramCountOf, signatureIdOf, TEMPLATE } from '../resources/template';
import { ServiceClient } from '../service/client';
import { findPlaceholders } from '../service/reading/placeholders';
import { readSignatureNames } from './signatureNames';

const AS_JSON = 'set "Specify Parameters" to "As JSON"';

/**
 * Returns the fields of the parameter mapper: one for each parameter of the chosen template. If there are
 * none, a notice says why.
 *
 * @throws NodeApiError or NodeOperationError if the template cannot be read. The editor shows less of an
 * error than of a notice, but keeps the mapped values only after an error.
 */
export async function getTemplateParameters(
  this: ILoadOptionsFunctions,
): Promise<ResourceMapperFields> {
  const id = chosenId(this, 'templateId');
  if (id === '') return notice('Choose a template: its parameters then appear here.');
  if (!isId(id)) {
    return notice(
      `The template comes from an expression, so its parameters are not known here: ${AS_JSON}.`,
    );
  }
  try {
    const template = await findTemplate(await ServiceClient.create(this), id);
    if (template !== undefined) return describeParameters(template);
    return notice(
      `The parameters of this template are not known. Choose another one, or ${AS_JSON}.`,
    );
  } catch (error) {
    throw toNodeError(this.getNode(), error);
  }
}

/**
 * Returns the text of the chosen template, as the notice of a mapper without fields: nothing else in the
 * editor shows a long text that depends on another field. Warnings come before the text.
 *
 * Never throws, and never returns an empty notice: the editor would keep the text of the previous template.
 */
export async function getTemplateText(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
  const id = chosenId(this, 'templateId');
  if (!isId(id))
    return notice('The text is not known here: the template comes from an expression.');
  try {
    const client = await ServiceClient.create(this);
    const template = await findTemplate(client, id);
    if (template === undefined) return notice(`The service gave no template with the ID ${id}.`);
    const warnings = await warningsAbout(template, chosenId(this, 'signatureId'), client);
    return notice(contentOf(template) || 'The service gives no text for this template.', warnings);
  } catch (error) {
    return notice(`The text cannot be shown. ${(error as Error).message}`);
  }
}

async function warningsAbout(
  template: IDataObject,
  chosenSignature: string,
  client: ServiceClient,
): Promise<string[]> {
  const warnings: string[] = [];
  if (isEnabled(template) === false) warnings.push('This template is disabled.');
  const signature = signatureIdOf(template);
  if (signature !== undefined && isId(chosenSignature) && signature !== chosenSignature) {
    const name = (await readSignatureNames(client)).get(signature);
    const named = name === undefined ? `ID ${signature}` : `${name} (ID ${signature})`;
    warnings.push(`This template belongs to another signature: ${named}.`);
  }
  return warnings;
}

/** Returns the ID that is chosen in the open node. It is another text if it comes from an expression. */
function chosenId(context: ILoadOptionsFunctions, parameter: string): string {
  return locatorText(context.getCurrentNodeParameter(parameter));
}

function isId(text: string): boolean {
  return /^\d+$/.test(text);
}

async function findTemplate(client: ServiceClient, id: string): Promise<IDataObject | undefined> {
  return await findRecord(client, TEMPLATE, requireId('Template', id));
}

function describeParameters(template: IDataObject): ResourceMapperFields {
  const paramCount = paramCountOf(template);
  const { names, agrees } = findPlaceholders(contentOf(template), paramCount);
  if (!agrees) {
    return notice(
      `The service states ${paramCount} parameters for this template, but its text shows ${names.length}${names.length === 0 ? '' : ` (${names.join(', ')})`}. To name them as your SMS provider does, ${AS_JSON}.`,
    );
  }
  if (names.length === 0) {
    return notice(`No parameters were found in this template. If it has some, ${AS_JSON}.`);
  }
  return {
    // The automatic mode shows this notice and no fields.
    ...notice(`This template takes ${names.join(', ')} from each item.`),
    fields: names.map(parameterField),
  };
}

function contentOf({ content }: IDataObject): string {
  return typeof content === 'string' ? content : '';
}

function parameterField(name: string): ResourceMapperField {
  return {
    id: name,
    displayName: name,
    type: 'string',
    required: true,
    display: true,
    defaultMatch: false,
    canBeUsedToMatch: false,
  };
}

/** Returns a notice instead of fields, with bold lines above it. The editor shows it as HTML. */
function notice(text: string, emphasised: string[] = []): Required<ResourceMapperFields> {
  const lines = [...emphasised.map((line) => `<b>${escapeHtml(line)}</b>`), escapeHtml(text)];
  return { fields: [], emptyFieldsNotice: lines.join('\n').replace(/\r?\n/g, '<br>') };
}

function escapeHtml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
