import type { IDataObject } from 'n8n-workflow';
import type { RecordKind } from '../operations/operation';
import { namesOf } from '../operations/output';
import { recordResource } from '../operations/records';
import { code, reference, text } from '../parameters/fields';
import type { Fields } from '../parameters/fields';
import { leadLocator, signatureLocator, templateLocator } from '../parameters/locators';
import { isObject, readDigits, textOf } from '../service/json';
import { fillPlaceholders, findPlaceholders } from '../service/placeholders';
import { shortened } from '../service/sentences';

/** The fields that the user can set. The service sets the others. */
const TEMPLATE_FIELDS = {
  name: text('Name', 'Login code', 'Name that the template is listed under'),
  content: {
    displayName: 'Content',
    rows: 4,
    hasPlaceholders: true,
    placeholder: 'e.g. Your code is ${code}, valid for ${minutes} minutes.',
    description:
      'Text of the template. How its parameters are written is not documented; look at another template of the account.',
  },
  lead_id: reference(leadLocator, 'The filed link or phone number that the text contains'),
  remark: text(
    'Remark',
    'Sent at login',
    'Note on the template. Assume that its reviewers read it.',
  ),
  sign_id: reference(signatureLocator, 'Signature that the template belongs to'),
  type: code('Type', 'Code of the template type'),
} satisfies Fields;

const { name, content } = TEMPLATE_FIELDS;

/** The reviewed text of a message. */
export const TEMPLATE: RecordKind = {
  value: 'template',
  noun: 'template',
  locator: templateLocator,
  fields: TEMPLATE_FIELDS,
  list: {
    endpoint: { path: '/openapi/template/info' },
    filters: {
      name: {
        ...name,
        description: 'Name of the template, or a part of it if the service searches for parts',
      },
    },
  },
  output: {
    fields: {
      ...namesOf(TEMPLATE_FIELDS),
      audit_status: 'Review Status',
      param_count: 'Number of Parameters',
      status: 'Status',
    },
    // What a send needs, and whether it can be sent.
    simple: [
      'id',
      'name',
      'content',
      'status',
      'param_count',
      'audit_status',
      'sign_id',
      'type',
      'lead_id',
      'remark',
    ],
  },
};

export const template = recordResource(TEMPLATE, {
  create: {
    endpoint: { path: '/openapi/template/create', isGuess: true },
    form: { name, content },
  },
  delete: { path: '/openapi/template/delete' },
  update: { path: '/openapi/template/update', isGuess: true },
});

/** The text of a template, if the service gives it: its parameters, and with values for them. */
export function textIn({ content: given, param_count }: IDataObject) {
  const content = typeof given === 'string' ? given : undefined;
  const stated = readDigits(param_count);
  return {
    content,
    stated,
    ...findPlaceholders(content ?? '', stated),
    fill: (values: Record<string, string>) => fillPlaceholders(content ?? '', values, stated),
  };
}

/** Whether a template is enabled. Undefined if its status is not a known one. */
export function isEnabled({ status }: IDataObject): boolean | undefined {
  if ([true, 1, '1', 'true'].includes(status as never)) return true;
  return [false, 0, '0', 'false'].includes(status as never) ? false : undefined;
}

/** A public client of such a service reads the numbers so. The specification does not show what they mean. */
const REVIEWS = ['in review', 'in review', 'passed', 'rejected'];

/** What `audit_status` says, unless the template has probably passed its review, or the service says nothing. */
function reviewOf({ audit_status: status }: IDataObject) {
  const shown = isObject(status) ? JSON.stringify(status) : textOf(status);
  const review = REVIEWS[readDigits(status) ?? -1];
  return shown === '' || review === 'passed' ? undefined : { review, shown: shortened(shown) };
}

/** The same in few words, for a list. */
export function reviewMark(template: IDataObject): string | undefined {
  const { review, shown } = reviewOf(template) ?? {};
  return review ? `${review}?` : shown && `review status ${shown}?`;
}

/** The same as a warning, if any: a guess, so no reason to refuse a send. */
export function reviewWarning(template: IDataObject, subject: string): string[] {
  const { review, shown } = reviewOf(template) ?? {};
  if (!shown) return [];
  const said = review ? `probably ${review} (status ${shown})` : `unknown review status ${shown}`;
  return [`${subject} may not have passed its review: ${said}`];
}

/** The ID of the signature that a template belongs to. Undefined if the service gives none. */
export function signatureIdOf({ sign_id: id }: IDataObject): string | undefined {
  const digits = textOf(id);
  return /^[1-9]\d*$/.test(digits) ? digits : undefined;
}
