import { UserError } from 'n8n-workflow';
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { ItemParameter } from '../parameters/reader';
import { describeValue, requireJsonObject } from '../parameters/values';
import { IF_ALL_ARE_REFUSED } from '../service/errors';
import type { OperationAdvice } from '../service/errors';
import { readChanged, readChangedLeniently } from './records/answers';

/**
 * The path of an operation. Where the specification does not show the operation, also how the user can
 * adapt it, how its answer is read, and the advice in its errors.
 */
export interface Endpoint {
  /** Path under the Base URL. */
  path: string;
  /** Whether the specification shows the operation. */
  isDocumented: boolean;
  /** What the user must know before the fields. */
  notices: INodeProperties[];
  /** Fields of the editor with which the user can adapt the operation. */
  properties: INodeProperties[];
  /** The path to use for an item. */
  readPath: (parameter: ItemParameter) => string;
  /** Request fields of an item that are merged into the body last. Null takes a field out. */
  readExtraFields: (parameter: ItemParameter) => IDataObject;
  /** Reads the record from the answer to a change, given the ID where it is known. */
  readChange: (answer: unknown, id?: unknown) => IDataObject[];
  /** What the user must know when the service does not accept the operation. */
  advice: OperationAdvice;
}

/**
 * An operation whose path and fields the specification shows.
 *
 * @param warning what the specification says that a user must know, as one sentence without a full stop;
 * shown in the editor and when the service refuses
 */
export function documented(path: string, warning?: string): Endpoint {
  return {
    path,
    isDocumented: true,
    notices: warning ? [notice(warning)] : [],
    properties: [],
    readPath: () => path,
    readExtraFields: () => ({}),
    readChange: readChanged,
    advice: { check: warning },
  };
}

/**
 * An operation that the specification only names. Path and fields are inferred from similar operations,
 * so the user can see and change both.
 */
export function inferred(path: string): Endpoint {
  return {
    path,
    isDocumented: false,
    notices: [notice("Path and fields are inferred; 'Options' can change both")],
    properties: inferredProperties(path),
    readPath: (parameter) => readEndpointPath(parameter, path),
    readExtraFields,
    readChange: readChangedLeniently,
    advice: INFERRED_ADVICE,
  };
}

function notice(displayName: string): INodeProperties {
  return { displayName, name: 'endpointNotice', type: 'notice', default: '' };
}

function inferredProperties(path: string): INodeProperties[] {
  return [
    {
      displayName: 'Options',
      name: 'options',
      type: 'collection',
      placeholder: 'Add option',
      default: {},
      options: [
        {
          displayName: 'Endpoint Path',
          name: 'endpointPath',
          type: 'string',
          default: path,
          placeholder: `e.g. ${path}`,
          description:
            "Path of this operation under the credential's 'Base URL', as your provider's manual shows it",
        },
        {
          displayName: 'Extra Fields (JSON)',
          name: 'extraFieldsJson',
          type: 'json',
          default: '{}',
          description:
            'More request fields, e.g. {"remark": "spring"}. They replace fields of the same name, and null leaves a field out.',
        },
      ],
    },
  ];
}

/** @throws UserError for anything but a plain path: it must not lead away from the Base URL */
function readEndpointPath(parameter: ItemParameter, defaultPath: string): string {
  const value = parameter('options.endpointPath', defaultPath);
  const path = typeof value === 'string' ? value.trim() : value;
  if (path === '' || path === undefined || path === null) {
    throw new UserError("'Endpoint Path' is empty", { description: PATH_ADVICE });
  }
  const isPlain = typeof path === 'string' && /^(?:\/[\w.~:@+,=-]+)+\/?$/.test(path);
  if (!isPlain || path.split('/').some((segment) => segment === '.' || segment === '..')) {
    throw new UserError(`'Endpoint Path' must be a path, not ${describeValue(value)}`, {
      description: PATH_ADVICE,
    });
  }
  return path;
}

const PATH_ADVICE =
  "Give the path under the credential's Base URL, as in your provider's manual: it starts with / and has no host, no '..' and no '?', e.g. /openapi/template/create.";

function readExtraFields(parameter: ItemParameter): IDataObject {
  const value = parameter('options.extraFieldsJson', '');
  const isBlank = typeof value === 'string' && value.trim() === '';
  return isBlank ? {} : requireJsonObject('Extra Fields (JSON)', value);
}

const INFERRED_ADVICE: OperationAdvice = {
  unknownAddress:
    "The path of this operation is inferred, because the interface specification does not show it. Set 'Endpoint Path' under Options to the one in your provider's manual, and check the credential's Base URL.",
  refused:
    "The fields of this operation are inferred: compare them with your provider's manual, and give what differs in 'Endpoint Path' and 'Extra Fields (JSON)' under Options. " +
    IF_ALL_ARE_REFUSED,
};

/** The fields of a request, with those that the user added. Null takes a field out. */
export function withExtraFields(fields: IDataObject, extra: IDataObject): IDataObject {
  const merged = Object.entries({ ...fields, ...extra });
  return Object.fromEntries(merged.filter(([name]) => extra[name] !== null));
}
