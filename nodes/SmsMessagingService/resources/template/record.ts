import type { IDataObject } from 'n8n-workflow';
import { documented } from '../../operations/endpoint';
import type { Fields } from '../../parameters/fields';
import type { RecordKind } from '../../operations/records/kind';
import { leadLocator, signatureLocator, templateLocator } from '../../parameters/locators';
import { textOf } from '../../service/json';

/** An SMS template. */
export const TEMPLATE: RecordKind = {
  noun: 'template',
  plural: 'templates',
  locator: templateLocator,
  list: { endpoint: documented('/openapi/template/info') },
};

/** The number of a template's parameters, where the service states it. */
export function paramCountOf({ param_count: stated }: IDataObject): number | undefined {
  return /^\d+$/.test(textOf(stated)) ? Number(stated) : undefined;
}

/** Whether a template is enabled. Undefined where the service does not say it in a known way. */
export function isEnabled({ status }: IDataObject): boolean | undefined {
  if ([true, 1, '1', 'true'].includes(status as never)) return true;
  return [false, 0, '0', 'false'].includes(status as never) ? false : undefined;
}

/** The ID of the signature that a template belongs to. Undefined where the service names none. */
export function signatureIdOf({ sign_id: id }: IDataObject): string | undefined {
  const digits = textOf(id);
  return /^[1-9]\d*$/.test(digits) ? digits : undefined;
}

/** The fields of a template that the user can set. The service sets the others. */
export const TEMPLATE_FIELDS = {
  name: {
    type: 'string',
    displayName: 'Name',
    placeholder: 'e.g. Login code',
    description: 'Name that the template is listed under',
  },
  content: {
    type: 'string',
    displayName: 'Content',
    rows: 4,
    placeholder: 'e.g. Your code is ${code}, valid for ${minutes} minutes.',
    description:
      'Text of the template. How its parameters are written is not documented; look at another template of the account.',
  },
  lead_id: {
    type: 'reference',
    locator: leadLocator,
    description: 'Lead with the link or phone number that the text contains',
  },
  remark: {
    type: 'string',
    displayName: 'Remark',
    placeholder: 'e.g. Sent at login',
    description: 'Note for your own use',
  },
  sign_id: {
    type: 'reference',
    locator: signatureLocator,
    description: 'Signature that the template belongs to',
  },
  type: {
    type: 'code',
    displayName: 'Type',
    description: 'Code of the template type',
  },
} as const satisfies Fields;
