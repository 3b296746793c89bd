import type { RecordKind } from '../operations/operation';
import { namesOf } from '../operations/output';
import { recordResource } from '../operations/records';
import { code } from '../parameters/fields';
import type { Field } from '../parameters/fields';
import { qualificationLocator } from '../parameters/locators';
import type * as wire from '../service/wire';

/** The fields that the user can set. */
export const QUALIFICATION_FIELDS = {
  name: {
    displayName: 'Name',
    placeholder: 'e.g. Main company',
    description: 'Name that the qualification is listed under',
  },
  company_name: {
    displayName: 'Company Name',
    placeholder: 'e.g. Example Network Technology Co., Ltd.',
    description: 'Full name of the company, as on its certificate',
  },
  unified_social_credit_code: {
    displayName: 'Unified Social Credit Code',
    placeholder: 'e.g. 91310000MA1EXAMPLE',
    description: 'Unified social credit code of the company, 18 letters and digits',
  },
  certificate_type: code('Certificate Type', 'Code of the certificate type'),
  certificate_file: {
    displayName: 'Certificate File',
    placeholder: 'e.g. https://files.example.com/certificate.jpg',
    description: 'Link to the certificate file',
  },
  legal_person: {
    displayName: 'Legal Representative',
    placeholder: 'e.g. Li Ming',
    description: 'Name of the legal representative',
  },
  legal_person_certificate: {
    displayName: 'Representative ID Number',
    placeholder: 'e.g. 000000199001010000',
    description: 'Identity card number of the legal representative',
  },
  legal_person_identity_card_front: {
    displayName: "Front of Representative's ID",
    placeholder: 'e.g. https://files.example.com/legal-front.jpg',
    description: 'Link to an image of the front of the identity card',
  },
  legal_person_identity_card_verso: {
    displayName: "Back of Representative's ID",
    placeholder: 'e.g. https://files.example.com/legal-back.jpg',
    description: 'Link to an image of the back of the identity card',
  },
  legal_mobile: {
    displayName: 'Representative Phone',
    placeholder: 'e.g. 13800138000',
    description: 'Phone number of the legal representative',
  },
  operator: {
    displayName: 'Handler',
    placeholder: 'e.g. Wang Fang',
    description: "Name of the company's contact for this application",
  },
  operator_certificate: {
    displayName: 'Handler ID Number',
    placeholder: 'e.g. 000000198506060000',
    description: 'Identity card number of the handler',
  },
  operator_identity_card_front: {
    displayName: "Front of Handler's ID",
    placeholder: 'e.g. https://files.example.com/handler-front.jpg',
    description: 'Link to an image of the front of the identity card',
  },
  operator_identity_card_verso: {
    displayName: "Back of Handler's ID",
    placeholder: 'e.g. https://files.example.com/handler-back.jpg',
    description: 'Link to an image of the back of the identity card',
  },
  operator_mobile: {
    displayName: 'Handler Phone',
    placeholder: 'e.g. 13900139000',
    description: 'Phone number of the handler',
  },
  authorization_file: {
    type: 'stringList',
    displayName: 'Authorization Files',
    placeholder: 'e.g. https://files.example.com/authorization.pdf',
    description:
      'Links to authorization files, one per line. An expression may also give an array.',
  },
  company_authorization_file: {
    type: 'stringList',
    displayName: 'Company Authorizations',
    placeholder: 'e.g. https://files.example.com/company.pdf',
    description:
      'Links to company authorization files, one per line. An expression may also give an array.',
  },
  more_data: {
    type: 'stringList',
    displayName: 'Supporting Files',
    placeholder: 'e.g. https://files.example.com/trademark.pdf',
    description: 'Links to supporting files, one per line. An expression may also give an array.',
  },
  use: code('Usage Code', 'Code of what the qualification is used for'),
} as const satisfies Partial<Record<keyof typeof wire.QUALIFICATION, Field>>;

const { name, company_name, ...otherFields } = QUALIFICATION_FIELDS;

/** The papers of a company that may send. */
export const QUALIFICATION: RecordKind = {
  value: 'qualification',
  noun: 'qualification',
  locator: qualificationLocator,
  list: {
    endpoint: { heading: 'Query qualifications', path: '/openapi/cert/info' },
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
    ] satisfies (keyof typeof wire.QUALIFICATION)[],
  },
};

export const qualification = recordResource(QUALIFICATION, {
  create: {
    endpoint: { heading: 'Create a qualification', path: '/openapi/cert/create', isGuess: true },
    form: { name, company_name },
    additionalFields: otherFields,
  },
  delete: { heading: 'Delete a qualification', path: '/openapi/cert/delete' },
  update: {
    endpoint: { heading: 'Edit a qualification', path: '/openapi/cert/update', isGuess: true },
    updateFields: QUALIFICATION_FIELDS,
  },
});
