import { UserError } from 'n8n-workflow';
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { SpecialAdvice } from '../service/errors';
import type { ItemParameter } from './operation';
import { describeValue, requireJsonObject } from '../parameters/values';

/**
 * The operations of which the specification only gives the name (§4.14). Their paths and fields are
 * inferred from their siblings, so the user can see and change both.
 */

/** The notice, and the fields to adapt an operation with. */
export function inferredProperties(path: string): INodeProperties[] {
  return [
    {
      displayName:
        'The interface specification names this operation, but shows neither its path nor its fields. Both are inferred here from similar operations. Compare them with the manual of your operator, and adapt Endpoint Path and Extra Fields (JSON) where they differ.',
      name: 'inferredNotice',
      type: 'notice',
      default: '',
    },
    {
      displayName: 'Endpoint Path',
      name: 'endpointPath',
      type: 'string',
      default: path,
      required: true,
      placeholder: `e.g. ${path}`,
      description:
        "Path of this operation under the credential's Base URL. The default is inferred: replace it if the manual of your operator shows another one.",
    },
    {
      displayName: 'Extra Fields (JSON)',
      name: 'extraFieldsJson',
      type: 'json',
      default: '{}',
      description:
        'Request fields that the operator wants and that are not offered above, e.g. {"remark": "spring"}. They are merged into the request last, so they also replace fields of the same name.',
    },
  ];
}

/**
 * The path that the user sees in the editor.
 *
 * @throws UserError for anything that is not a plain path: it must not lead away from the base URL
 */
export function readEndpointPath(parameter: ItemParameter): string {
  const value = parameter('endpointPath');
  const path = typeof value === 'string' ? value.trim() : value;
  if (path === '' || path === undefined || path === null) {
    throw new UserError("'Endpoint Path' is empty", { description: PATH_ADVICE });
  }
  const isPlain = typeof path === 'string' && /^(?:\/[\w.~-]+)+\/?$/.test(path);
  if (!isPlain || path.split('/').some((segment) => segment === '.' || segment === '..')) {
    throw new UserError(`'Endpoint Path' must be a path, not ${describeValue(value)}`, {
      description: PATH_ADVICE,
    });
  }
  return path;
}

const PATH_ADVICE =
  "Give the path under the credential's Base URL, as in the manual of your operator: it starts with / and has no host, no '..' and no '?', e.g. /openapi/template/create.";

/** The fields to merge into the request last. */
export function readExtraFields(parameter: ItemParameter): IDataObject {
  const value = parameter('extraFieldsJson', '');
  const isBlank = typeof value === 'string' && value.trim() === '';
  return isBlank ? {} : requireJsonObject('Extra Fields (JSON)', value);
}

/** What to do when the service does not take an inferred operation. */
export const INFERRED_ADVICE: SpecialAdvice = {
  unknownAddress:
    "The path of this operation is inferred, because the interface specification does not show it. Set 'Endpoint Path' to the one in the manual of your operator, and check the credential's Base URL.",
  refused:
    "Nothing was changed. The fields of this operation are inferred: compare them with the manual of your operator, and give what differs in 'Endpoint Path' and 'Extra Fields (JSON)'.",
};
