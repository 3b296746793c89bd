import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { PAGE_SIZE } from '../../nodes/SmsMessagingService/operations/records';
import { TRIGGER_OPTIONS } from '../../nodes/SmsMessagingService/receiving/triggerFields';
import { RUN_OPTIONS } from '../../nodes/SmsMessagingService/sending/options';
import { CODE_LISTS } from '../../nodes/SmsMessagingService/service/resultCodes';
import { CODES } from '../sandbox/codes';
import { PERSONALITIES } from '../sandbox/personalities';
import type { Gateway } from '../sandbox/gateway';
import { CAPABILITIES } from './capabilities';
import type { Capability, Scene } from './capabilities';

/** What a user sets where a capability fails, as its error or notice says. */
export interface Setting {
  /** As the editor shows it. The error must name it. */
  name: string;
  /** Fields of the credential. */
  credential?: (gateway: Gateway) => IDataObject;
  parameters?: (scene: Scene, capability: Capability) => INodeParameters;
  /** What the user does instead, where the capability itself cannot be set right. */
  instead?: string;
}

const EMPTY_CODES: Setting = {
  name: CODE_LISTS.empty.label,
  credential: () => ({ customResultCodes: true, emptyCodes: String(CODES.emptyQueue) }),
};

const SMALLER_PAGES: Setting = {
  name: PAGE_SIZE.label,
  parameters: () => ({ options: { pageSize: 20 } }),
};

/** Personality → capability, or group of capabilities, or '' for all → what the user sets. */
export const SETTINGS: Record<string, Record<string, Setting>> = {
  prefix: { '': { name: 'Base URL', credential: ({ baseUrl }) => ({ baseUrl }) } },
  'hmac-lines': {
    '': {
      name: 'Custom Request Signing',
      credential: () => ({
        customSigning: true,
        signatureAlgorithm: 'hmacSha256',
        signaturePayload: '{method}\\n{path}\\n{timestamp}\\n{nonce}\\n{body}\\n',
      }),
    },
  },
  'bearer-token': {
    'signature.create': {
      name: 'Authorization Token',
      credential: () => ({ authorizationToken: 'Bearer sandbox-token-77' }),
    },
  },
  'small-pages-refused': {
    'qualification.getAll': SMALLER_PAGES,
    'signature.getAll': SMALLER_PAGES,
    'template.getAll': SMALLER_PAGES,
    'lead.getAll': SMALLER_PAGES,
    'Empty answers': SMALLER_PAGES,
  },
  'small-pulls-refused': {
    Pulls: {
      name: 'Count',
      parameters: () => ({ count: 30 }),
    },
    Trigger: {
      name: TRIGGER_OPTIONS.pullSize.label,
      parameters: () => ({ options: { pullSize: 30 } }),
    },
  },
  'few-recipients': {
    Sends: {
      name: RUN_OPTIONS.batchSize.label,
      parameters: () => ({ options: { batchSize: 10 } }),
    },
  },
  'update-ids': {
    'qualification.update': updateId('cert_id', 103),
    'signature.update': updateId('signature_id', 203),
    'template.update': updateId('template_id', 305),
  },
  'paths-elsewhere': {
    'By name only': {
      name: 'Endpoint Path',
      parameters: (_, { name }) => ({ options: { endpointPath: pathElsewhere(name) } }),
    },
    'picker: signatures': { name: 'By ID', instead: 'message.sendTemplate' },
  },
  'percent-marks': {
    Parameters: { name: 'As JSON', instead: 'message.sendTemplate' },
  },
  'empty-code': {
    'trigger: deliveryReport': EMPTY_CODES,
    'trigger: reply': EMPTY_CODES,
    'Empty answers': EMPTY_CODES,
  },
};

function updateId(field: string, id: number): Setting {
  return {
    name: 'Extra Fields (JSON)',
    parameters: () => ({
      options: { extraFieldsJson: `{ "id": null, "${field}": ${id} }` },
    }),
  };
}

/** The path that an operation has with the personality `paths-elsewhere`. */
function pathElsewhere(name: string): string {
  const [resource = '', operation = ''] = name.split('.');
  const folder = { qualification: 'cert', signature: 'sign' }[resource] ?? resource;
  const last = { get: 'info', getAll: 'info' }[operation] ?? operation;
  return `/v3/manage/${folder}/${last}`;
}

/** The settings that a capability needs under these personalities. */
export function settingsFor(names: readonly string[], { name, group }: Capability): Setting[] {
  return PERSONALITIES.filter((personality) => names.includes(personality.name)).flatMap(
    (personality) => {
      const of = SETTINGS[personality.name] ?? {};
      const setting = of[name] ?? of[group] ?? of[''];
      return setting ? [setting] : [];
    },
  );
}

/** @throws TypeError for a name that no capability has */
export function capabilityNamed(wanted: string): Capability {
  const found = CAPABILITIES.find(({ name }) => name === wanted);
  if (!found) throw new TypeError(`No capability ${wanted}`);
  return found;
}
