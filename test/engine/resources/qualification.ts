import { FIRST_PAGE, ofRecords } from './cases';

const LINK = 'https://files.example.com/a.jpg';

export const qualification = ofRecords('qualification', {
  recordsOf: ({ state }) => state.qualifications,
  // No identity numbers, and no links.
  simple: [
    ...['id', 'name', 'company_name', 'unified_social_credit_code', 'certificate_type'],
    ...['legal_person', 'operator', 'operator_mobile', 'use', 'created_at'],
  ],
  both: {
    parameters: {
      // Guess: files
      authorizationFile: `${LINK}\n  ${LINK}?2\n\n`,
      // Guess: qualification-codes
      certificateType: 2,
      companyAuthorizationFile: '={{ ["x", 7, $json.name] }}',
      moreData: `${LINK}, ${LINK}`,
      operatorMobile: '={{ 13900139000 }}',
      use: '={{ "3" }}',
    },
    body: ({ name }) => ({
      authorization_file: [LINK, `${LINK}?2`],
      certificate_type: 2,
      company_authorization_file: ['x', '7', name],
      more_data: [LINK, LINK],
      operator_mobile: '13900139000',
      use: 3,
    }),
  },
  create: {
    made: { created_at: expect.any(String) as string },
    minimal: {
      parameters: { name: 'n', companyName: 'c' },
      body: () => ({ name: 'n', company_name: 'c' }),
    },
  },
  update: {
    minimal: {
      parameters: {
        legalPersonIdentityCardVerso: '={{ $json.none || "" }}',
        authorizationFile: '',
      },
      body: () => ({ legal_person_identity_card_verso: '', authorization_file: [] }),
    },
  },
  getAll: {
    full: {
      parameters: { returnAll: true, filters: { companyName: '云岭', name: '云岭' } },
      body: () => ({ company_name: '云岭', name: '云岭', ...FIRST_PAGE }),
    },
    minimal: { parameters: {}, body: () => ({ page: 1, page_size: 50 }) },
    found: 102,
  },
});
