import { clean } from '../clean';
import type { Item, N8n } from '../n8n';
import type { Report } from '../row';

/** What is in the table of the inbox: a delivery report, or a reply. */
type Event = Report & { event?: string; user_data?: string };

function reasonOf({ status, status_desc }: Event): string {
  if (status === 'DELIVRD') return '';
  return clean(`${status ?? ''} ${status_desc ?? ''}`)
    .trim()
    .slice(0, 300);
}

/** One list for one statement. "user_data" has the portion that the message was sent in. */
export default function reportsAsOneList({ $input }: N8n): Item<{ reports: string }>[] {
  const reports = $input
    .all<Event>()
    .map(({ json }) => json)
    .filter(({ event, phone_number }) => event === 'deliveryReport' && phone_number)
    .map((report) => ({
      phone_number: clean(report.phone_number),
      portion: clean(report.user_data),
      batch_id: clean(report.batch_id),
      is_delivered: report.status === 'DELIVRD',
      reason: reasonOf(report),
    }));
  return [{ json: { reports: JSON.stringify(reports) } }];
}
