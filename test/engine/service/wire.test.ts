import * as wire from '../../../nodes/SmsMessagingService/service/wire';
import type { WireFields } from '../../../nodes/SmsMessagingService/service/wire';
import { contractOperations, contractSchemas, resolve } from '../../sandbox/contract';
import type { Schema } from '../../sandbox/contract';

const typeOf = ({ type, $ref = '' }: Schema): string | undefined =>
  type ?? ($ref === '' ? undefined : typeOf(resolve($ref) as Schema));

function typesIn({ properties = {} }: Schema): Record<string, string | undefined> {
  const types = Object.entries(properties).map(([name, schema]) => [name, typeOf(schema)]);
  return Object.fromEntries(types) as Record<string, string | undefined>;
}

const answerOf = (operation: string) =>
  contractOperations().find(({ operationId }) => operationId === operation)?.answer ?? {};

test.each<[string, WireFields, Schema | undefined]>([
  ['a delivery report', wire.DELIVERY_REPORT, contractSchemas().DeliveryReport],
  ['a reply', wire.REPLY, contractSchemas().Reply],
  ['a qualification', wire.QUALIFICATION, contractSchemas().Qualification],
  ['a signature', wire.SIGNATURE, contractSchemas().Signature],
  ['a template', wire.TEMPLATE, contractSchemas().Template],
  ['a lead', wire.LEAD, contractSchemas().Lead],
  ['the answer to a pull of reports', wire.PULL_ANSWER, answerOf('deliveryReport.pull')],
  ['the answer to a pull of replies', wire.PULL_ANSWER, answerOf('reply.pull')],
])('%s has the fields and the types of the contract', (_, fields, schema) => {
  expect(fields).toEqual(typesIn(schema ?? {}));
});

const ANSWER = { code: 0, msg: '', data: [] };

test.each<[string, unknown, boolean]>([
  ['all fields', ANSWER, true],
  ['another field', { ...ANSWER, tp: 1 }, false],
  ['a field of another name', { ...ANSWER, code: undefined, Code: 0 }, false],
  ['another type', { ...ANSWER, code: '0' }, false],
  ['an array that is null', { ...ANSWER, data: null }, false],
  ['no object', [ANSWER], false],
])('an object with %s is one of the specification, or is not', (_, value, isOne) => {
  expect(wire.isExactly(value, wire.PULL_ANSWER)).toBe(isOne);
});
