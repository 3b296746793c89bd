import type { Fields } from '../../../../builder/code/n8n';
import type { Column, Row } from '../../tables';

/** A draft lacks nothing. Incomplete: a parameter of its template has no column. */
export type State = 'draft' | 'incomplete' | 'running' | 'paused' | 'stopped' | 'done';

export type Campaign = Row<'sms.campaigns', Column<'sms.campaigns'>> & {
  campaign: string;
  state: State | null;
};

export type Recipient = Row<'sms.recipients', 'line' | 'sent_at'>;

/** The other columns of a recipient. */
export function parametersOf({ parameters }: Pick<Recipient, 'parameters'>): Fields {
  return JSON.parse(parameters || '{}') as Fields;
}
