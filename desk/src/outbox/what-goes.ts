import type { Fields, N8n } from '../../../builder/code/n8n';
import { CODE, parametersOf, sentOf, type Row } from '../common/messages/outbox';
import { rowsOf } from '../common/records/rows';

export interface Sendable extends Pick<
  Row,
  'id' | 'sent_at' | 'class' | 'phone_number' | 'phone_data'
> {
  /** By a template, with its parameters as JSON text; or what a text says, without the signature. */
  template?: string;
  parameters?: string;
  content?: string;
  /** Further fields of the request, as JSON text: the node reads a path to a text without n8n's engine. */
  extra: string;
}

/** The rows that are sent, by the way in which they are. */
export interface Sends {
  template: Sendable[];
  text: Sendable[];
}

/** What of the messages that were taken is sent, and how. */
export default function whatGoes({ $input, $ }: N8n): Sends {
  const sends: Sends = { template: [], text: [] };
  for (const row of rowsOf<Row>($input.all())) {
    if (row.status === 'claimed') sends[row.template ? 'template' : 'text'].push(sendable(row, $));
  }
  return sends;
}

/** What the nodes that send read by paths: none may be empty, as the SMS node takes that for a mistake. */
function sendable(row: Row, $: N8n['$']): Sendable {
  const { id, sent_at, phone_number, template } = row;
  const parameters = sentFor(row, $);
  const extra = row.signature ? `{"sms_sign_id":${row.signature}}` : '{}';
  return {
    ...{ id, sent_at, class: row.class, phone_number, extra },
    phone_data: row.phone_data || `sms_outbox:${id}`,
    ...(template ? { template, parameters } : { content: contentOf(row, parameters) }),
  };
}

/** What is sent. The table does not have it of a code. */
function sentFor({ run, parameters, ...row }: Row, $: N8n['$']): string {
  if (row.class !== CODE || !$('Messages').isExecuted) return parameters;
  const message = $('Messages').all()[Number(run.split(':')[1])];
  return message ? sentOf(message.json) : parameters;
}

/** What a text says, without the signature. Rows that an earlier version stored have it as their text. */
function contentOf({ text }: Row, sent: string): string {
  const { content } = JSON.parse(parametersOf({ parameters: sent }) ?? '{}') as Fields;
  return typeof content === 'string' ? content : text;
}
