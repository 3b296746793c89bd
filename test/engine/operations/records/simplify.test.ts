import * as fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import {
  LEAD,
  LEAD_FIELDS,
} from '../../../../dist/nodes/SmsMessagingService/resources/lead/record';
import {
  QUALIFICATION,
  QUALIFICATION_FIELDS,
} from '../../../../dist/nodes/SmsMessagingService/resources/qualification/record';
import { withFields } from '../../harness/arbitraries';

describe('a simplified record', () => {
  const kinds = [
    ['qualification', QUALIFICATION, Object.keys(QUALIFICATION_FIELDS)],
    ['lead', LEAD, Object.keys(LEAD_FIELDS)],
  ] as const;

  test.each(kinds)(
    '%s: has only fields of the record, with their values',
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

  test('a qualification has no link and no number of an identity card', () => {
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
