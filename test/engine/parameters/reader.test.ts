import { Expression } from 'n8n-workflow';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { ParameterReader } from '../../../nodes/SmsMessagingService/parameters/reader';
import { useGateway } from '../harness/gateway';
import { byId } from '../harness/locators';

/** That a value is the one that n8n gives is searched in `test/search/expressions.test.ts`. */

const { createContext, execute, gateway, callTool } = useGateway();

/** A reader, and the names of what n8n's engine was asked for. */
function observe(parameters: INodeParameters, items: IDataObject[]) {
  const context = createContext(parameters, items);
  const asked: string[] = [];
  const { getNodeParameter } = context;
  jest.spyOn(context, 'getNodeParameter' as never).mockImplementation(((
    ...args: [string, number, unknown, { rawExpressions?: boolean }?]
  ) => {
    if (!args[3]?.rawExpressions) asked.push(args[0]);
    return (getNodeParameter as (...args: unknown[]) => unknown)(...args);
  }) as never);
  return { reader: new ParameterReader(context as never), asked };
}

const people: IDataObject[] = Array.from({ length: 10 }, (_, index) => ({
  phone: `138${10_000_000 + index}`,
  customer: { mobile: 'm', tags: ['a', 'b'] },
  'a b': index,
  isNew: index % 2 === 0,
  at: Object.assign(new Date(0), { year: 1970 }),
}));

/** Reads a parameter for each of ten items. */
function readAll(parameters: INodeParameters, name: string, items: IDataObject[] = people) {
  const { reader, asked } = observe(parameters, items);
  return { values: items.map((_, index) => reader.get(name, index)), asked };
}

describe("n8n's engine is asked", () => {
  test.each<[string, unknown]>([
    ['={{ $json.phone }}', '13810000000'],
    ['={{$json["phone"]}}', '13810000000'],
    ["={{ $json['a b'] }}", 0],
    ['={{ $json.isNew }}', true],
    ['={{ $json.customer["mobile"] }}', 'm'],
    ['={{ $json.customer.tags[1] }}', 'b'],
    ['=+86{{ $json.phone }}', '+8613810000000'],
    ['={{ $json.phone }}, {{ $json["a b"] }}', '13810000000, 0'],
    ['={ "code": "{{ $json["a b"] }}", "to": {"a": "b"}}', '{ "code": "0", "to": {"a": "b"}}'],
    ['={{ $json.phone', '13810000000'],
  ])('never for a path to a text, a number or a boolean: %s', (phoneNumbers, value) => {
    const { values, asked } = readAll({ phoneNumbers }, 'phoneNumbers');
    expect(values[0]).toBe(value);
    expect(asked).toEqual([]);
  });

  test.each([
    '={{ $json.phone.trim() }}',
    '={{ $json.customer.tags.length }}',
    '={{ $json.at.year }}',
    '={{ $json.phone }}{{ $itemIndex }}',
    '=\\\\{{ $json.phone }}',
    '=no path',
  ])('for each item for any other expression: %s', (phoneNumbers) => {
    expect(readAll({ phoneNumbers }, 'phoneNumbers').asked).toHaveLength(10);
  });
});

test('a run with paths and constants only asks no engine', async () => {
  const engine = jest.spyOn(Expression.prototype, 'resolveSimpleParameterValue');
  const parameters = {
    ...{ resource: 'message', operation: 'sendCustom', signatureId: byId(201), content: 'c' },
    phoneNumbers: '={{ $json.phone }}',
    options: { userData: '=order-{{ $json["a b"] }}' },
  };
  const { json } = await execute(parameters, people);
  expect(json.map(({ status }) => status)).toEqual(Array(10).fill('accepted'));
  const expressions = engine.mock.calls.filter(([value]) => String(value).includes('$json'));
  expect(expressions).toEqual([]);
});

test('a path in a tool of an AI agent leads into the item of the agent, as in any other expression', async () => {
  const bodiesOf = async (phoneNumbers: string) => {
    const parameters = {
      ...{ resource: 'message', operation: 'sendCustom', signatureId: byId(201) },
      ...{ content: "={{ $fromAI('phone') }}", phoneNumbers },
    };
    const call = { phone: '13800138000' };
    const item = { phone: '13900139000' };
    await callTool('test.chainAgent', parameters as never, [call], { item });
    return gateway.requests.splice(0).map(({ body }) => body);
  };
  const bodies = await bodiesOf('={{ $json.phone }}');
  expect(bodies).toMatchObject([{ phone_numbers: ['13900139000'] }]);
  expect(bodies).toEqual(await bodiesOf('={{ $json.phone.trim() }}'));
});
