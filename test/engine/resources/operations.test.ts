import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { parse } from 'yaml';
import { contractOperations } from '../../sandbox/contract';
import { startGateway } from '../../sandbox/gateway';
import type { Gateway, GatewayOptions, ListShape } from '../../sandbox/gateway';
import { ACTION, createHarness } from '../harness';
import type { Harness } from '../harness';
import { expectOutputSchema } from '../harness/outputSchema';

/** What an input item holds; the parameters below read it by expressions. */
interface Item extends IDataObject {
  id: number;
  name: string;
  phone: string;
}

interface Request {
  parameters: INodeParameters;
  body: (item: Item) => IDataObject;
}

interface Case {
  /** In openapi.yaml. */
  operationId: string;
  path: string;
  /** Id of the first seed record of the kind; items are about the three after it. */
  firstId?: number;
  /** With every field that the operation knows. */
  full: Request;
  /** With the required fields only. */
  minimal?: Request;
  /** What comes out for an item. */
  records: (item: Item, gateway: Gateway) => unknown[];
  /** Sends and pulls work across items; their own tests say how. */
  isBatch?: true;
  isInferred?: true;
  /** The specification shows no answer, or an empty one, so that there is no wrong one. */
  takesAnyObject?: true;
}

const byId = (id: unknown) => ({ __rl: true, mode: 'id', value: String(id) });
const THE_ITEMS_ID = byId('={{ $json.id }}');
const LINK = 'https://files.example.com/a.jpg';

const itemsOf = ({ firstId = 0 }: Case): Item[] =>
  [1, 2, 3].map((offset) => ({
    id: firstId + offset,
    name: `name ${offset}`,
    phone: `1380013800${offset}`,
  }));

const sent = (item: Item) => ({
  status: 'accepted',
  batch_id: expect.any(String),
  code: 0,
  msg: expect.any(String),
  phone_numbers: [item.phone],
  count: expect.any(Number),
  sent: expect.any(Number),
});

function shortQualification(gateway: Gateway, id: number) {
  const record = gateway.state.qualifications.get(id);
  if (!record) throw new TypeError(`No qualification ${id}`);
  const { name, company_name, unified_social_credit_code, certificate_type } = record;
  const { legal_person, operator, operator_mobile, use, created_at } = record;
  return {
    id,
    name,
    company_name,
    unified_social_credit_code,
    certificate_type,
    legal_person,
    operator,
    operator_mobile,
    use,
    created_at,
  };
}

function shortLead(gateway: Gateway, id: number) {
  const record = gateway.state.leads.get(id);
  if (!record) throw new TypeError(`No lead ${id}`);
  const { sign_id, sign_name, url, phone_1, phone_2, report_type, report_info } = record;
  return { id, sign_id, sign_name, url, phone_1, phone_2, report_type, ...report_info };
}

const QUALIFICATION_PARAMETERS = {
  authorizationFile: `${LINK}\n  ${LINK}?2\n\n`,
  certificateFile: LINK,
  certificateType: 2,
  companyAuthorizationFile: '={{ ["x", $json.name] }}',
  legalMobile: '13800138009',
  legalPerson: 'Li Ming',
  legalPersonCertificate: '310000190001010002',
  legalPersonIdentityCardFront: LINK,
  legalPersonIdentityCardVerso: '',
  moreData: '',
  operator: 'Wang Fang',
  operatorCertificate: '310000190001010003',
  operatorIdentityCardFront: LINK,
  operatorIdentityCardVerso: '={{ "" }}',
  operatorMobile: '={{ 13900139000 }}',
  unifiedSocialCreditCode: '91310000MA1EXAMPLE',
  use: '={{ "3" }}',
};

const qualificationBody = (item: Item) => ({
  authorization_file: [LINK, `${LINK}?2`],
  certificate_file: LINK,
  certificate_type: 2,
  company_authorization_file: ['x', item.name],
  legal_mobile: '13800138009',
  legal_person: 'Li Ming',
  legal_person_certificate: '310000190001010002',
  legal_person_identity_card_front: LINK,
  legal_person_identity_card_verso: '',
  more_data: [],
  operator: 'Wang Fang',
  operator_certificate: '310000190001010003',
  operator_identity_card_front: LINK,
  operator_identity_card_verso: '',
  operator_mobile: '13900139000',
  unified_social_credit_code: '91310000MA1EXAMPLE',
  use: 3,
});

const SIGNATURE_PARAMETERS = {
  applyComment: 'for orders',
  bringsData: 'b',
  qualificationId: byId(102),
  customerCallUrl: 'https://example.com/callback',
  moreData: '={{ ["x", $json.name] }}',
  type: 2,
  use: 0,
};

const signatureBody = (item: Item) => ({
  apply_comment: 'for orders',
  brings_data: 'b',
  certification_id: 102,
  customer_call_url: 'https://example.com/callback',
  more_data: ['x', item.name],
  type: 2,
  use: 0,
});

const TEMPLATE_PARAMETERS = { type: 2, signatureId: byId(202), leadId: byId(0), remark: '' };
const TEMPLATE_BODY = { type: 2, sign_id: 202, lead_id: 0, remark: '' };

const LEAD_PARAMETERS = {
  customerCallUrl: 'https://example.com/callback',
  domain: 'example.com',
  isFinancialLending: 1,
  phone1: '={{ $json.phone }}',
  phone2: '',
  template: 'See https://example.com/help',
  url: 'https://example.com/help',
  urlExt: '?from=sms',
};

const leadBody = (item: Item) => ({
  customer_call_url: 'https://example.com/callback',
  domain: 'example.com',
  is_financial_lending: 1,
  phone_1: item.phone,
  phone_2: '',
  template: 'See https://example.com/help',
  url: 'https://example.com/help',
  url_ext: '?from=sms',
});

const FIRST_PAGE = { page: 1, page_size: 100 };

/** All operations. One that is missing here fails the tests. */
const TABLE: Record<string, Case> = {
  'balance.get': {
    operationId: 'balance.get',
    path: '/sendsms/balance',
    full: { parameters: {}, body: () => ({}) },
    records: (_, gateway) => [{ code: 0, msg: expect.any(String), balance: gateway.state.balance }],
  },
  'deliveryReport.pull': {
    operationId: 'deliveryReport.pull',
    path: '/sendsms/report/pull',
    isBatch: true,
    full: { parameters: { count: 1 }, body: () => ({ count: 1 }) },
    records: () => [
      expect.objectContaining({
        event: 'deliveryReport',
        status: expect.any(String),
        time_iso: expect.stringMatching(/Z$/),
      }),
    ],
  },
  'lead.create': {
    operationId: 'lead.create',
    path: '/openapi/lead/create',
    firstId: 401,
    full: {
      parameters: {
        signatureId: byId(202),
        additionalFields: { ...LEAD_PARAMETERS, reportType: 2 },
      },
      body: (item) => ({ sign_id: 202, ...leadBody(item), report_type: 2 }),
    },
    minimal: { parameters: { signatureId: byId(201) }, body: () => ({ sign_id: 201 }) },
    records: (item) => [
      {
        id: expect.any(Number),
        sign_id: 202,
        sign_name: '云岭商城',
        ...leadBody(item),
        report_type: 2,
        report_info: { mobile_report: false, telecom_report: false, unicom_report: false },
      },
    ],
  },
  'lead.delete': {
    operationId: 'lead.delete',
    path: '/openapi/lead/delete',
    firstId: 401,
    isInferred: true,
    takesAnyObject: true,
    full: { parameters: { leadId: THE_ITEMS_ID }, body: ({ id }) => ({ id }) },
    records: ({ id }) => [{ deleted: true, id }],
  },
  'lead.get': {
    operationId: 'lead.query',
    path: '/openapi/lead/info',
    firstId: 401,
    full: {
      parameters: { leadId: THE_ITEMS_ID, simplify: false },
      body: ({ id }) => ({ lead_id: id }),
    },
    records: ({ id }, { state }) => [state.leads.get(id)],
  },
  'lead.getAll': {
    operationId: 'lead.query',
    path: '/openapi/lead/info',
    firstId: 401,
    full: {
      parameters: {
        returnAll: true,
        filters: {
          queryPhone1: '4008000002',
          queryPhone2: '0871',
          queryUrl: 'yunling',
          signatureId: byId(202),
        },
      },
      body: () => ({
        query_phone1: '4008000002',
        query_phone2: '0871',
        query_url: 'yunling',
        sign_id: 202,
        ...FIRST_PAGE,
      }),
    },
    minimal: {
      parameters: { limit: 2, filters: { queryPhone1: '', signatureId: byId('') } },
      body: () => ({ page: 1, page_size: 2 }),
    },
    records: (_, gateway) => [shortLead(gateway, 402)],
  },
  'lead.update': {
    operationId: 'lead.update',
    path: '/openapi/lead/update',
    firstId: 401,
    full: {
      parameters: { leadId: THE_ITEMS_ID, updateFields: LEAD_PARAMETERS },
      body: (item) => ({ id: item.id, ...leadBody(item) }),
    },
    minimal: {
      parameters: { leadId: THE_ITEMS_ID, updateFields: { urlExt: '' } },
      body: ({ id }) => ({ id, url_ext: '' }),
    },
    records: (item, { state }) => [{ ...state.leads.get(item.id), ...leadBody(item) }],
  },
  'message.sendCustom': {
    operationId: 'message.sendCustom',
    path: '/sendsms/send',
    isBatch: true,
    full: {
      parameters: {
        signatureId: byId(201),
        phoneNumbers: '={{ $json.phone }}',
        content: 'hello',
        options: { phoneData: 'p', userData: 'u' },
      },
      body: ({ phone }) => ({
        sms_sign_id: 201,
        phone_numbers: [phone],
        content: 'hello',
        phone_data: 'p',
        user_data: 'u',
      }),
    },
    minimal: {
      parameters: {
        signatureId: byId(201),
        phoneNumbers: '={{ $json.phone }}',
        content: 'hello',
      },
      body: ({ phone }) => ({ sms_sign_id: 201, phone_numbers: [phone], content: 'hello' }),
    },
    records: (item) => [sent(item)],
  },
  'message.sendTemplate': {
    operationId: 'message.sendTemplate',
    path: '/sendsms/template/send',
    isBatch: true,
    full: {
      parameters: {
        templateId: byId(301),
        signatureId: byId(201),
        phoneNumbers: '={{ $json.phone }}',
        parameterMode: 'json',
        parametersJson: '{"code":"1234","minutes":"5"}',
        options: { phoneData: 'p', userData: 'u' },
      },
      body: ({ phone }) => ({
        template_id: 301,
        sms_sign_id: 201,
        messages: [
          { phone_number: phone, params: { code: '1234', minutes: '5' }, phone_data: 'p' },
        ],
        user_data: 'u',
      }),
    },
    records: (item) => [sent(item)],
  },
  'qualification.create': {
    operationId: 'qualification.create',
    path: '/openapi/cert/create',
    firstId: 101,
    isInferred: true,
    takesAnyObject: true,
    full: {
      parameters: {
        name: '={{ $json.name }}',
        companyName: 'Example Ltd.',
        additionalFields: QUALIFICATION_PARAMETERS,
      },
      body: (item) => ({
        name: item.name,
        company_name: 'Example Ltd.',
        ...qualificationBody(item),
      }),
    },
    minimal: {
      parameters: { name: 'n', companyName: 'c' },
      body: () => ({ name: 'n', company_name: 'c' }),
    },
    records: (item) => [
      {
        id: expect.any(Number),
        name: item.name,
        company_name: 'Example Ltd.',
        ...qualificationBody(item),
        created_at: expect.any(String),
      },
    ],
  },
  'qualification.delete': {
    operationId: 'qualification.delete',
    path: '/openapi/cert/delete',
    firstId: 101,
    takesAnyObject: true,
    full: { parameters: { qualificationId: THE_ITEMS_ID }, body: ({ id }) => ({ id }) },
    records: ({ id }) => [{ deleted: true, id }],
  },
  'qualification.get': {
    operationId: 'qualification.query',
    path: '/openapi/cert/info',
    firstId: 101,
    full: {
      parameters: { qualificationId: THE_ITEMS_ID, simplify: false },
      body: ({ id }) => ({ id }),
    },
    records: ({ id }, { state }) => [state.qualifications.get(id)],
  },
  'qualification.getAll': {
    operationId: 'qualification.query',
    path: '/openapi/cert/info',
    firstId: 101,
    full: {
      parameters: { returnAll: true, filters: { companyName: '云岭', name: '云岭' } },
      body: () => ({ company_name: '云岭', name: '云岭', ...FIRST_PAGE }),
    },
    minimal: { parameters: {}, body: () => ({ page: 1, page_size: 50 }) },
    records: (_, gateway) => [shortQualification(gateway, 102)],
  },
  'qualification.update': {
    operationId: 'qualification.update',
    path: '/openapi/cert/update',
    firstId: 101,
    isInferred: true,
    takesAnyObject: true,
    full: {
      parameters: {
        qualificationId: THE_ITEMS_ID,
        updateFields: {
          name: '={{ $json.name }}',
          companyName: 'Example Ltd.',
          ...QUALIFICATION_PARAMETERS,
        },
      },
      body: (item) => ({
        id: item.id,
        name: item.name,
        company_name: 'Example Ltd.',
        ...qualificationBody(item),
      }),
    },
    minimal: {
      parameters: {
        qualificationId: THE_ITEMS_ID,
        updateFields: { legalPersonIdentityCardVerso: '', authorizationFile: '' },
      },
      body: ({ id }) => ({ id, legal_person_identity_card_verso: '', authorization_file: [] }),
    },
    records: (item, { state }) => [
      {
        ...state.qualifications.get(item.id),
        name: item.name,
        company_name: 'Example Ltd.',
        ...qualificationBody(item),
      },
    ],
  },
  'reply.pull': {
    operationId: 'reply.pull',
    path: '/sendsms/mo/pull',
    isBatch: true,
    full: { parameters: { count: 1 }, body: () => ({ count: 1 }) },
    records: () => [expect.objectContaining({ event: 'reply', mobile: expect.any(String) })],
  },
  'signature.create': {
    operationId: 'signature.create',
    path: '/openapi/sign/create',
    firstId: 201,
    full: {
      parameters: {
        name: '={{ $json.name }}',
        additionalFields: { ...SIGNATURE_PARAMETERS, signatureId: byId(201) },
      },
      body: (item) => ({ name: item.name, ...signatureBody(item), signature_id: 201 }),
    },
    minimal: { parameters: { name: 'n' }, body: () => ({ name: 'n' }) },
    records: (item) => [{ certification_id: 102, id: expect.any(Number), name: item.name }],
  },
  'signature.delete': {
    operationId: 'signature.delete',
    path: '/openapi/sign/delete',
    firstId: 201,
    isInferred: true,
    takesAnyObject: true,
    full: { parameters: { signatureId: THE_ITEMS_ID }, body: ({ id }) => ({ id }) },
    records: ({ id }) => [{ deleted: true, id }],
  },
  'signature.get': {
    operationId: 'signature.query',
    path: '/openapi/sign/info',
    firstId: 201,
    isInferred: true,
    full: { parameters: { signatureId: THE_ITEMS_ID }, body: ({ id }) => ({ id }) },
    records: ({ id }, { state }) => [state.signatures.get(id)],
  },
  'signature.getAll': {
    operationId: 'signature.query',
    path: '/openapi/sign/info',
    firstId: 201,
    isInferred: true,
    full: {
      parameters: { returnAll: true, filters: { name: '云岭' } },
      body: () => ({ name: '云岭', ...FIRST_PAGE }),
    },
    minimal: { parameters: { limit: 1 }, body: () => ({ page: 1, page_size: 1 }) },
    records: (_, { state }) => [state.signatures.get(202)],
  },
  'signature.update': {
    operationId: 'signature.update',
    path: '/openapi/sign/update',
    firstId: 201,
    isInferred: true,
    takesAnyObject: true,
    full: {
      parameters: {
        signatureId: THE_ITEMS_ID,
        updateFields: { name: '={{ $json.name }}', ...SIGNATURE_PARAMETERS },
      },
      body: (item) => ({ id: item.id, name: item.name, ...signatureBody(item) }),
    },
    minimal: {
      parameters: { signatureId: THE_ITEMS_ID, updateFields: { applyComment: '' } },
      body: ({ id }) => ({ id, apply_comment: '' }),
    },
    records: (item) => [{ certification_id: 102, id: item.id, name: item.name }],
  },
  'template.create': {
    operationId: 'template.create',
    path: '/openapi/template/create',
    firstId: 301,
    isInferred: true,
    takesAnyObject: true,
    full: {
      parameters: {
        name: '={{ $json.name }}',
        content: 'Your code is ${code}',
        additionalFields: TEMPLATE_PARAMETERS,
      },
      body: (item) => ({ name: item.name, content: 'Your code is ${code}', ...TEMPLATE_BODY }),
    },
    minimal: {
      parameters: { name: 'n', content: 'c' },
      body: () => ({ name: 'n', content: 'c' }),
    },
    records: (item) => [
      {
        id: expect.any(Number),
        name: item.name,
        content: 'Your code is ${code}',
        ...TEMPLATE_BODY,
        param_count: 1,
        audit_status: 2,
        status: true,
      },
    ],
  },
  'template.delete': {
    operationId: 'template.delete',
    path: '/openapi/template/delete',
    firstId: 301,
    takesAnyObject: true,
    full: { parameters: { templateId: THE_ITEMS_ID }, body: ({ id }) => ({ id }) },
    records: ({ id }) => [{ deleted: true, id }],
  },
  'template.get': {
    operationId: 'template.query',
    path: '/openapi/template/info',
    firstId: 301,
    full: { parameters: { templateId: THE_ITEMS_ID }, body: ({ id }) => ({ id }) },
    records: ({ id }, { state }) => [state.templates.get(id)],
  },
  'template.getAll': {
    operationId: 'template.query',
    path: '/openapi/template/info',
    firstId: 301,
    full: {
      parameters: { returnAll: true, filters: { name: '发货' } },
      body: () => ({ name: '发货', ...FIRST_PAGE }),
    },
    minimal: { parameters: {}, body: () => ({ page: 1, page_size: 50 }) },
    records: (_, { state }) => [state.templates.get(302)],
  },
  'template.update': {
    operationId: 'template.update',
    path: '/openapi/template/update',
    firstId: 301,
    isInferred: true,
    takesAnyObject: true,
    full: {
      parameters: {
        templateId: THE_ITEMS_ID,
        updateFields: {
          name: '={{ $json.name }}',
          content: 'No parameters',
          ...TEMPLATE_PARAMETERS,
        },
      },
      body: (item) => ({
        id: item.id,
        name: item.name,
        content: 'No parameters',
        ...TEMPLATE_BODY,
      }),
    },
    minimal: {
      parameters: { templateId: THE_ITEMS_ID, updateFields: { remark: '' } },
      body: ({ id }) => ({ id, remark: '' }),
    },
    records: (item, { state }) => [
      {
        ...state.templates.get(item.id),
        name: item.name,
        content: 'No parameters',
        ...TEMPLATE_BODY,
        param_count: 0,
      },
    ],
  },
};

let gateway: Gateway;
let execute: Harness['execute'];
let harness: Harness;

const RECORDS = { qualifications: 5, signatures: 5, templates: 5, leads: 5 };

beforeAll(async () => {
  gateway = await startGateway({ records: RECORDS });
  harness = await createHarness(gateway.credential() as never);
  ({ execute } = harness);
});

beforeEach(() => {
  gateway.queueReports(3);
  gateway.queueReplies(3);
});

afterEach(() => {
  expect(gateway.violations).toEqual([]);
  gateway.reset();
});

afterAll(() => gateway.close());

/** Resource and operation of a name such as `lead.create`. */
function selectionOf(name: string) {
  const [resource = '', operation = ''] = name.split('.');
  return { resource, operation };
}

const requestsSent = () =>
  gateway.requests.map(({ method, path: sentTo, body }) => ({ method, path: sentTo, body }));

function expectNoSecrets(stored: unknown) {
  const text = JSON.stringify(stored);
  expect(text).not.toContain(gateway.apiKey);
  expect(text).not.toContain(gateway.apiSecret);
  for (const { headers } of gateway.requests) expect(text).not.toContain(headers['x-sign']);
}

describe('the table', () => {
  test('holds every operation of the node', () => {
    const { properties } = harness.nodeTypes.getByNameAndVersion(
      `n8n-nodes-sms-messaging-service.${ACTION}`,
    ).description;
    const operations = properties
      .filter(({ name }) => name === 'operation')
      .flatMap(({ displayOptions, options = [] }) =>
        options.map((option) =>
          [displayOptions?.show?.resource?.[0], (option as { value: string }).value].join('.'),
        ),
      );
    expect(operations.sort()).toEqual(Object.keys(TABLE).sort());
    expect(operations).toHaveLength(25);
  });

  test('holds every operation of the contract', () => {
    const tested = Object.values(TABLE).map(({ operationId, path: sentTo, isInferred = false }) =>
      JSON.stringify({ operationId, path: sentTo, inferred: isInferred }),
    );
    const { length } = contractOperations();
    expect([...new Set(tested)].sort()).toEqual(
      contractOperations()
        .map((operation) => JSON.stringify(operation))
        .sort(),
    );
    expect(length).toBe(21);
  });

  test.each(contractOperations())('sets every request field of $operationId', ({ path: at }) => {
    interface Schema {
      properties?: Record<string, unknown>;
    }
    const document = parse(
      readFileSync(path.join(__dirname, '../../sandbox/openapi.yaml'), 'utf8'),
    ) as {
      paths: Record<string, { post: { requestBody: IDataObject } }>;
      components: { schemas: Record<string, Schema> };
    };
    const reference = JSON.stringify(document.paths[at]?.post.requestBody).match(/schemas\/(\w+)/);
    const { properties = {} } = document.components.schemas[reference?.[1] ?? ''] ?? {};
    const cases = Object.values(TABLE).filter((entry) => entry.path === at);
    const set = cases.flatMap((entry) => Object.keys(entry.full.body({} as Item)));
    // In a template send the item's own text travels with the message.
    expect([...set, 'phone_data'].sort()).toEqual(expect.arrayContaining(Object.keys(properties)));
  });
});

describe.each(Object.entries(TABLE))('%s', (name, entry) => {
  const { full, minimal, records } = entry;
  const items = itemsOf(entry);
  const [first] = items as [Item];
  const parameters = { ...selectionOf(name), ...full.parameters };

  test('sends every field in its type, and gives the answer as records', async () => {
    const expected = records(first, gateway);
    const { json, output, error } = await execute(parameters, [first]);
    expect(error).toBeUndefined();
    expect(requestsSent()).toEqual([{ method: 'POST', path: entry.path, body: full.body(first) }]);
    expect(gateway.requests[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-api-key': gateway.apiKey,
      'x-timestamp': expect.stringMatching(/^\d{10}$/),
      'x-nonce': expect.stringMatching(/\S/),
      'x-sign': expect.stringMatching(/^[\da-f]{64}$/),
    });
    expect(json).toEqual(expected);
    expect(output?.[0]?.map(({ pairedItem }) => pairedItem)).toEqual(
      expected.map(() => ({ item: 0 })),
    );
  });

  if (minimal) {
    test('sends nothing that was not set', async () => {
      const { error } = await execute({ ...selectionOf(name), ...minimal.parameters }, [first]);
      expect(error).toBeUndefined();
      expect(requestsSent()).toEqual([
        { method: 'POST', path: entry.path, body: minimal.body(first) },
      ]);
    });
  }

  test('puts out what its output schema says', async () => {
    // With Simplify as it is by default.
    const { json } = await execute({ ...parameters, simplify: true }, [first]);
    expectOutputSchema(name, json);
  });

  test('pairs what comes out with the items that went in', async () => {
    const expected = items.map((item) => records(item, gateway));
    const { output, json } = await execute(parameters, items);
    expect(json).toEqual(expected.flat());
    expect(output?.[0]?.map(({ pairedItem }) => pairedItem)).toEqual(
      expected.flatMap((found, item) => found.map(() => ({ item }))),
    );
    if (!entry.isBatch) {
      expect(requestsSent().map(({ body }) => body)).toEqual(items.map(full.body));
    }
  });

  if (!entry.isBatch) {
    test('goes on after an item that failed, on both outputs', async () => {
      const expected = items.map((item) => records(item, gateway));
      const refusal = { kind: 'businessCode', code: 77, msg: 'not today', nth: 2 } as const;
      const times = triesOf(full.body(items[1] as Item));
      gateway.fault({ ...refusal, times });
      const regular = await execute(parameters, items, {
        node: { onError: 'continueRegularOutput' },
      });
      expect(regular.output?.[0]?.map(({ pairedItem }) => pairedItem)).toEqual([
        ...(expected[0] ?? []).map(() => ({ item: 0 })),
        { item: 1 },
        ...(expected[2] ?? []).map(() => ({ item: 2 })),
      ]);
      expect(regular.json.filter(({ error }) => error)).toEqual([
        {
          error: expect.stringContaining('not today (code 77)'),
          message: expect.stringContaining('not today'),
          details: expect.objectContaining({ code: 77, msg: 'not today' }),
        },
      ]);

      gateway.reset();
      gateway.fault({ ...refusal, times });
      const split = await execute(parameters, items, { node: { onError: 'continueErrorOutput' } });
      expect(split.json).toHaveLength((expected[0] ?? []).length + (expected[2] ?? []).length);
      expect(split.output?.[1]).toMatchObject([
        { json: { error: expect.stringContaining('not today') }, pairedItem: { item: 1 } },
      ]);
    });
  }

  describe.each([
    ['a business code', { kind: 'businessCode', code: 77, msg: 'not today' }, /not today/],
    ['HTTP 404', { kind: 'status', status: 404 }, /does not know this address/],
    ['a web page', { kind: 'html' }, /web page instead of JSON|may have been sent|unknown/],
  ] as const)('answered with %s', (_, fault, text) => {
    test.each(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const)(
      'says so: %s',
      async (onError) => {
        gateway.fault({ ...fault, times: Infinity });
        const { run, error, output } = await execute(parameters, [first], { node: { onError } });
        const items = (output ?? []).flatMap((branch) => branch ?? []);
        if (onError === 'stopWorkflow') {
          expect(error?.message).toMatch(text);
          expect((error as { description?: string }).description).toMatch(/\S/);
        } else {
          expect(error).toBeUndefined();
          expect(items).toHaveLength(1);
          expect(items[0]?.json.error).toMatch(text);
          expect(items[0]?.pairedItem).toEqual({ item: 0 });
          const branch = onError === 'continueErrorOutput' ? 1 : 0;
          expect(output?.[branch]).toHaveLength(1);
        }
        const tries = fault.kind === 'businessCode' ? triesOf(full.body(first)) : 1;
        expect(gateway.requests).toHaveLength(tries);
        expectNoSecrets(run);
      },
    );
  });

  if (!entry.isBatch && !entry.takesAnyObject) {
    test('answered with JSON of another shape: tells its keys, not its data', async () => {
      gateway.fault({ kind: 'wrongShape', body: { code: 0, msg: 'the-data', result: 'the-data' } });
      const { error, run } = await execute(parameters, [first]);
      expect(error?.message).toMatch(/expected shape: it is an object with code, msg, result/);
      expect(JSON.stringify(run)).not.toContain('the-data');
    });
  }

  if (entry.isInferred) {
    test('goes where the operator says, with the fields that the operator wants', async () => {
      const operator = await startGateway({
        records: RECORDS,
        prefix: '/sms/v1',
        inferredRoutes: false,
        pathAliases: { '/v2/other.path': entry.path },
        unknownFieldsAllowed: true,
      });
      const own = await createHarness(operator.credential() as never);
      const { error } = await own.execute(
        {
          ...parameters,
          endpointPath: '/v2/other.path',
          extraFieldsJson: '{"extra": [1, true]}',
        },
        [first],
      );
      const [request] = operator.requests;
      await operator.close();
      expect(request).toMatchObject({ path: '/v2/other.path' });
      expect(request?.body).toEqual({ ...full.body(first), extra: [1, true] });
      expect(operator.violations).toEqual([]);
      expect(error).toBeUndefined();
    });

    test('HTTP 404 says which field to set', async () => {
      gateway.fault({ kind: 'status', status: 404, body: '<html>not found</html>' });
      const { error } = await execute(parameters, [first]);
      expect((error as { description?: string }).description).toMatch(
        /path of this operation is inferred.*'Endpoint Path'.*Base URL/,
      );
    });

    test.each([
      '={{ "" }}',
      'openapi/x',
      'https://evil.example/x',
      '//evil.example/x',
      '/a/../b',
      '/a/%2e%2e/b',
      '/a?b=c',
      '/a#b',
      '/a b',
      '/a\\b',
      '={{ 5 }}',
    ])('a path %j is told before any request', async (endpointPath) => {
      const { error } = await execute({ ...parameters, endpointPath }, [first]);
      expect(error?.message).toMatch(/'Endpoint Path'/);
      expect(gateway.requests).toHaveLength(0);
    });

    test('extra fields that are not a JSON object are told before any request', async () => {
      const { error } = await execute({ ...parameters, extraFieldsJson: '[1]' }, [first]);
      expect(error?.message).toMatch(/'Extra Fields \(JSON\)' must be a JSON object/);
      expect(gateway.requests).toHaveLength(0);
    });
  }
});

test('extra fields are merged last', async () => {
  await execute({
    ...selectionOf('template.create'),
    name: 'from the field',
    content: 'c',
    extraFieldsJson: '={{ { name: "from the extra fields" } }}',
  });
  expect(gateway.requests[0]?.body).toEqual({ name: 'from the extra fields', content: 'c' });
});

describe('a described operation', () => {
  test('works under the path prefix of the base URL', async () => {
    const operator = await startGateway({ prefix: '/sms/v1' });
    const own = await createHarness(operator.credential() as never);
    const { json } = await own.execute({
      resource: 'template',
      operation: 'get',
      templateId: byId(301),
    });
    await operator.close();
    expect(json).toEqual([operator.state.templates.get(301)]);
    expect(operator.violations).toEqual([]);
  });

  test('HTTP 404 points to the base URL', async () => {
    gateway.fault({ kind: 'status', status: 404 });
    const { error } = await execute({
      resource: 'template',
      operation: 'get',
      templateId: byId(301),
    });
    expect((error as { description?: string }).description).toMatch(/Base URL/);
    expect((error as { description?: string }).description).not.toMatch(/Endpoint Path/);
  });
});

test('creating a signature carries the authorization token, and shows it nowhere', async () => {
  const operator = await startGateway({ authorizationToken: 'token-7c1e9b' });
  const own = await createHarness(operator.credential() as never);
  const { run, json } = await own.execute({ ...selectionOf('signature.create'), name: 'Example' });
  await operator.close();
  expect(json).toMatchObject([{ name: 'Example' }]);
  expect(operator.requests[0]?.headers.authorization).toBe('token-7c1e9b');
  expect(JSON.stringify(run)).not.toContain('token-7c1e9b');
});

describe('values that cannot be used are told by their field, before any request', () => {
  const update = { ...selectionOf('lead.update'), leadId: byId(402) };
  const cases: [string, INodeParameters, RegExp][] = [
    [
      'no record',
      { ...selectionOf('template.get'), templateId: byId('={{ "" }}') },
      /'Template' is empty/,
    ],
    [
      'an id that is none',
      { ...selectionOf('template.delete'), templateId: byId('={{ "all" }}') },
      /'Template' must be a whole number of 1 or more/,
    ],
    [
      'the id 0',
      { ...selectionOf('template.delete'), templateId: byId(0) },
      /'Template' must be a whole number of 1 or more/,
    ],
    [
      'a required text that is empty',
      { ...selectionOf('template.create'), name: ' ', content: 'c' },
      /'Name' is empty/,
    ],
    [
      'an expression without a value',
      { ...update, updateFields: { domain: '={{ $json.nothing }}' } },
      /'Domain' has no value/,
    ],
    [
      'an object as text',
      { ...update, updateFields: { domain: '={{ {a: 1} }}' } },
      /'Domain' must be text, not an object/,
    ],
    [
      'a fraction as code',
      { ...update, updateFields: { isFinancialLending: 0.5 } },
      /'Financial Lending' must be a whole number, not the number 0.5/,
    ],
    [
      'a filter without a value',
      { ...selectionOf('lead.getAll'), filters: { queryUrl: '={{ $json.nothing }}' } },
      /'URL' has no value/,
    ],
    ['nothing to update', { ...update, updateFields: {} }, /'Update Fields' is empty/],
    [
      'a limit of 0',
      { ...selectionOf('lead.getAll'), limit: 0 },
      /'Limit' must be a whole number of 1 or more/,
    ],
  ];

  test.each(cases)('%s', async (_, parameters, text) => {
    const { error } = await execute(parameters);
    expect(error?.message).toMatch(text);
    expect((error as { description?: string }).description).toMatch(/\S/);
    expect(gateway.requests).toHaveLength(0);
  });
});

test.each(['qualification', 'signature', 'template', 'lead'])(
  'a %s that is not there is told',
  async (resource) => {
    const { error } = await execute({ resource, operation: 'get', [`${resource}Id`]: byId(999) });
    expect(error?.message).toBe(`There is no ${resource} with the ID 999`);
  },
);

describe('Simplify', () => {
  const sensitive = /files\.sandbox|3100001900010100|identity_card|_certificate"|_file"/;

  test.each([
    { operation: 'getAll', returnAll: true },
    { operation: 'get', qualificationId: byId(101) },
  ])('leaves numbers of identity cards and links out of qualifications: %j', async (selection) => {
    const { json } = await execute({ resource: 'qualification', ...selection });
    expect(json[0]).toEqual(shortQualification(gateway, 101));
    expect(JSON.stringify(json)).not.toMatch(sensitive);
    expect(Object.keys(json[0] ?? {})).toHaveLength(10);

    const raw = await execute({ resource: 'qualification', ...selection, simplify: false });
    expect(raw.json[0]).toEqual(gateway.state.qualifications.get(101));
    expect(JSON.stringify(raw.json)).toMatch(sensitive);
  });

  test('puts the carriers of a lead beside its other fields', async () => {
    const { json } = await execute({ resource: 'lead', operation: 'get', leadId: byId(401) });
    expect(json).toEqual([
      expect.objectContaining({ mobile_report: true, telecom_report: true, unicom_report: false }),
    ]);
    expect(Object.keys(json[0] ?? {})).toHaveLength(10);
  });
});

describe('returnAll over 1,037 records', () => {
  const all = { ...selectionOf('template.getAll'), returnAll: true };

  async function withService(options: GatewayOptions, run: (own: Harness) => Promise<void>) {
    const service = await startGateway({ records: { templates: 1037 }, ...options });
    gateway = service;
    try {
      await run(await createHarness(service.credential() as never));
      expect(service.violations).toEqual([]);
    } finally {
      gateway = shared;
      await service.close();
    }
  }

  let shared: Gateway;
  beforeAll(() => (shared = gateway));

  test.each<ListShape>(['nested', 'envelope', 'bare'])(
    '%s: all, once each, in order',
    async (listShape) => {
      await withService({ listShape }, async (own) => {
        const { json } = await own.execute(all);
        expect(json).toEqual([...gateway.state.templates.values()]);
        expect(json).toHaveLength(1037);
        expect(gateway.requests).toHaveLength(11);
      });
    },
  );

  test('a service that gives fewer than it is asked for is followed', async () => {
    await withService({ maxPageSize: 30 }, async (own) => {
      const { json } = await own.execute(all);
      expect(json).toEqual([...gateway.state.templates.values()]);
      expect(gateway.requests).toHaveLength(35);
    });
  });

  test('a limit is kept, and no page is asked for beyond it', async () => {
    await withService({}, async (own) => {
      const { json } = await own.execute({ ...all, returnAll: false, limit: 150 });
      expect(json).toEqual([...gateway.state.templates.values()].slice(0, 150));
      expect(gateway.requests).toHaveLength(2);
    });
  });

  test('stops when the service repeats a page', async () => {
    await withService({}, async (own) => {
      gateway.fault({ kind: 'repeatPage', nth: 4, times: Infinity });
      const { json, error } = await own.execute(all);
      expect(error).toBeUndefined();
      expect(json).toEqual([...gateway.state.templates.values()].slice(0, 300));
      // Three pages, and as many that bring nothing new although the total says that there is more.
      expect(gateway.requests).toHaveLength(6);
    });
  });

  test('records that are deleted between pages hide no other ones', async () => {
    await withService({}, async (own) => {
      const deleted = new Set([301, 302, 450, 700, 1300]);
      gateway.fault({
        kind: 'slow',
        delayMs: 1,
        // Called when the fifth page is asked for, before it is answered.
        match: ({ body }) => {
          if ((body as { page: number }).page !== 5) return false;
          for (const id of deleted) gateway.state.templates.delete(id);
          return true;
        },
      });
      const { json, error } = await own.execute(all);
      expect(error).toBeUndefined();
      const ids = json.map(({ id }) => id as number);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toEqual(expect.arrayContaining([...gateway.state.templates.keys()]));
    });
  });

  test('a page that fails is an error, not a short list', async () => {
    await withService({}, async (own) => {
      gateway.fault({ kind: 'status', status: 500, nth: 6 });
      const { json, error } = await own.execute(all);
      expect(error?.message).toMatch(/HTTP 500/);
      expect(json).toEqual([]);
    });
  });
});

/** How often a request is made that is always refused: a list is asked for in smaller pages, too. */
function triesOf(body: object): number {
  let tries = 1;
  let { page_size: size = 0 } = body as { page_size?: number };
  for (; size >= 10; size = Math.floor(size / 2)) tries += 1;
  return tries;
}
