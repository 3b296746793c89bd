import { readFileSync } from 'node:fs';
import path from 'node:path';

import {
  NodeHelpers,
  type INodeProperties,
  type INodeType,
  type INodeTypeDescription,
} from 'n8n-workflow';

import { commonPollingParameters } from 'n8n-core/dist/nodes-loader/constants';
import { action, trigger } from '../kit/engine/descriptions';

type KnownType = Pick<
  INodeTypeDescription,
  'name' | 'version' | 'group' | 'inputs' | 'outputs' | 'properties'
>;

/** n8n's nodes that the templates use, as `read-node-types.mjs` has read them from n8n. */
export const N8N_TYPES = JSON.parse(
  readFileSync(path.join(__dirname, 'nodeTypes.json'), 'utf8'),
) as KnownType[];

const PACKAGE = 'n8n-nodes-sms-messaging-service';

const own = ({ description }: INodeType, more: INodeProperties[] = []): KnownType => ({
  ...description,
  name: `${PACKAGE}.${description.name}`,
  properties: [...more, ...description.properties],
});

/** All of them, and this package's. An agent's tool has the parameters of its node. */
export const KNOWN_TYPES: KnownType[] = [
  ...N8N_TYPES,
  own(action),
  { ...own(action), name: `${own(action).name}Tool`, outputs: ['ai_tool'] },
  own(trigger, commonPollingParameters),
];

function knownType(type: string, version: number): KnownType {
  const found = KNOWN_TYPES.find(
    (each) => each.name === type && [each.version].flat().includes(version),
  );
  if (!found)
    throw new Error(`Run test/templates/read-node-types.mjs: it has no ${type} ${version}.`);
  return found;
}

/**
 * The parameters of a node that n8n does not show, by path: nodes have no such parameter, or not with what
 * is chosen elsewhere.
 */
export function notShown(type: string, typeVersion: number, parameters: object): string[] {
  const known = knownType(type, typeVersion);
  const kept = NodeHelpers.getNodeParameters(
    known.properties,
    structuredClone(parameters) as never,
    true,
    false,
    { typeVersion },
    known as never,
  );
  return lost(parameters, kept);
}

/** The paths in a value that are not in another one. */
function lost(value: unknown, other: unknown, at = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => {
    const kept = (other as Record<string, unknown> | null | undefined)?.[key];
    if (kept === undefined) return [`${at}${key}`];
    return lost(each, kept, `${at}${key}.`);
  });
}
