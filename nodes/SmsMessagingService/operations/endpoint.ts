import { UserError } from 'n8n-workflow';
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { ItemParameter } from '../parameters/reader';
import { describeValue, requireJsonObject } from '../parameters/values';
import type { SpecialAdvice } from '../service/errors';
import { readChanged, readChangedLeniently } from './records/answers';

/**
 * The path of an operation. Where the specification does not show the operation, also how the user can
 * adapt it, how its answer is read, and the advice in its errors.
 */
export interface Endpoint {
  /** Path under the Base URL. */
  path: string;
  /** Fields of the editor with which the user can adapt the operation. */
  properties: INodeProperties[];
  /** The path to use for an item. */
  readPath: (parameter: ItemParameter) => string;
  /** Request fields of an item that are merged into the body last. */
  readExtraFields: (parameter: ItemParameter) => IDataObject;
  /** Reads the record from the answer to a change, given the ID where it is known. */
  readChange: (answer: unknown, id?: unknown) => IDataObject[];
  /** Replaces the usual advice when the service does not accept the operation. */
  advice?: SpecialAdvice;
}

/** An operation whose path and fields the specification shows. */
export function documented(path: string): Endpoint {
  return {
    path,
    properties: [],
    readPath: () => path,
    readExtraFields: () => ({}),
    readChange: readChanged,
  };
}

/**
 * An operation that the specification only names. Path and fields are inferred from similar operations,
 * so the user can see and change both.
 */
export function inferred(path: string): Endpoint {
  return {
    path,
    properties: inferredProperties(path),
    readPath: readEndpointPath,
    readExtraFields,
    readChange: readChangedLeniently,
    advice: INFERRED_ADVICE,
  };
}

function inferredProperties(path: string): INodeProperties[] {
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

/** @throws UserError for anything but a plain path: it must not lead away from the Base URL */
function readEndpointPath(parameter: ItemParameter): string {
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

function readExtraFields(parameter: ItemParameter): IDataObject {
  const value = parameter('extraFieldsJson', '');
  const isBlank = typeof value === 'string' && value.trim() === '';
  return isBlank ? {} : requireJsonObject('Extra Fields (JSON)', value);
}

const INFERRED_ADVICE: SpecialAdvice = {
  unknownAddress:
    "The path of this operation is inferred, because the interface specification does not show it. Set 'Endpoint Path' to the one in the manual of your operator, and check the credential's Base URL.",
  refused:
    "Nothing was changed. The fields of this operation are inferred: compare them with the manual of your operator, and give what differs in 'Endpoint Path' and 'Extra Fields (JSON)'.",
};
