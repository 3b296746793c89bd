import type { Fields, N8n } from '../../../builder/code/n8n';
import { text } from '../common/messages/outbox';
import { listOf, requestIn } from './list';

/** What to load. Its rows are made where they are stored: n8n keeps what each node gives. */
export interface Load {
  campaign: string;
  template_id: string;
  signature_id: string;
  file: string;
  start: boolean;
  recipients: number;
  /** How many numbers the list has, counted as often as they come. */
  numbers: number;
  /** The columns that each recipient has. */
  columns: string[];
  /** What the form has told: whether the campaign was started, and so sends at once. A program knows. */
  isStarted?: boolean;
}

/**
 * Why nothing is loaded, and the status of HTTP that says so to a program: the request is wrong, the campaign does not
 * take it as it is now, or the service is away.
 */
export interface Problem {
  problem: string;
  status: 400 | 409 | 503;
}

export default function readTheRequest({ $input, $execution }: N8n): Load | Problem {
  const request = requestIn($input.first().json);
  const problem = problemOf(request);
  if (problem) return { problem, status: 400 };
  const recipients = request.recipients as (object | null)[];
  return {
    campaign: text(request.campaign),
    template_id: text(request.template_id),
    signature_id: text(request.signature_id),
    file: text(request.file).slice(0, 100),
    start: request.start === true,
    recipients: recipients.length,
    columns: recipients
      .map((each) => Object.keys(each ?? {}))
      .reduce((all, names) => all.filter((name) => names.includes(name))),
    ...(typeof request.isStarted === 'boolean' && { isStarted: request.isStarted }),
    numbers: listOf(request, $execution.id).numbers,
  };
}

function problemOf({ campaign, recipients, start, ...others }: Fields): string {
  if (typeof campaign !== 'string' || text(campaign) === '') {
    return 'The request has no "campaign": its name.';
  }
  if (!Array.isArray(recipients) || recipients.length === 0) {
    return 'The request has no list of "recipients".';
  }
  const wrong = recipients.findIndex((each) => typeof each !== 'object' || Array.isArray(each));
  if (wrong >= 0) return `Recipient ${wrong + 1} of the list is no object with a "phone".`;
  if (!recipients.some((each: Fields | null) => each?.phone !== undefined)) {
    return 'No recipient has a "phone".';
  }
  if (start !== undefined && typeof start !== 'boolean')
    return '"start" is neither true nor false.';
  const id = ['template_id', 'signature_id'].find((name) => !/^\d{0,19}$/.test(text(others[name])));
  return id ? `"${id}" is not an ID: ${text(others[id]).slice(0, 60)}` : '';
}
