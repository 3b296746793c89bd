import * as fc from 'fast-check';
import { readOptional, readRequired } from '../../../nodes/SmsMessagingService/parameters/fields';
import { LEAD_FIELDS } from '../../../nodes/SmsMessagingService/resources/lead';
import { QUALIFICATION_FIELDS } from '../../../nodes/SmsMessagingService/resources/qualification';
import { SIGNATURE_FIELDS } from '../../../nodes/SmsMessagingService/resources/signature';
import { jsonValue, resultOf } from '../harness/arbitraries';

const CODE = 'is_financial_lending';

describe('the value of a field', () => {
  const fields = { ...QUALIFICATION_FIELDS, ...SIGNATURE_FIELDS, ...LEAD_FIELDS };
  const value = fc.oneof(jsonValue, fc.constant(undefined), fc.integer(), fc.string());

  // Guess: request-types
  test('is sent in the type of the API, or is an error', () => {
    const types = {
      string: 'string',
      code: 'number',
      reference: 'number',
      boolean: 'boolean',
    } as const;
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(fields)), value, (name, given) => {
        const field = fields[name as keyof typeof fields];
        const only = { [name]: field };
        const body = resultOf(() => readRequired(only, () => given));
        if (body === undefined) return;
        const sent = body[name];
        if (field.type === 'stringList') {
          expect(sent).toBeInstanceOf(Array);
          for (const entry of sent as unknown[]) expect(typeof entry).toBe('string');
        } else {
          expect(typeof sent).toBe(types[field.type]);
          if (field.type !== 'string') expect(Number.isSafeInteger(sent)).toBe(true);
        }
      }),
    );
  });

  test('is sent only when it was added, and a code only when it is set', () => {
    fc.assert(
      fc.property(fc.subarray(Object.keys(LEAD_FIELDS)), fc.boolean(), (names, isSet) => {
        const camelCase = (name: string) =>
          name.replace(/_(.)/g, (_, c: string) => c.toUpperCase());
        const values = Object.fromEntries(
          names.map((name) => [camelCase(name), name === CODE && isSet ? 0 : '']),
        );
        const body = readOptional('updateFields', LEAD_FIELDS, () => values);
        const sent = names.filter((name) => name !== CODE || isSet);
        expect(Object.keys(body).sort()).toEqual([...sent].sort());
      }),
    );
  });
});
