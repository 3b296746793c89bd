import type { Fields, N8n } from '../../../builder/code/n8n';
import { text } from '../common/messages/outbox';
import { isPlain } from '../nodes/numbers';
import { requestIn } from './list';

/** What to load, without its recipients: n8n keeps what each node gives, so their rows are made where they are stored. */
export type Request = ReturnType<typeof readTheRequest>;

/** What to load. Or why the request is wrong, and the status of HTTP that says so. */
export default function readTheRequest({ $input }: N8n) {
  const request = requestIn($input.first().json);
  const problem = problemOf(request);
  if (problem) return { problem, status: 400 };
  return {
    campaign: text(request.campaign),
    template_id: text(request.template_id),
    signature_id: text(request.signature_id),
    file: text(request.file).slice(0, 100),
    start: request.start === true,
    // What the form has told: whether the campaign was started, and so sends at once. A program knows.
    isStarted: request.isStarted,
  };
}

function problemOf({ campaign, recipients, start, ...others }: Fields): string {
  if (typeof campaign !== 'string' || text(campaign) === '') {
    return 'The request has no "campaign": its name.';
  }
  if (text(campaign).length > 100) return '"campaign" is longer than 100 characters.';
  const wrong = wrongIn(recipients);
  if (wrong) return wrong;
  if (start !== undefined && typeof start !== 'boolean')
    return '"start" is neither true nor false.';
  const id = ['template_id', 'signature_id'].find((name) => !/^\d{0,19}$/.test(text(others[name])));
  return id ? `"${id}" is not an ID: ${text(others[id]).slice(0, 60)}` : '';
}

function wrongIn(recipients: unknown): string {
  if (!Array.isArray(recipients) || recipients.length === 0) {
    return 'The request has no list of "recipients".';
  }
  for (const [index, each] of recipients.entries()) {
    const recipient = `Recipient ${index + 1} of the list`;
    if (typeof each !== 'object' || Array.isArray(each)) {
      return `${recipient} is no object with a "phone".`;
    }
    const values = Object.entries({ ...(each as Fields | null), phone: '' });
    const [name] = values.find(([, value]) => !isWhole(value)) ?? [];
    if (name !== undefined) {
      return `${recipient}: "${name.slice(0, 60)}" is neither a text nor a number of at most 15 digits.`;
    }
  }
  const isOne = (each: Fields | null) => each?.phone !== undefined;
  return recipients.some(isOne) ? '' : 'No recipient has a "phone".';
}

/** Whether the SMS node takes a value: not what has lost digits, nor what is in brackets. */
const isWhole = (value: unknown): boolean =>
  typeof (value ?? '') === 'string' || (typeof value === 'number' && isPlain(String(value)));
