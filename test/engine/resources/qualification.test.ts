import type { Gateway } from '../../sandbox/gateway';
import { byId } from '../harness/locators';
import { FIRST_PAGE, SMALL_PAGE, THE_ITEMS_ID, checkOperations } from './operationChecks';
import type { Item } from './operationChecks';

const LINK = 'https://files.example.com/a.jpg';

const QUALIFICATION_PARAMETERS = {
  // Guess: files
  authorizationFile: `${LINK}\n  ${LINK}?2\n\n`,
  certificateFile: LINK,
  // Guess: qualification-codes
  certificateType: 2,
  companyAuthorizationFile: '={{ ["x", $json.name] }}',
  legalMobile: '13800138009',
  legalPerson: 'Li Ming',
  legalPersonCertificate: '310000190001010002',
  legalPersonIdentityCardFront: LINK,
  legalPersonIdentityCardVerso: '',
  moreData: '',
  operator: 'Wang Fang',
  operatorCertificate: '310000190001010003',
  operatorIdentityCardFront: LINK,
  operatorIdentityCardVerso: '={{ "" }}',
  operatorMobile: '={{ 13900139000 }}',
  unifiedSocialCreditCode: '91310000MA1EXAMPLE',
  use: '={{ "3" }}',
};

const qualificationBody = (item: Item) => ({
  authorization_file: [LINK, `${LINK}?2`],
  certificate_file: LINK,
  certificate_type: 2,
  company_authorization_file: ['x', item.name],
  legal_mobile: '13800138009',
  legal_person: 'Li Ming',
  legal_person_certificate: '310000190001010002',
  legal_person_identity_card_front: LINK,
  legal_person_identity_card_verso: '',
  more_data: [],
  operator: 'Wang Fang',
  operator_certificate: '310000190001010003',
  operator_identity_card_front: LINK,
  operator_identity_card_verso: '',
  operator_mobile: '13900139000',
  unified_social_credit_code: '91310000MA1EXAMPLE',
  use: 3,
});

/** What Simplify leaves of the record with an ID. */
function shortQualification(gateway: Gateway, id: number) {
  const record = gateway.state.qualifications.get(id);
  if (!record) throw new TypeError(`No qualification ${id}`);
  const { name, company_name, unified_social_credit_code, certificate_type } = record;
  const { legal_person, operator, operator_mobile, use, created_at } = record;
  return {
    id,
    name,
    company_name,
    unified_social_credit_code,
    certificate_type,
    legal_person,
    operator,
    operator_mobile,
    use,
    created_at,
  };
}

const { gateway, execute } = checkOperations({
  resource: 'qualification',
  firstId: 101,
  cases: {
    create: {
      operationId: 'qualification.create',
      takesAnyObject: true,
      full: {
        parameters: {
          name: '={{ $json.name }}',
          companyName: 'Example Ltd.',
          additionalFields: QUALIFICATION_PARAMETERS,
        },
        body: (item) => ({
          name: item.name,
          company_name: 'Example Ltd.',
          ...qualificationBody(item),
        }),
      },
      minimal: {
        parameters: { name: 'n', companyName: 'c' },
        body: () => ({ name: 'n', company_name: 'c' }),
      },
      records: (item) => [
        {
          id: expect.any(Number),
          name: item.name,
          company_name: 'Example Ltd.',
          ...qualificationBody(item),
          created_at: expect.any(String),
        },
      ],
    },
    delete: {
      operationId: 'qualification.delete',
      takesAnyObject: true,
      full: { parameters: { qualificationId: THE_ITEMS_ID }, body: ({ id }) => ({ id }) },
      records: ({ id }) => [{ deleted: true, id }],
    },
    get: {
      operationId: 'qualification.query',
      full: {
        parameters: { qualificationId: THE_ITEMS_ID, simplify: false },
        body: ({ id }) => ({ id, ...SMALL_PAGE }),
      },
      // Guess: created-at
      records: ({ id }, { state }) => [state.qualifications.get(id)],
    },
    getAll: {
      operationId: 'qualification.query',
      full: {
        // Guess: several-filters
        parameters: { returnAll: true, filters: { companyName: '云岭', name: '云岭' } },
        body: () => ({ company_name: '云岭', name: '云岭', ...FIRST_PAGE }),
      },
      minimal: { parameters: {}, body: () => ({ page: 1, page_size: 50 }) },
      records: (_, gateway) => [shortQualification(gateway, 102)],
    },
    update: {
      operationId: 'qualification.update',
      takesAnyObject: true,
      full: {
        parameters: {
          qualificationId: THE_ITEMS_ID,
          updateFields: {
            name: '={{ $json.name }}',
            companyName: 'Example Ltd.',
            ...QUALIFICATION_PARAMETERS,
          },
        },
        body: (item) => ({
          id: item.id,
          name: item.name,
          company_name: 'Example Ltd.',
          ...qualificationBody(item),
        }),
      },
      minimal: {
        parameters: {
          qualificationId: THE_ITEMS_ID,
          updateFields: { legalPersonIdentityCardVerso: '', authorizationFile: '' },
        },
        body: ({ id }) => ({ id, legal_person_identity_card_verso: '', authorization_file: [] }),
      },
      records: (item, { state }) => [
        {
          ...state.qualifications.get(item.id),
          name: item.name,
          company_name: 'Example Ltd.',
          ...qualificationBody(item),
        },
      ],
    },
  },
});

const SENSITIVE = /files\.sandbox|3100001900010100|identity_card|_certificate"|_file"/;

test.each([
  { operation: 'getAll', returnAll: true },
  { operation: 'get', qualificationId: byId(101) },
])('Simplify leaves out numbers of identity cards and links: %j', async (selection) => {
  const { json } = await execute({ resource: 'qualification', ...selection });
  expect(json[0]).toEqual(shortQualification(gateway, 101));
  expect(JSON.stringify(json)).not.toMatch(SENSITIVE);
  expect(Object.keys(json[0] ?? {})).toHaveLength(10);

  const raw = await execute({ resource: 'qualification', ...selection, simplify: false });
  expect(raw.json[0]).toEqual(gateway.state.qualifications.get(101));
  expect(JSON.stringify(raw.json)).toMatch(SENSITIVE);
});
