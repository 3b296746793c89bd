import * as fc from 'fast-check';
import { UserError } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import {
  readOptional,
  readRequired,
} from '../../../../dist/nodes/SmsMessagingService/parameters/fields';
import {
  findById,
  readChanged,
  readDeleted,
  readInferredChange,
} from '../../../../dist/nodes/SmsMessagingService/operations/records/answers';
import { normaliseRecord } from '../../../../dist/nodes/SmsMessagingService/receiving/events';
import {
  LEAD,
  LEAD_FIELDS,
} from '../../../../dist/nodes/SmsMessagingService/resources/lead/record';
import {
  QUALIFICATION,
  QUALIFICATION_FIELDS,
} from '../../../../dist/nodes/SmsMessagingService/resources/qualification/record';
import { SIGNATURE_FIELDS } from '../../../../dist/nodes/SmsMessagingService/resources/signature/record';

/** Whatever the service sends, it becomes records or one of our own errors. */

const jsonValue = fc.jsonValue({ maxDepth: 4 });
const jsonObject = fc.dictionary(fc.string(), jsonValue) as fc.Arbitrary<IDataObject>;

/** Objects with the fields that matter, and anything in them. */
const withFields = (names: string[]): fc.Arbitrary<IDataObject> =>
  fc
    .tuple(
      fc.record(Object.fromEntries(names.map((name) => [name, jsonValue])), { requiredKeys: [] }),
      jsonObject,
    )
    .map(([known, unknown]) => ({ ...unknown, ...known }) as IDataObject);

/** What a function gives, or undefined for an error of ours; any other error comes out. */
function resultOf<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    expect((error as UserError).message).toMatch(/\S/);
    expect((error as UserError).description).toMatch(/\S/);
    return undefined;
  }
}

describe('a pulled record', () => {
  test.each(['deliveryReport', 'reply'] as const)('%s: nothing of it is lost', (event) => {
    fc.assert(
      fc.property(withFields(['time', 'mobile', 'phone_number', 'batch_id']), (record) => {
        const { mobile } = record;
        const isNumber = typeof mobile === 'number' || typeof mobile === 'string';
        expect(normaliseRecord(event, record)).toEqual({
          ...record,
          ...(isNumber ? { mobile: String(mobile) } : {}),
          ...(isNumber && !('phone_number' in record) ? { phone_number: String(mobile) } : {}),
          event,
          ...('time_iso' in normaliseRecord(event, record) ? { time_iso: expect.anything() } : {}),
        });
      }),
    );
  });

  test('that is not an object is kept as a value', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.integer(), fc.array(jsonValue), fc.constant(null)),
        (value) => {
          expect(normaliseRecord('reply', value)).toEqual({ event: 'reply', value });
        },
      ),
    );
  });
});

describe('a simplified record', () => {
  const kinds = [
    ['qualification', QUALIFICATION, Object.keys(QUALIFICATION_FIELDS)],
    ['lead', LEAD, Object.keys(LEAD_FIELDS)],
  ] as const;

  test.each(kinds)(
    '%s: has only fields of the record, each as it was',
    (_, { simplify }, names) => {
      fc.assert(
        fc.property(withFields(['id', 'report_info', ...names]), (record) => {
          const short = simplify?.(record) ?? {};
          const flags = (record.report_info ?? {}) as IDataObject;
          for (const [name, value] of Object.entries(short)) {
            expect(value).toEqual(name in record ? record[name] : flags[name]);
          }
          expect(Object.keys(short).length).toBeLessThanOrEqual(10);
          expect('id' in short).toBe('id' in record);
        }),
      );
    },
  );

  test('a qualification keeps no link and no identity card number to itself', () => {
    const hidden = [
      'certificate_file',
      'legal_person_certificate',
      'legal_person_identity_card_front',
      'legal_person_identity_card_verso',
      'operator_certificate',
      'operator_identity_card_front',
      'operator_identity_card_verso',
      'authorization_file',
      'company_authorization_file',
      'more_data',
      'a_field_that_comes_later',
    ];
    fc.assert(
      fc.property(withFields(hidden), (record) => {
        const short = QUALIFICATION.simplify?.(record) ?? {};
        for (const name of hidden) expect(short).not.toHaveProperty(name);
      }),
    );
  });
});

describe('an answer', () => {
  const answer = fc.oneof(
    jsonValue,
    withFields(['id', 'list', 'data', 'code', 'msg']),
    fc.record({ list: fc.array(jsonValue), total: jsonValue }),
    fc.array(fc.array(fc.record({ list: fc.array(withFields(['id'])) }))),
  );

  test.each([
    ['of a query by id', findById],
    ['of a change', readChanged],
    ['of an inferred change', readInferredChange],
    ['of a deletion', readDeleted],
  ])('%s gives at least one record, or our own error', (_, read) => {
    fc.assert(
      fc.property(answer, fc.integer(), (value, id) => {
        const records = resultOf(() => (read as typeof findById)(value, id, 'lead'));
        if (records === undefined) return;
        expect(records.length).toBeGreaterThan(0);
        for (const record of records) expect(record).toBeInstanceOf(Object);
      }),
    );
  });

  test('of a query by id gives the record with that id, whatever else came', () => {
    fc.assert(
      fc.property(fc.array(withFields(['name'])), fc.nat(), fc.boolean(), (others, id, asText) => {
        const wanted = { id: asText ? String(id) : id, name: 'wanted' };
        const list = [...others.map((other) => ({ ...other, id: -1 })), wanted];
        expect(findById({ list }, id, 'lead')).toEqual([wanted]);
      }),
    );
  });
});

describe('the value of a field', () => {
  const fields = { ...QUALIFICATION_FIELDS, ...SIGNATURE_FIELDS, ...LEAD_FIELDS };
  const value = fc.oneof(jsonValue, fc.constant(undefined), fc.integer(), fc.string());

  test('goes out in the type of the API, or is told', () => {
    const types = { string: 'string', integer: 'number', reference: 'number' } as const;
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

  test('is sent when it was added, and only then', () => {
    fc.assert(
      fc.property(fc.subarray(Object.keys(LEAD_FIELDS)), (names) => {
        const camelCase = (name: string) =>
          name.replace(/_(.)/g, (_, c: string) => c.toUpperCase());
        const values = Object.fromEntries(
          names.map((name) => [camelCase(name), name === 'is_financial_lending' ? 0 : '']),
        );
        const collection = {
          name: 'updateFields' as const,
          displayName: 'Update Fields',
          placeholder: 'Add field',
          fields: LEAD_FIELDS,
        };
        const body = readOptional(collection, () => values);
        expect(Object.keys(body).sort()).toEqual([...names].sort());
      }),
    );
  });
});
