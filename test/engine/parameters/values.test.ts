import { Expression } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import { useGateway } from '../../kit/engine/gateway';
import { byId } from '../../kit/engine/locators';

const { gateway, execute, callTool } = useGateway();

/** Items of paths. That a value is the one that n8n gives is searched in `test/search/expressions.test.ts`. */
const people: IDataObject[] = Array.from({ length: 10 }, (_, index) => ({
  phone: `138${10_000_000 + index}`,
  'a b': index,
}));

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
