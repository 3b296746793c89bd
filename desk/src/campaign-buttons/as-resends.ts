import type { Cells } from '../tables';
import type { Recipient } from '../common/messages/campaigns';
import type { N8n } from '../../../builder/code/n8n';
import type { Told } from './what-to-do';

/**
 * That a person sends these rows again. Without this, the outbox knows their keys, and does not send them. A
 * report may have been quicker for all of them, or the outbox knew them as accepted: one entry without a row
 * lets the nodes behind run.
 */
export default function asResends({ $input, $ }: N8n): Cells<'sms.resends'>[] {
  const press = $('What to do').first<Told>().json.token;
  const rows = $input.all<Partial<Recipient>>().filter(({ json }) => json.status === 'pending');
  const resends = rows.map(({ json: { id = 0, phone_number = '' } }) => {
    return { recipient: id, phone_number, press };
  });
  return resends.length > 0 ? resends : [{ recipient: 0, phone_number: '', press }];
}
