import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { RecordKind } from '../../../nodes/SmsMessagingService/operations/operation';
import { itemJson, outputOf } from '../../../nodes/SmsMessagingService/operations/output';
import { LEAD } from '../../../nodes/SmsMessagingService/resources/lead';
import { QUALIFICATION } from '../../../nodes/SmsMessagingService/resources/qualification';
import { SIGNATURE } from '../../../nodes/SmsMessagingService/resources/signature';
import { TEMPLATE } from '../../../nodes/SmsMessagingService/resources/template';
import { useGateway } from '../../kit/engine/gateway';
import { byId } from '../../kit/engine/locators';

type Noun = 'lead' | 'qualification' | 'signature' | 'template';

const KINDS: Record<Noun, RecordKind> = {
  lead: LEAD,
  qualification: QUALIFICATION,
  signature: SIGNATURE,
  template: TEMPLATE,
};

const choose = (noun: Noun, choice: IDataObject) =>
  outputOf(KINDS[noun].output, {
    value: (name, { default: absent, read }) => (name in choice ? read(choice[name]) : absent),
  });

test('a field of a reported link comes before one of the same name inside its report', () => {
  const record = { id: 1, url: 'own', report_info: { id: 2, url: 'inside', mobile_report: true } };
  expect(choose('lead', {})(record)).toEqual({ id: 1, url: 'own', mobile_report: true });
});

const FILE = 'https://files.example.com/x.jpg?sig=abc';
const PAPERS = { legal_person_certificate: '110101199003078515', certificate_file: FILE };
const PERSON = '11010119900307851x';

test.each<[IDataObject, IDataObject]>([
  [{ info: { id: 5, name: 'Main', ...PAPERS } }, { info: { id: 5, name: 'Main' } }],
  [
    { id: 5, certInfo: { name: 'Main', ...PAPERS } },
    { id: 5, certInfo: { name: 'Main' } },
  ],
  [
    { code: 0, certs: [{ name: 'Main', ...PAPERS }] },
    { code: 0, certs: [{ name: 'Main' }] },
  ],
  [
    { id: 5, cert: JSON.stringify(PAPERS) },
    { id: 5, cert: '[hidden]' },
  ],
  [
    { certNo: PERSON, files: [FILE], certName: 'M' },
    { certNo: '[hidden]', files: ['[hidden]'], certName: 'M' },
  ],
  [
    { id: 5, legal_person: { name: 'Li', id_number: PERSON, front: FILE } },
    { id: 5, legal_person: { name: 'Li' } },
  ],
])('no papers of a qualification are left of %j', (record, simple) => {
  expect(choose('qualification', {})(record)).toEqual(simple);
});

describe.each(Object.keys(KINDS) as Noun[])('a %s', (noun) => {
  const { output } = KINDS[noun];

  // Guess: more-fields
  test('simplified has at most ten fields, which can be chosen, too', () => {
    expect(output.simple.length).toBeLessThanOrEqual(10);
    expect(['id', ...Object.keys(output.fields)]).toEqual(expect.arrayContaining(output.simple));
  });

  test('simplified is the whole record if nothing but its ID is known', () => {
    const unknown: IDataObject[] = [
      { lead_name: 'n', flags: [] },
      { id: 5, lead_name: 'n' },
      { [`${noun}_id`]: 5 },
      { other: 'own', report_info: {} },
      ...(noun === 'qualification' ? [] : [{ info: { [`${noun}_id`]: 5, name: 'n', url: 'u' } }]),
    ];
    for (const record of unknown) {
      expect(choose(noun, {})(record)).toEqual(record);
      const [name = ''] = Object.keys(output.fields);
      expect(choose(noun, {})({ ...record, [name]: 'x' })).not.toHaveProperty('lead_name');
    }
  });

  test('with a selection from an expression has no field that it does not name', () => {
    const [first = '', second = '', third = ''] = Object.keys(output.fields);
    const record = { id: 1, [first]: 'u', [second]: 'n', [third]: null, toString: 'own' };
    const pick = (fields: unknown) =>
      Object.keys(choose(noun, { output: 'fields', fields: fields as never })(record));
    expect(pick(`${first}, ${third}`)).toEqual(['id', first, third]);
    expect(pick(`["${second}","${first}"]`)).toEqual(['id', second, first]);
    for (const none of ['', [], [''], 'id']) expect(pick(none)).toEqual(['id']);
    for (const unknown of ['constructor', `${first}, toString`, 7, {}, [[null]], null]) {
      expect(() => pick(unknown)).toThrow(/^'Fields' (must be "|is empty)/);
    }
  });
});

const { gateway, callTool } = useGateway();

test('of a tool, the user chooses what the model gets', async () => {
  const lead = async (choice: INodeParameters) => {
    const get = { resource: 'lead', operation: 'get', leadId: byId(401), ...choice };
    const [{ answer } = {}] = await callTool('test.chainAgent', get, [{}]);
    return (answer as IDataObject[])[0];
  };
  const raw = gateway.state.leads.get(401);
  const { url, report_info: { telecom_report } = {} } = raw ?? {};
  expect(Object.keys((await lead({})) ?? {})).toEqual(LEAD.output.simple);
  expect(await lead({ output: 'raw' })).toEqual(raw);
  expect(await lead({ output: 'fields' })).toEqual({ id: 401 });
  const chosen = { output: 'fields', fields: ['url', 'telecom_report'] };
  expect(await lead(chosen)).toEqual({ id: 401, url, telecom_report });
});

/** How a record of the service becomes the json of an item. */

test('nothing inside a field changes, and no field is lost', () => {
  const report = { unicom: true, name: 'x', id: 1 };
  const record = JSON.parse('{"z":null,"__proto__":{"a":1},"id":7}') as IDataObject;
  const json = itemJson({ ...record, report });
  expect(json.report).toBe(report);
  expect(Object.keys(json.report as IDataObject)).toEqual(['unicom', 'name', 'id']);
  expect(JSON.stringify(itemJson(record))).toBe(JSON.stringify(record));
});

test("a field 'error' is named service_error: n8n would take the item for a failure", () => {
  for (const record of [{ name: 'x' }, { event: 'reply' }]) {
    expect(itemJson({ error: 'no', ...record })).toEqual({ ...record, service_error: 'no' });
  }
});
