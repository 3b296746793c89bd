import type { Fields } from '../../../../builder/code/n8n';
import type { Column, Row } from '../../tables';
import { phoneIn } from './phone';

/** A draft lacks nothing. Incomplete: a parameter of its template has no column. */
export type State = 'draft' | 'incomplete' | 'running' | 'paused' | 'stopped' | 'done';

export type Campaign = Row<'sms.campaigns', Column<'sms.campaigns'>> & {
  campaign: string;
  state: State | null;
};

export type Recipient = Row<'sms.recipients', 'line' | 'sent_at'>;

/** Whether nobody has started a campaign yet. */
export function isOpen({ state }: Pick<Campaign, 'state'>): boolean {
  return state === 'draft' || state === 'incomplete';
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
  return `${campaign}|${phoneIn(phone_number) || phone_number}${press && `|${press}`}`;
}

/** The other columns of a recipient. */
export function parametersOf({ parameters }: Pick<Recipient, 'parameters'>): Fields {
  return JSON.parse(parameters || '{}') as Fields;
}
