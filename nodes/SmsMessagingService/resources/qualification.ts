import type { RecordKind } from '../operations/operation';
import { namesOf } from '../operations/output';
import { recordResource } from '../operations/records';
import { code, list, text } from '../parameters/fields';
import type { Fields } from '../parameters/fields';
import { qualificationLocator } from '../parameters/locators';

/** The fields that the user can set. */
export const QUALIFICATION_FIELDS = {
  name: text('Name', 'Main company', 'Name that the qualification is listed under'),
  company_name: text(
    'Company Name',
    'Example Network Technology Co., Ltd.',
    'Full name of the company, as on its certificate',
  ),
  unified_social_credit_code: text(
    'Unified Social Credit Code',
    '91310000MA1EXAMPLE',
    'Unified social credit code of the company, 18 letters and digits',
  ),
  certificate_type: code('Certificate Type', 'Code of the certificate type'),
  certificate_file: text(
    'Certificate File',
    'https://files.example.com/certificate.jpg',
    'Link to the certificate file',
  ),
  legal_person: text('Legal Representative', 'Li Ming', 'Name of the legal representative'),
  legal_person_certificate: text(
    'Representative ID Number',
    '000000199001010000',
    'Identity card number of the legal representative',
  ),
  legal_person_identity_card_front: text(
    "Front of Representative's ID",
    'https://files.example.com/legal-front.jpg',
    'Link to an image of the front of the identity card',
  ),
  legal_person_identity_card_verso: text(
    "Back of Representative's ID",
    'https://files.example.com/legal-back.jpg',
    'Link to an image of the back of the identity card',
  ),
  legal_mobile: text(
    'Representative Phone',
    '13800138000',
    'Phone number of the legal representative',
  ),
  operator: text('Handler', 'Wang Fang', "Name of the company's contact for this application"),
  operator_certificate: text(
    'Handler ID Number',
    '000000198506060000',
    'Identity card number of the handler',
  ),
  operator_identity_card_front: text(
    "Front of Handler's ID",
    'https://files.example.com/handler-front.jpg',
    'Link to an image of the front of the identity card',
  ),
  operator_identity_card_verso: text(
    "Back of Handler's ID",
    'https://files.example.com/handler-back.jpg',
    'Link to an image of the back of the identity card',
  ),
  operator_mobile: text('Handler Phone', '13900139000', 'Phone number of the handler'),
  authorization_file: list(
    'Authorization Files',
    'https://files.example.com/authorization.pdf',
    'Links to authorization files, one per line',
  ),
  company_authorization_file: list(
    'Company Authorizations',
    'https://files.example.com/company.pdf',
    'Links to company authorization files, one per line',
  ),
  more_data: list(
    'Supporting Files',
    'https://files.example.com/trademark.pdf',
    'Links to supporting files, one per line',
  ),
  use: code('Usage Code', 'Code of what the qualification is used for'),
} satisfies Fields;

const { name, company_name } = QUALIFICATION_FIELDS;

/** The papers of a company that may send. */
export const QUALIFICATION: RecordKind = {
  value: 'qualification',
  noun: 'qualification',
  locator: qualificationLocator,
  fields: QUALIFICATION_FIELDS,
  list: {
    endpoint: { path: '/openapi/cert/info' },
    filters: {
      company_name: { ...company_name, description: 'Part of the company name' },
      name: { ...name, description: 'Part of the qualification name' },
    },
  },
  output: {
    fields: { ...namesOf(QUALIFICATION_FIELDS), created_at: 'Created At' },
    // No identity card numbers, and no links, because anybody with a link can open the file.
    simple: [
      'id',
      'name',
      'company_name',
      'unified_social_credit_code',
      'certificate_type',
      'legal_person',
      'operator',
      'operator_mobile',
      'use',
      'created_at',
    ],
    papers: /\/\/|(?<!\d)\d{6}(?:19|20)\d\d[01]\d[0-3]\d{4}[\dX](?!\d)/i,
  },
};

export const qualification = recordResource(QUALIFICATION, {
  create: {
    endpoint: { path: '/openapi/cert/create', isGuess: true },
    form: { name, company_name },
  },
  delete: { path: '/openapi/cert/delete' },
  update: { path: '/openapi/cert/update', isGuess: true },
});
