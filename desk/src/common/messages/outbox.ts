import { parsePhoneNumbers } from '../../nodes/phoneNumbers';
import { why, type Why } from './reasons';
import { clean } from '../text/format';
import type { Fields, Item } from '../../../../builder/code/n8n';
import type { Row as RowOf } from '../../tables';

export type Row = RowOf<'sms.outbox'>;

/** One phone number of a message. A `problem` is why it gets no row. */
export interface Recipient {
  index: number;
  message: Fields;
  phone_number: string;
  problem?: Why;
}

export type NamedRecord = RowOf<'sms.templates'> & { kind: 'template' | 'signature' };

/** The class of messages with a secret: verification codes. */
export const CODE = 'code';

const ID = /^[1-9]\d{0,18}$/;

/** PostgreSQL has no index of much longer ones. */
const MOST_OF_A_KEY = 500;

/** A field of a message as text. */
export function text(value: unknown): string {
  return clean(typeof value === 'object' && value !== null ? JSON.stringify(value) : value).trim();
}

/** The mobile number of a caller's request. Empty when it has none, several, or a text that takes long to read. */
export function phoneIn(value: unknown): string {
  if (text(value).length > 100) return '';
  const { valid, invalid } = parsePhoneNumbers(value, 'mainlandMobile');
  return valid.length === 1 && invalid.length === 0 ? String(valid[0]) : '';
}

/** The parameters of a message as JSON text. Undefined if they are no object. */
export function parametersOf({ parameters }: Fields): string | undefined {
  const given = text(parameters ?? '') || '{}';
  try {
    const value: unknown = JSON.parse(given);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? given : undefined;
  } catch {
    return undefined;
  }
}

/** What the SMS node needs of a message, as JSON text: the parameters of its template, or its text. */
export function sentOf(message: Fields): string {
  if (text(message.template_id) !== '') return parametersOf(message) ?? '';
  return JSON.stringify({ content: text(message.content) });
}

export function classOf(message: Fields): string {
  return text(message.class).toLowerCase() || 'notice';
}

/** Why no recipient of a message can get it. */
function problemOf(message: Fields): Why | undefined {
  const template = text(message.template_id);
  const signature = text(message.signature_id);
  if (template === '' && text(message.content) === '') return why('no_message');
  if (template !== '' && !ID.test(template)) return why('not_a_template');
  if (signature !== '' && !ID.test(signature)) return why('not_a_signature');
  if (parametersOf(message) === undefined) return why('not_parameters');
  if (text(message.key).length > MOST_OF_A_KEY) return why('key_too_long', { most: MOST_OF_A_KEY });
  return undefined;
}

/** The recipients of all messages, in order: each number of a message once, and what is no number. */
export function recipientsOf(messages: Item[]): Recipient[] {
  return messages.flatMap(({ json: message }, index) => {
    const { valid, invalid } = parsePhoneNumbers(message.phone, 'mainlandMobile');
    const problem = problemOf(message);
    const recipient = (phone_number: string, its?: Why) => ({
      ...{ index, message, phone_number },
      problem: problem ?? its,
    });
    if (valid.length + invalid.length === 0) {
      return [recipient('', why('not_a_number'))];
    }
    return [
      ...[...new Set(valid)].map((number) => recipient(number)),
      ...invalid.map((word) => {
        const given = word.slice(0, 60);
        return recipient(given, why('not_a_number', { given }));
      }),
    ];
  });
}
