import type {
  IDataObject,
  ILoadOptionsFunctions,
  ResourceMapperField,
  ResourceMapperFields,
} from 'n8n-workflow';
import { toNodeError } from '../n8n/errors';
import { requireId } from '../parameters/values';
import { paramCountOf, TEMPLATE } from '../resources/template/record';
import { ServiceClient } from '../service/client';
import { queryPage } from '../service/pages';
import { findPlaceholders } from '../parameters/placeholders';

/** No parameter has this name: names of parameters have no spaces. */
const TEMPLATE_TEXT = 'template text';

const AS_JSON = 'Set "Specify Parameters" to "As JSON"';

/**
 * The fields of the parameter mapper: one for each parameter of the chosen template. Where there are
 * none, a notice says why.
 *
 * @throws NodeApiError or NodeOperationError when the template cannot be read. The editor shows less
 * of an error than of a notice, but only after an error does it keep the values that were mapped.
 */
export async function getTemplateParameters(
  this: ILoadOptionsFunctions,
): Promise<ResourceMapperFields> {
  const templateId = this.getCurrentNodeParameter('templateId', { extractValue: true });
  const id = String(templateId ?? '').trim();
  if (id === '') return notice('Choose a template: its parameters then appear here.');
  if (!/^\d+$/.test(id)) {
    return notice(
      `The template comes from an expression, so its parameters are not known here. ${AS_JSON}.`,
    );
  }
  const template = await findTemplate(this, id);
  if (template === undefined) {
    return notice(
      `The service gave no template with the ID ${id}. Choose another one. If it exists: ${AS_JSON}.`,
    );
  }
  return describeParameters(template);
}

async function findTemplate(
  context: ILoadOptionsFunctions,
  id: string,
): Promise<IDataObject | undefined> {
  try {
    const client = await ServiceClient.create(context);
    const { path } = TEMPLATE.list.endpoint;
    const wanted = requireId('Template', id);
    const { records } = await queryPage(client, path, { id: wanted });
    return records.find((record) => String(record.id) === String(wanted));
  } catch (error) {
    throw toNodeError(context.getNode(), error);
  }
}

function describeParameters(template: IDataObject): ResourceMapperFields {
  const text = typeof template.content === 'string' ? template.content : '';
  const paramCount = paramCountOf(template);
  const { names, agrees } = findPlaceholders(text, paramCount);
  const quote = `Its text: “${text}”`;
  if (!agrees) {
    return notice(
      `The service states ${paramCount} parameters for this template, but its text shows ${names.length}${names.length === 0 ? '' : ` (${names.join(', ')})`}. ${AS_JSON}, and name them as your SMS provider does. ${quote}`,
    );
  }
  if (names.length === 0) {
    return notice(
      `No parameters were found in this template. If it has some, ${AS_JSON}. ${quote}`,
    );
  }
  return {
    // The automatic mode shows this notice and no fields.
    ...notice(`This template takes ${names.join(', ')} from each item. ${quote}`),
    fields: [textField(text), ...names.map(parameterField)],
  };
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

/** The template's text, read-only. Only this type of field shows a long text in full. */
function textField(text: string): ResourceMapperField {
  return {
    id: TEMPLATE_TEXT,
    displayName: 'Template Text',
    type: 'array',
    readOnly: true,
    defaultValue: JSON.stringify(text.split(/\r?\n/)),
    required: false,
    display: true,
    defaultMatch: false,
    canBeUsedToMatch: false,
  };
}

/** A notice in place of the fields. Escaped, since the editor shows it as HTML. */
function notice(text: string): Required<ResourceMapperFields> {
  const escaped = text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
  return { fields: [], emptyFieldsNotice: escaped };
}
