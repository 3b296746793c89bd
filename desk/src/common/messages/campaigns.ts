/** The tables of the campaigns. */
import type { Fields } from '../../../../builder/code/n8n';

/** A draft lacks nothing. Incomplete: a parameter of its template has no column. */
export type State = 'draft' | 'incomplete' | 'running' | 'paused' | 'stopped' | 'done';

/** A row of sms_campaigns. Without a state, its recipients are being loaded. */
export interface Campaign {
  id: number;
  campaign: string;
  state: State | null;
  /** The parameters of the template that have no column, as a text. */
  missing: string | null;
  template_id: string | null;
  template: string | null;
  content: string | null;
  signature_id: string | null;
  signature: string | null;
  /** How many recipients came more than once. */
  duplicates: number | null;
  /** The portions in a row without an accepted message, until when they are a pause, and why. */
  tries: number | null;
  until: string | null;
  cause: string | null;
  /** What the settings of the send said at its last look, and when that was. */
  portion_size: number | null;
  keep_balance: number | null;
  ticked_at: string | null;
  /** When the latest list began to be loaded, or had its rows in the table. */
  loaded_at: string | null;
  /** What the list shows of its rows, as JSON. */
  figures: string | null;
}

/** A row of sms_recipients. */
export interface Recipient {
  id: number;
  campaign: string;
  phone_number: string;
  /** The other columns of the recipient, as JSON. */
  parameters: string;
  /** Its line in the file or the list. */
  line: number | null;
  /** `invalid`: it has no phone number. */
  status: string;
  portion: string;
  batch_id: string;
  reason: string;
  changed: string;
  sent_at: string | null;
  createdAt: string;
}

/** A row of sms_resends: a person has sent a recipient again whose outcome is unknown. */
export interface Resend {
  recipient: number;
  phone_number: string;
  /** The token of the page that was pressed. */
  press: string;
}

/** The address of the page of a campaign, in a language if one was asked for. */
export function addressOf(campaign: number, lang = ''): string {
  return `sms-campaign?campaign=${campaign}${lang && `&lang=${lang}`}`;
}

/** Whether nobody has started a campaign yet. */
export function isOpen({ state }: Pick<Campaign, 'state'>): boolean {
  return !state || state === 'draft' || state === 'incomplete';
}

/**
 * The key of a recipient's message. The outbox sends once under a key: once in a campaign, and once for each
 * press that sends it again.
 */
export function keyOf(
  { campaign, phone_number }: Pick<Recipient, 'campaign' | 'phone_number'>,
  press = '',
): string {
  // A number that was typed by hand may have any spelling.
  const digits = String(phone_number).replace(/\D/g, '').slice(-11);
  return `${campaign}|${digits}${press && `|${press}`}`;
}

/** The other columns of a recipient. */
export function parametersOf({ parameters }: Pick<Recipient, 'parameters'>): Fields {
  return JSON.parse(parameters || '{}') as Fields;
}
