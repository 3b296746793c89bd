/** The requests that the editor makes to n8n while a user sets up a node. */
import type {
  IDataObject,
  INodeListSearchResult,
  INodeParameters,
  ResourceMapperFields,
} from 'n8n-workflow';

import { N8nError } from './lib/client';
import type { Credential, N8nClient } from './lib/client';
import { expect, test } from './lib/test';

test('Every picker finds its records by their text, and pages through them', async ({
  client,
  openAccount,
}) => {
  const { gateway, credential } = await openAccount({
    records: { templates: 120, signatures: 60, qualifications: 60, leads: 60 },
  });
  // A disabled one would come last on its page.
  gateway.state.templates.forEach((template) => Object.assign(template, { status: true }));
  for (const [method, kind, text, id] of [
    ['searchTemplates', 'templates', '发货', '302'],
    ['searchSignatures', 'signatures', '云岭', '202'],
    ['searchQualifications', 'qualifications', '昆明', '102'],
    ['searchLeads', 'leads', 'yunling', '402'],
  ] as const) {
    const found = await list(client, credential, method, { filter: text });
    expect(valuesOf(found), method).toEqual([id]);
    expect(found.results[0]?.name, method).toMatch(new RegExp(`^[^·]*[^\\d\\s·]+ · ID ${id}`));

    const all: unknown[] = [];
    let paginationToken: unknown;
    do {
      const page = await list(client, credential, method, { paginationToken });
      all.push(...valuesOf(page));
      ({ paginationToken } = page);
    } while (paginationToken !== undefined && all.length < 1_000);
    expect(all, method).toEqual([...gateway.state[kind].keys()].map(String));
  }
});

test('A picker that can show nothing says why, and what to do', async ({ client, openAccount }) => {
  const { gateway, credential } = await openAccount({ inferredRoutes: false });
  expect(await refusal(list(client, credential, 'searchSignatures'))).toMatch(
    /does not know this address \(HTTP 404\).*Base URL.*"By ID".*inferred/,
  );

  gateway.state.leads.clear();
  expect(await refusal(list(client, credential, 'searchLeads'))).toMatch(/no reported links/);
  const unmatched = await list(client, credential, 'searchLeads', { filter: 'x' });
  expect(unmatched.results).toEqual([]);

  const wrong = await client.createCredential('Wrong secret', 'smsMessagingServiceApi', {
    ...(gateway.credential() as IDataObject),
    apiSecret: 'wrong',
  });
  expect(await refusal(list(client, wrong, 'searchTemplates'))).toMatch(/signature/i);
});

test('The text of a template is shown, its parameters become fields, and where they cannot, a notice says why', async ({
  client,
  openAccount,
}) => {
  const { gateway, credential } = await openAccount();
  const chosen = await mapped(client, credential, 'getTemplateParameters', '301');
  expect(chosen.fields.map(({ displayName, required }) => ({ displayName, required }))).toEqual([
    { displayName: 'code', required: true },
    { displayName: 'minutes', required: true },
  ]);
  expect(await mapped(client, credential, 'getTemplateText', '301')).toEqual({
    fields: [],
    emptyFieldsNotice:
      '【青禾科技】您的验证码是<b>code</b>,<b>minutes</b>分钟内有效,请勿告诉他人。<br>26 characters plus the values: at least 1 segment.',
  });

  for (const [templateId, parameters, text] of [
    ['', /that you choose/, /expression/],
    ['={{ $json.template }}', /expression.*As JSON/, /expression/],
    ['999', /not known.*As JSON/, /no template with the ID 999/],
    ['303', /No parameters/, /^【青禾科技】系统将于今晚/],
  ] as const) {
    for (const [method, notice] of [
      ['getTemplateParameters', parameters],
      ['getTemplateText', text],
    ] as const) {
      const none = await mapped(client, credential, method, templateId);
      expect(none.fields).toEqual([]);
      expect(none.emptyFieldsNotice).toMatch(notice);
    }
  }

  gateway.fault({ kind: 'businessCode', code: 9000, msg: 'maintenance', times: Infinity });
  const parameters = mapped(client, credential, 'getTemplateParameters', '301');
  expect(await refusal(parameters)).toMatch(/maintenance/);
  const { emptyFieldsNotice } = await mapped(client, credential, 'getTemplateText', '301');
  expect(emptyFieldsNotice).toMatch(/cannot be shown.*maintenance/);
});

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

async function mapped(
  client: N8nClient,
  credential: Credential,
  methodName: 'getTemplateParameters' | 'getTemplateText',
  templateId: string,
): Promise<ResourceMapperFields> {
  const parameters = { ...SEND, templateId: { __rl: true, mode: 'id', value: templateId } };
  return await client.lookUp(
    'resource-mapper-fields',
    request('parameters', methodName, credential, parameters),
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

/** The error that n8n answers with. */
async function refusal(lookUp: Promise<unknown>): Promise<string> {
  const error: unknown = await lookUp.catch((thrown: unknown) => thrown);
  if (error instanceof N8nError) return error.answer;
  throw new Error('n8n has not refused the request.', { cause: error });
}
