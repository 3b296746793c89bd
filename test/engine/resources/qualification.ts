import { FIRST_PAGE, bodyOf, ofOneRecord, pick } from './cases';
import type { Cases, Item } from './cases';

const LINK = 'https://files.example.com/a.jpg';

const QUALIFICATION_PARAMETERS = {
  // Guess: files
  authorizationFile: `${LINK}\n  ${LINK}?2\n\n`,
  certificateFile: LINK,
  // Guess: qualification-codes
  certificateType: 2,
  companyAuthorizationFile: '={{ ["x", 7, $json.name] }}',
  legalMobile: '13800138009',
  legalPerson: 'Li Ming',
  legalPersonCertificate: '310000190001010002',
  legalPersonIdentityCardFront: LINK,
  legalPersonIdentityCardVerso: LINK,
  moreData: `${LINK}, ${LINK}`,
  operator: 'Wang Fang',
  operatorCertificate: '310000190001010003',
  operatorIdentityCardFront: LINK,
  operatorIdentityCardVerso: LINK,
  operatorMobile: '={{ 13900139000 }}',
  unifiedSocialCreditCode: '91310000MA1EXAMPLE',
  use: '={{ "3" }}',
};

const NAMED = { name: '={{ $json.name }}', companyName: 'Example Ltd.' };

const qualificationBody = (item: Item) =>
  bodyOf(
    { ...NAMED, ...QUALIFICATION_PARAMETERS },
    {
      name: item.name,
      authorization_file: [LINK, `${LINK}?2`],
      company_authorization_file: ['x', '7', item.name],
      more_data: [LINK, LINK],
      operator_mobile: '13900139000',
      use: 3,
    },
  );

const SIMPLE = [
  ...['id', 'name', 'company_name', 'unified_social_credit_code', 'certificate_type'],
  ...['legal_person', 'operator', 'operator_mobile', 'use', 'created_at'],
];

export const qualification: Cases = {
  ...ofOneRecord('qualification', ({ state }) => state.qualifications, {
    full: { parameters: { ...NAMED, ...QUALIFICATION_PARAMETERS }, body: qualificationBody },
    minimal: {
      parameters: {
        legalPersonIdentityCardVerso: '={{ $json.none || "" }}',
        authorizationFile: '',
      },
      body: () => ({ legal_person_identity_card_verso: '', authorization_file: [] }),
    },
    // No identity numbers, and no links.
    records: (item, { state }) => {
      const record = { ...state.qualifications.get(item.id), ...qualificationBody(item) };
      return [pick(record, SIMPLE)];
    },
  }),
  create: {
    full: {
      parameters: { ...NAMED, additionalFields: QUALIFICATION_PARAMETERS },
      body: qualificationBody,
    },
    minimal: {
      parameters: { name: 'n', companyName: 'c' },
      body: () => ({ name: 'n', company_name: 'c' }),
    },
    records: (item) => {
      const made = { id: expect.any(Number), created_at: expect.any(String) };
      return [pick({ ...qualificationBody(item), ...made }, SIMPLE)];
    },
  },
  getAll: {
    full: {
      parameters: { returnAll: true, filters: { companyName: '云岭', name: '云岭' } },
      body: () => ({ company_name: '云岭', name: '云岭', ...FIRST_PAGE }),
    },
    minimal: { parameters: {}, body: () => ({ page: 1, page_size: 50 }) },
    records: (_, { state }) => [pick(state.qualifications.get(102), SIMPLE)],
  },
};
