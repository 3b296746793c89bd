import { ofRecords } from './cases';

// Guess: files, qualification-codes
export const qualification = ofRecords('qualification', {
  recordsOf: ({ state }) => state.qualifications,
  // No identity numbers, and no links.
  simple: [
    ...['id', 'name', 'company_name', 'unified_social_credit_code', 'certificate_type'],
    ...['legal_person', 'operator', 'operator_mobile', 'use', 'created_at'],
  ],
  created: { created_at: expect.any(String) as string },
  filters: { company_name: '云岭', name: '云岭' },
  found: 102,
});
