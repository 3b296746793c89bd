import { UserError } from 'n8n-workflow';
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { notice, optionsCollection, readValues } from '../parameters/options';
import type { Option, OptionField } from '../parameters/options';
import { plainJson, readJson } from '../parameters/json';
import type { ItemReader } from '../parameters/reader';
import { textField } from '../parameters/texts';
import { describeValue } from '../parameters/values';
import { CREDENTIAL_LABELS } from '../service/connection';
import { parseExactly } from '../service/json';

/** Where the service has an operation, and what its specification says about it. */
export interface Endpoint {
  /** Path under the Base URL, unless the user gives another. */
  path: string;
  /** The specification only names the operation, so path and fields follow those of similar operations. */
  isGuess?: boolean;
  /** Whether the Authorization Token is sent, whatever the path. */
  isAuthorized?: boolean;
  /**
   * What a user must know from the specification, as one sentence without a full stop. Shown in the editor,
   * and if the service refuses. Guesses share one, and give none here.
   */
  warning?: string;
}

/** How one item adapts an operation to the SMS provider. */
export interface Adaptation {
  /** Path under the Base URL. */
  path: string;
  /** Request fields that are merged into the body last. Null leaves a field out. Do not change the object. */
  extra: IDataObject;
}

const ENDPOINT_PATH = 'Endpoint Path';

export const EXTRA_FIELDS: OptionField = {
  label: 'Extra Fields (JSON)',
  field: {
    type: 'json',
    default: '{}',
    description:
      'More request fields, e.g. {"remark": "spring"}. They replace fields of the same name, and null leaves a field out.',
  },
};

const GUESSED =
  "The path and fields of this operation are guesses: if it is rejected, set those of your provider's manual under 'Options'";

/**
 * The fields of an operation as the editor gets them: its notice first, and Options last, with the two
 * options that every operation has.
 */
export function withEndpointFields(
  properties: INodeProperties[],
  endpoint: Endpoint,
  options?: Record<string, OptionField>,
): INodeProperties[] {
  const text = endpoint.warning ?? (endpoint.isGuess && GUESSED);
  return [
    ...(text ? [notice('endpointNotice', text)] : []),
    ...properties,
    optionsCollection({ ...endpointOptions(endpoint), ...options }),
  ];
}

function endpointOptions({ path }: Endpoint) {
  const endpointPath: Option<string> = {
    label: ENDPOINT_PATH,
    default: path,
    field: {
      type: 'string',
      default: path,
      placeholder: `e.g. ${path}`,
      description: `Path of this operation under the credential's '${CREDENTIAL_LABELS.baseUrl}', as your provider's manual shows it`,
    },
    read: parsePath,
  };
  return { endpointPath, extraFieldsJson: EXTRA_FIELDS };
}

/**
 * Reads the two options that every operation has.
 *
 * @throws UserError for a path that is not plain, or for extra fields that are not a JSON object
 */
export function readAdaptation(endpoint: Endpoint, item: ItemReader): Adaptation {
  const { endpointPath } = endpointOptions(endpoint);
  const path = readValues({ endpointPath }, item).endpointPath;
  return { path, extra: readExtraFields(item) };
}

export function readExtraFields(item: ItemReader): IDataObject {
  const { label } = EXTRA_FIELDS;
  const values = readJson(item, 'options.extraFieldsJson', label, parseExactly);
  return values ? plainJson(textField(label, 'value'), values, item) : {};
}

/** Accepts only a plain path, which cannot lead away from the Base URL. */
function parsePath(value: unknown): string {
  const path = typeof value === 'string' ? value.trim() : '';
  const isPlain = /^(?:\/[\w.~:@+,=-]+)+\/?$/.test(path);
  if (isPlain && !/\/\.\.?(?:\/|$)/.test(path)) return path;
  const isEmpty = path === '' && typeof (value ?? '') === 'string';
  const problem = isEmpty ? 'is empty' : `must be a path, not ${describeValue(value)}`;
  throw new UserError(`'${ENDPOINT_PATH}' ${problem}`, {
    description:
      "Give the path under the credential's Base URL, as in your provider's manual: it starts with / and has no host, no '..' and no '?', e.g. /openapi/template/create.",
  });
}
