import { UserError } from 'n8n-workflow';
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { ItemParameter } from '../parameters/reader';
import { describeValue, requireJsonObject } from '../parameters/values';
import { IF_ALL_ARE_REFUSED } from '../service/errors';
import type { OperationAdvice } from '../service/errors';

/** The path of an operation, and what the specification says of it. */
export interface Endpoint {
  /** Path under the Base URL, unless the user gives another. */
  path: string;
  /** Whether the specification shows the operation. */
  isDocumented: boolean;
  /** Whether the Authorization Token goes with it, under any path. */
  isAuthorized?: boolean;
  /** What the user must know before the fields, as one sentence without a full stop. */
  warning?: string;
}

/** How one item adapts an operation to the SMS provider. */
export interface Adaptation {
  /** Path under the Base URL. */
  path: string;
  /** Request fields that are merged into the body last. Null leaves a field out. Not to be changed. */
  extra: IDataObject;
}

/**
 * An operation whose path and fields the specification shows.
 *
 * @param warning what the specification says that a user must know; shown in the editor and when the
 * service refuses
 */
export function documented(path: string, warning?: string): Endpoint {
  return { path, isDocumented: true, warning };
}

/** An operation that the specification only names. Path and fields are inferred from similar operations. */
export function inferred(path: string): Endpoint {
  const warning = "Path and fields are inferred; 'Options' can change both";
  return { path, isDocumented: false, warning };
}

/**
 * The fields of an operation as the editor gets them: the warning first, and Options last, with the two
 * options that every operation has.
 */
export function withEndpointFields(
  properties: INodeProperties[],
  { path, warning }: Endpoint,
): INodeProperties[] {
  const isOptions = ({ name }: INodeProperties) => name === OPTIONS.name;
  const [own, ...behind] = properties.filter(isOptions);
  const options = [...((own?.options ?? []) as INodeProperties[]), ...endpointOptions(path)];
  options.sort((a, b) => a.displayName.localeCompare(b.displayName));
  return [
    ...(warning ? [notice(warning)] : []),
    ...properties.filter((property) => !isOptions(property)),
    { ...OPTIONS, ...own, options },
    ...behind,
  ];
}

function notice(displayName: string): INodeProperties {
  return { displayName, name: 'endpointNotice', type: 'notice', default: '' };
}

const OPTIONS: INodeProperties = {
  displayName: 'Options',
  name: 'options',
  type: 'collection',
  placeholder: 'Add option',
  default: {},
};

function endpointOptions(path: string): INodeProperties[] {
  return [
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
  ];
}

/**
 * Reads the two options of an item.
 *
 * @throws UserError for a path that is not plain, and for extra fields that are not a JSON object
 */
export function readAdaptation({ path }: Endpoint, parameter: ItemParameter): Adaptation {
  return { path: readEndpointPath(parameter, path), extra: readExtraFields(parameter) };
}

/** Only a plain path is taken: it must not lead away from the Base URL. */
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

/** One for all items without extra fields, so that a send sees at once that they are alike. */
const NO_EXTRA_FIELDS: IDataObject = {};

/** @throws UserError for anything but a JSON object */
export function readExtraFields(parameter: ItemParameter): IDataObject {
  const value = parameter('options.extraFieldsJson', '');
  const isBlank = typeof value === 'string' && value.trim() === '';
  return isBlank ? NO_EXTRA_FIELDS : requireJsonObject('Extra Fields (JSON)', value);
}

/** What the user can do when the service does not know the address of a documented operation. */
export const IF_ADDRESS_IS_UNKNOWN =
  "Check the credential's Base URL, with its path prefix if it has one. If other operations work, set 'Endpoint Path' under Options to the path in your provider's manual.";

const INFERRED_ADVICE: OperationAdvice = {
  unknownAddress:
    "The path of this operation is inferred, because the interface specification does not show it. Set 'Endpoint Path' under Options to the one in your provider's manual, and check the credential's Base URL.",
  refused:
    "The fields of this operation are inferred: compare them with your provider's manual, and give what differs in 'Endpoint Path' and 'Extra Fields (JSON)' under Options. " +
    IF_ALL_ARE_REFUSED,
};

/** What the user must know when the service does not accept the operation. */
export function endpointAdvice({ isDocumented, warning }: Endpoint): OperationAdvice {
  return isDocumented ? { unknownAddress: IF_ADDRESS_IS_UNKNOWN, check: warning } : INFERRED_ADVICE;
}
