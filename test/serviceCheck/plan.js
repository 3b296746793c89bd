// What is asked of a service. docs/interface.md says what is known of it.

/** A list and the field that chooses from it. */
const LISTS = [
  {
    name: 'Qualifications',
    picker: 'Qualification',
    path: '/openapi/cert/info',
    fields: words(`id certificate_type use name company_name unified_social_credit_code
      certificate_file legal_person legal_person_certificate legal_mobile created_at
      legal_person_identity_card_front legal_person_identity_card_verso operator
      operator_certificate operator_mobile operator_identity_card_front
      operator_identity_card_verso authorization_file company_authorization_file more_data`),
  },
  {
    name: 'Templates',
    picker: 'Template',
    path: '/openapi/template/info',
    fields: words('id param_count audit_status type sign_id lead_id name content remark status'),
  },
  {
    name: 'Leads',
    picker: 'Lead',
    path: '/openapi/lead/info',
    fields: words(`id is_financial_lending report_type sign_id url url_ext domain phone_1 phone_2
      customer_call_url template sign_name report_info`),
  },
  {
    name: 'Signatures',
    picker: 'Signature',
    path: '/openapi/sign/info',
    fields: words('id name certification_id'),
    // No list with these fields is shown.
    optional: words('signature_id type use apply_comment brings_data customer_call_url more_data'),
  },
];

/** `event`: what the nodes call it. */
const PULLS = [
  { name: 'Pulled delivery report', path: '/sendsms/report/pull', event: 'deliveryReport' },
  { name: 'Pulled reply', path: '/sendsms/mo/pull', event: 'reply' },
];

/** Paths that the specification does not show, and the operations of the node that use them. */
const INFERRED = [
  { path: '/openapi/cert/create', operations: 'Qualification: Create' },
  { path: '/openapi/cert/update', operations: 'Qualification: Update' },
  { path: '/openapi/sign/info', operations: 'Signature: Get, Get Many' },
  { path: '/openapi/sign/update', operations: 'Signature: Update' },
  { path: '/openapi/sign/delete', operations: 'Signature: Delete' },
  { path: '/openapi/template/create', operations: 'Template: Create' },
  { path: '/openapi/template/update', operations: 'Template: Update' },
  { path: '/openapi/lead/delete', operations: 'Lead: Delete' },
];

const BALANCE = '/sendsms/balance';
const NO_SUCH_PATH = '/openapi/sms-service-check/no-such-path';
const SIGNATURE_LIST = '/openapi/sign/info';

/** The pages of a list. The nodes ask for 100 records, and for no fewer than 6 where that is refused. */
const HUNDRED = { page: 1, page_size: 100 };
const SIX = { page: 1, page_size: 6 };
const PAGE_ZERO = { page: 0, page_size: 6 };

function words(text) {
  return text.split(/\s+/);
}

/**
 * The requests, each a POST. None changes anything: the signed ones read, and an unsigned one belongs to
 * no account. Only a pull takes something, and so it has to be asked for.
 *
 * @param {{ pull?: boolean }} options
 * @returns {{ path: string, body: string, signed: boolean }[]} the signed ones first
 */
function plan({ pull = false } = {}) {
  const signed = (path, fields) => ({ path, body: JSON.stringify(fields), signed: true });
  const unsigned = (path) => ({ path, body: '{}', signed: false });
  return [
    signed(BALANCE, {}),
    ...LISTS.flatMap(({ path }) => [HUNDRED, SIX, PAGE_ZERO].map((page) => signed(path, page))),
    ...(pull ? PULLS.map(({ path }) => signed(path, { count: 1 })) : []),
    ...[BALANCE, NO_SUCH_PATH, ...INFERRED.map(({ path }) => path)].map(unsigned),
  ];
}
