import * as wire from '../../../nodes/SmsMessagingService/service/wire';
import type { WireFields } from '../../../nodes/SmsMessagingService/service/wire';
import { contractSchemas, resolve } from '../../sandbox/contract';
import type { Schema } from '../../sandbox/contract';

const typeOf = ({ type, $ref = '' }: Schema): string | undefined =>
  type ?? ($ref === '' ? undefined : typeOf(resolve($ref) as Schema));

function typesIn({ properties = {} }: Schema): Record<string, string | undefined> {
  const types = Object.entries(properties).map(([name, schema]) => [name, typeOf(schema)]);
  return Object.fromEntries(types) as Record<string, string | undefined>;
}

test.each<[string, WireFields, Schema | undefined]>([
  ['a delivery report', wire.DELIVERY_REPORT, contractSchemas().DeliveryReport],
  ['a reply', wire.REPLY, contractSchemas().Reply],
  ['a qualification', wire.QUALIFICATION, contractSchemas().Qualification],
  ['a signature', wire.SIGNATURE, contractSchemas().Signature],
  ['a template', wire.TEMPLATE, contractSchemas().Template],
  ['a lead', wire.LEAD, contractSchemas().Lead],
])('%s has the fields and the types of the contract', (_, fields, schema) => {
  expect(fields).toEqual(typesIn(schema ?? {}));
});
