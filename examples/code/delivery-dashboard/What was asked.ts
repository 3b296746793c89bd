import { parsePhoneNumbers } from '../../../nodes/SmsMessagingService/parameters/phoneNumbers';
import type { Fields, Item, N8n } from '../n8n';

/** What the address asks for. Times are in ISO 8601. */
export interface Asked {
  window: '1h' | '24h' | '7d' | 'all';
  /** The text to search for, and the phone number in it. */
  typed: string;
  phone: string;
  format: 'page' | 'csv';
  refresh: boolean;
  since: string | null;
  now: string;
  zone: string;
}

const HOURS = { '1h': 1, '24h': 24, '7d': 7 * 24, all: undefined };

/** Reads the address. What it does not know counts as not given. */
export default function whatWasAsked({ $input, $now, DateTime }: N8n): Item<Asked>[] {
  const { query = {} } = $input.first<{ query?: Fields }>().json;
  // A parameter that stands twice in the address is a list here.
  const given = (name: string) =>
    String([query[name]].flat()[0] ?? '')
      .trim()
      .slice(0, 40);

  const wanted = given('window');
  const window = Object.hasOwn(HOURS, wanted) ? (wanted as Asked['window']) : '24h';
  const typed = given('phone');
  // A "+" in an address is a space.
  const [phone = ''] = parsePhoneNumbers(typed, 'mainlandMobile').valid;
  const hours = HOURS[window];
  const since = hours === undefined ? DateTime.fromMillis(0) : $now.minus({ hours });
  return [
    {
      json: {
        window,
        typed,
        phone,
        format: given('format') === 'csv' ? 'csv' : 'page',
        refresh: given('refresh') !== 'off',
        since: since.toUTC().toISO(),
        now: String($now.toUTC().toISO()),
        zone: String($now.zoneName),
      },
    },
  ];
}
