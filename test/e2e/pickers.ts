import assert from 'node:assert/strict';

import type {
  IDataObject,
  INodeListSearchResult,
  INodeParameters,
  ResourceMapperFields,
} from 'n8n-workflow';

import { N8nError } from './lib/client';
import type { Credential, N8nClient } from './lib/client';
import type { Step } from './lib/step';

/** What the editor asks n8n for while a node is being set up, asked the way the editor asks. */
export const pickers: Step[] = [
  {
    name: 'Every picker finds its records by what a person would type, and pages through them',
    async run({ client, account }) {
      const { gateway, credential } = await account({
        records: { templates: 120, signatures: 60, qualifications: 60, leads: 60 },
      });
      for (const [method, kind, text, id] of [
        ['searchTemplates', 'templates', '发货', '302'],
        ['searchSignatures', 'signatures', '云岭', '202'],
        ['searchQualifications', 'qualifications', '昆明', '102'],
        ['searchLeads', 'leads', 'yunling', '402'],
      ] as const) {
        const found = await list(client, credential, method, { filter: text });
        assert.deepEqual(valuesOf(found), [id], method);
        assert.match(found.results[0]?.name ?? '', new RegExp(`^.*[^\\d\\s].* · ID ${id}`), method);

        const all: unknown[] = [];
        let paginationToken: unknown;
        do {
          const page = await list(client, credential, method, { paginationToken });
          all.push(...valuesOf(page));
          ({ paginationToken } = page);
        } while (paginationToken !== undefined && all.length < 1_000);
        assert.deepEqual(all, [...gateway.state[kind].keys()].map(String), method);
      }
    },
  },
  {
    name: 'A picker that can show nothing says why, and what to do',
    async run({ client, account }) {
      const other = await account({ inferredRoutes: false });
      const unknownPath = await refusal(list(client, other.credential, 'searchSignatures'));
      assert.match(
        unknownPath,
        /does not know this address \(HTTP 404\).*"By ID".*"Endpoint Path"/,
      );

      other.gateway.state.leads.clear();
      const empty = await refusal(list(client, other.credential, 'searchLeads'));
      assert.match(empty, /no leads/);
      const unmatched = await list(client, other.credential, 'searchLeads', { filter: 'x' });
      assert.deepEqual(unmatched.results, []);

      const wrong = await client.createCredential('Wrong secret', 'smsMessagingServiceApi', {
        ...(other.gateway.credential() as IDataObject),
        apiSecret: 'wrong',
      });
      const refused = await refusal(list(client, wrong, 'searchTemplates'));
      assert.match(refused, /signature/i);
    },
  },
  {
    name: 'The parameters of a template become fields, and where they cannot, a notice says why',
    async run({ client, account }) {
      const { gateway, credential } = await account();
      const chosen = await fields(client, credential, '301');
      assert.deepEqual(
        chosen.fields.map(({ displayName, required }) => ({ displayName, required })),
        [
          { displayName: 'Template Text', required: false },
          { displayName: 'code', required: true },
          { displayName: 'minutes', required: true },
        ],
      );
      assert.match(String(chosen.fields[0]?.defaultValue), /您的验证码是\$\{code\}/);

      for (const [templateId, notice] of [
        ['', /Choose a template/],
        ['={{ $json.template }}', /expression.*As JSON/],
        ['999', /no template with the ID 999/],
        ['303', /No parameters.*系统将于今晚/],
      ] as const) {
        const none = await fields(client, credential, templateId);
        assert.deepEqual(none.fields, []);
        assert.match(none.emptyFieldsNotice ?? '', notice);
      }

      // A list that is refused is asked for in smaller pages first.
      gateway.fault({ kind: 'businessCode', code: 9000, msg: 'maintenance', times: Infinity });
      const refused = await refusal(fields(client, credential, '301'));
      assert.match(refused, /maintenance/);
    },
  },
];

const NODE = { name: 'n8n-nodes-sms-messaging-service.smsMessagingService', version: 1 };

const SEND = { resource: 'message', operation: 'sendTemplate' };

async function list(
  client: N8nClient,
  credential: Credential,
  methodName: string,
  search: { filter?: string; paginationToken?: unknown } = {},
): Promise<INodeListSearchResult> {
  return await client.lookUp('resource-locator-results', {
    ...request('templateId', methodName, credential, SEND),
    ...(search as IDataObject),
  });
}

async function fields(
  client: N8nClient,
  credential: Credential,
  templateId: string,
): Promise<ResourceMapperFields> {
  const parameters = { ...SEND, templateId: { __rl: true, mode: 'id', value: templateId } };
  return await client.lookUp(
    'resource-mapper-fields',
    request('parameters', 'getTemplateParameters', credential, parameters),
  );
}

function request(
  parameter: string,
  methodName: string,
  { id, name, type }: Credential,
  currentNodeParameters: INodeParameters,
): IDataObject {
  return {
    path: `parameters.${parameter}`,
    methodName,
    nodeTypeAndVersion: NODE,
    currentNodeParameters: currentNodeParameters as IDataObject,
    credentials: { [type]: { id, name } },
  };
}

function valuesOf({ results }: INodeListSearchResult): unknown[] {
  return results.map(({ value }) => value);
}

/** What n8n tells the editor instead of an answer. */
async function refusal(lookUp: Promise<unknown>): Promise<string> {
  const error: unknown = await lookUp.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof N8nError, `not refused: ${String(error)}`);
  return error.answer;
}
