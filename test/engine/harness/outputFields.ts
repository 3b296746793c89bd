import { RUN_OPTIONS } from '../../../nodes/SmsMessagingService/sending/options';

/**
 * What the fields of the output mean, by resource and name in the output. `npm run docs` writes
 * these texts into the output schemas of the package and into docs/reference/operations.md. A field without a text
 * fails the test of its operation, and a text without a field fails the test of all resources.
 */

type Texts = Record<string, string>;

const CHECK = RUN_OPTIONS.checkOnly.label;

const CHANGED: Texts = {
  id: 'ID of the record',
  deleted: 'true: the service did not refuse',
};

/** Fields of the service's answer that are part of the output. */
const ANSWER: Texts = {
  code: 'Result code of the service; 0 is a success',
  msg: 'Text of the service',
};

const EVENT: Texts = {
  event:
    'deliveryReport or reply; unreadable where no record was recognised, and "answer" then holds the answer',
  batch_id: 'Batch of the send',
  time: 'Unix timestamp in seconds, as the service sent it',
  time_iso: 'The same time as ISO 8601 in UTC',
};

const REPORT: Texts = {
  ...EVENT,
  phone_number: 'Phone number of the recipient',
  status: 'Delivery status; DELIVRD for a message that arrived. Other values are not documented',
  status_desc: 'The status in words',
  phone_data: 'Phone Data of the send',
  user_data: 'User Data of the send',
  split_count: 'Parts that the message was divided into',
};

const REPLY: Texts = {
  ...EVENT,
  phone_number: 'Phone number of who replied, the same as mobile',
  content: 'Text of the reply',
  sms_content: 'Text of the message that was replied to',
  ext_no: 'Extension number',
  mobile: 'Phone number of who replied',
};

export const OUTPUT_FIELDS: Record<string, Texts> = {
  message: {
    status: `accepted; rejected: certainly not sent; unknown: may have been sent; skipped: the idempotency key was used before. With ${CHECK}: checked or rejected`,
    phone_number: 'The phone number, if there is only one; digits only',
    phone_numbers: 'Phone numbers of the item, digits only',
    open_numbers: 'Of a failed item: its phone numbers that certainly were not sent to',
    batch_id: 'Batch of the send; its delivery reports and replies carry the same',
    batch_count:
      'Messages that the service says it accepted in this batch, also those of other items',
    code: 'Result code of the service; 0 is a success',
    msg: 'Text of the service, or why the message was not sent',
    warning:
      'What to check although the message was accepted, for instance another number in batch_count than was sent',
    rejected_numbers: `${CHECK}: what was given as a phone number and is none`,
    messages: `${CHECK}: messages that would be sent`,
    text: `${CHECK}: the text as the customer gets it, with the signature`,
    characters: `${CHECK}: length of the text, with the signature`,
    segments: `${CHECK}: estimated segments of the text. One up to 70 characters, otherwise one for each 67`,
    run: `${CHECK}: what all items together would send`,
    requests: `${CHECK}: requests that would be made`,
    parts:
      'Where phone numbers of the item have different outcomes: the outcomes, each with the fields of this list',
    error: 'Why the item failed, where On Error is Continue',
    request_id: "The service's ID of the request",
    http_status: 'HTTP status of an answer that is not an acceptance',
    remembered:
      'true: the outcome of an earlier try of this execution; nothing was sent in this one',
    merged:
      'true: an earlier item of the run has the same number and message, and that one was sent',
  },
  balance: { ...ANSWER, balance: 'Balance of the account. The unit is not documented' },
  deliveryReport: REPORT,
  reply: REPLY,
  trigger: {
    ...REPORT,
    ...REPLY,
    phone_number: 'Phone number of the recipient, or of who replied',
    sample: "true: a made-up record of the trigger's test. Real records do not have this field",
  },
  qualification: {
    ...CHANGED,
    name: 'Name that it is listed under',
    company_name: 'Full name of the company',
    unified_social_credit_code: 'Unified social credit code of the company',
    certificate_type: 'Code of the certificate type. The values are not documented',
    certificate_file: 'Link to the certificate; it expires',
    legal_person: 'Name of the legal representative',
    legal_person_certificate: 'Identity card number of the legal representative',
    legal_person_identity_card_front:
      'Link to an image of the front of the identity card; it expires',
    legal_person_identity_card_verso:
      'Link to an image of the back of the identity card; it expires',
    legal_mobile: 'Phone number of the legal representative',
    operator: "Name of the company's contact for this application",
    operator_certificate: 'Identity card number of the handler',
    operator_identity_card_front: 'Link to an image of the front of the identity card; it expires',
    operator_identity_card_verso: 'Link to an image of the back of the identity card; it expires',
    operator_mobile: 'Phone number of the handler',
    authorization_file: 'Links to authorizations; each expires',
    company_authorization_file: 'Links to authorizations of the company; each expires',
    more_data: 'Links to supporting files; each expires',
    use: 'Code of the usage. The values are not documented',
    created_at: 'Time of creation, as YYYY-MM-DD HH:MM:SS',
  },
  signature: {
    ...CHANGED,
    name: "The signature itself: the sender's name that recipients see",
    certification_id: 'ID of its qualification',
    apply_comment: 'Note to the reviewers of the application',
    brings_data: 'Not documented',
    customer_call_url: 'Your own callback address',
    more_data: 'Material that supports the application',
    type: 'Code of the signature type. The values are not documented',
    use: 'Code of the usage. The values are not documented',
  },
  template: {
    ...CHANGED,
    name: 'Name that it is listed under',
    content: 'Text of the template',
    param_count: 'Number of its parameters',
    audit_status: 'Code of the state of its review. The values are not documented',
    status: 'Whether it is enabled',
    type: 'Code of the template type. The values are not documented',
    sign_id: 'ID of its signature',
    lead_id: 'ID of its reported link',
    remark: 'Remark',
  },
  lead: {
    ...CHANGED,
    sign_id: 'ID of its signature',
    sign_name: "Its signature: the sender's name that recipients see",
    url: 'Link that messages may contain',
    url_ext: 'Extension of the link. Its form is not documented',
    domain: 'Domain of the link',
    phone_1: 'First phone number that messages may contain',
    phone_2: 'Second phone number that messages may contain',
    customer_call_url: 'Your own callback address',
    template: 'Text of the message that the link or phone number stands in',
    is_financial_lending:
      'Whether it is a lending business, as a code. The values are not documented',
    report_type: 'Code of the kind of report. The values are not documented',
    report_info: 'Which carriers it was reported to',
    mobile_report: 'Whether it was reported to China Mobile',
    telecom_report: 'Whether it was reported to China Telecom',
    unicom_report: 'Whether it was reported to China Unicom',
  },
};
