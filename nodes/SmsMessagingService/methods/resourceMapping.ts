import type {
  IDataObject,
  ILoadOptionsFunctions,
  ResourceMapperField,
  ResourceMapperFields,
} from 'n8n-workflow';
import { toNodeError } from '../n8n/errors';
import { escapeHtml } from '../n8n/output';
import { findRecord } from '../operations/records';
import { chosenId, signatureLocator, templateLocator } from '../parameters/locators';
import { PARAMETER_MODE } from '../parameters/templateParameters';
import { requireId } from '../parameters/values';
import { SIGNATURE } from '../resources/signature';
import { isEnabled, reviewWarning, signatureIdOf, TEMPLATE, textIn } from '../resources/template';
import { ServiceClient } from '../service/client';
import { readDigits } from '../service/json';
import { readList } from '../service/pages';
import { idOf } from '../service/recordId';
import { countSegments, ownSignatureWarning, signedText } from '../sending/text';
import { sentences } from '../service/sentences';

const AS_JSON = `set "${PARAMETER_MODE.label}" to "${PARAMETER_MODE.choices.json.name}"`;

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
  const id = chosenId(this, templateLocator);
  if (id === '') return notice('The parameters of the template that you choose appear here.');
  if (readDigits(id) === undefined) {
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

/** Returns the same fields for "From Input Fields of the Same Name". There, the editor needs no values. */
export async function getInputParameters(
  this: ILoadOptionsFunctions,
): Promise<ResourceMapperFields> {
  const { fields, ...others } = await getTemplateParameters.call(this);
  return { ...others, fields: fields.map((field) => ({ ...field, required: false })) };
}

/**
 * Returns the text of the chosen template, as the notice of a mapper without fields: nothing else in the
 * editor shows a long text that depends on another field. Warnings come before the text.
 *
 * Never throws, and never returns an empty notice: the editor would keep the text of the previous template.
 */
export async function getTemplateText(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
  const id = chosenId(this, templateLocator);
  if (readDigits(id) === undefined)
    return notice('The text is not known here: the template comes from an expression.');
  try {
    const client = await ServiceClient.create(this);
    const template = await findTemplate(client, id);
    if (template === undefined) return notice(`The service gave no template with the ID ${id}.`);
    const names = await readSignatureNames(client);
    const chosen = chosenId(this, signatureLocator);
    const sender = names.get(
      readDigits(chosen) !== undefined ? chosen : (signatureIdOf(template) ?? ''),
    );
    const warnings = warningsAbout(template, chosen, names);
    if (chosen !== '' || signatureIdOf(template) !== undefined) {
      warnings.push(...ownSignatureWarning(textIn(template).content ?? '', sender));
    }
    return notice(messageOf(template, sender), warnings);
  } catch (error) {
    return notice(`The text cannot be shown. ${(error as Error).message}`);
  }
}

function warningsAbout(
  template: IDataObject,
  chosen: string,
  names: Map<string, string>,
): string[] {
  const warnings: string[] = [];
  if (isEnabled(template) === false) {
    warnings.push('This template is disabled: choose another one, or ask your SMS provider.');
  }
  warnings.push(...reviewWarning(template, 'This template'));
  const own = signatureIdOf(template);
  if (own !== undefined && readDigits(chosen) !== undefined && own !== chosen) {
    const label = signatureLocator.displayName;
    const named = names.has(own) ? `${names.get(own)} (ID ${own})` : `ID ${own}`;
    warnings.push(
      `This template belongs to another signature. Choose ${named} in '${label}', or leave '${label}' empty.`,
    );
  }
  return warnings;
}

/**
 * The message as it arrives, with its parameters between marks, and how long it is.
 *
 * @param sender the name of the signature. Without it, the text alone
 */
function messageOf(template: IDataObject, sender: string | undefined): string {
  const { content, names, fill } = textIn(template);
  if (!content) return 'The service gives no text for this template.';
  const messageWith = (value: (name: string) => string) => {
    const text = fill(Object.fromEntries(names.map((name) => [name, value(name)])));
    return sender === undefined ? text : signedText(sender, text);
  };
  const shortest = messageWith(() => '');
  const unknown = [sender === undefined && 'the signature', names.length > 0 && 'the values'];
  const more = unknown.filter(Boolean).join(' and ');
  const segments = countSegments(shortest);
  return [
    messageWith((name) => MARKS[0] + name + MARKS[1]),
    `${shortest.length} characters${more && ` plus ${more}`}: ${more ? 'at least' : 'about'} ${segments} segment${segments === 1 ? '' : 's'}.`,
  ].join('\n');
}

/** Characters that no text has, for the marks of a parameter: a bold ‹1›, which no one reads as the code 1. */
const MARKS = ['\u0001', '\u0002'] as const;

async function findTemplate(client: ServiceClient, id: string): Promise<IDataObject | undefined> {
  return await findRecord(client, TEMPLATE, requireId(templateLocator.displayName, id));
}

/** Short, because the names only help: no list waits long for them. */
const TIMEOUT_MS = 3_000;

/** An account with more signatures gets the names of the first ones. */
const MAX_NAMES = 100;

/**
 * The names of the account's signatures, by ID.
 *
 * Never throws. The path of the list is inferred, so the service may not have it. Then there are no names.
 */
async function readSignatureNames(client: ServiceClient): Promise<Map<string, string>> {
  const query = { client, path: SIGNATURE.list.endpoint.path, timeoutMs: TIMEOUT_MS };
  const names = new Map<string, string>();
  try {
    for await (const records of readList(query)) {
      for (const record of records) {
        const { name } = record;
        const id = idOf(record);
        if (id && typeof name === 'string' && name.trim() !== '') names.set(id, name);
      }
      if (names.size >= MAX_NAMES) break;
    }
  } catch {
    // What came before the failure is enough.
  }
  return names;
}

function describeParameters(template: IDataObject): ResourceMapperFields {
  const { names, agrees, stated } = textIn(template);
  if (!agrees) {
    return notice(
      `The service states ${stated} parameters for this template, but its text shows ${names.length}${names.length === 0 ? '' : ` (${names.join(', ')})`}. To name them as your SMS provider does, ${AS_JSON}.`,
    );
  }
  if (names.length === 0) {
    return notice(`No parameters were found in this template. If it has some, ${AS_JSON}.`);
  }
  return {
    // From Input Fields of the Same Name: the editor shows this notice and no fields.
    ...notice(`Each item needs the fields ${names.join(', ')}, with text as values.`),
    fields: names.map(parameterField),
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

/** Returns a notice instead of fields, with bold lines above it. The editor shows it as HTML. */
function notice(text: string, emphasised: string[] = []): Required<ResourceMapperFields> {
  const lines = [
    ...emphasised.map((line) => `<b>${escapeHtml(sentences(line))}</b>`),
    escapeHtml(text).replaceAll(MARKS[0], '<b>‹').replaceAll(MARKS[1], '›</b>'),
  ];
  return { fields: [], emptyFieldsNotice: lines.join('\n').replace(/\r?\n/g, '<br>') };
}
