// Reads the address. What it does not know counts as not given.
// parsePhoneNumbers: how the SMS node reads phone numbers.
const HOURS = { '1h': 1, '24h': 24, '7d': 7 * 24 };

const { query = {} } = $input.first().json;
// A parameter that stands twice in the address is a list here.
const given = (name) =>
  String([query[name]].flat()[0] ?? '')
    .trim()
    .slice(0, 40);

const window = given('window');
const typed = given('phone');
// A "+" in an address is a space.
const [phone = ''] = parsePhoneNumbers(typed, 'mainlandMobile').valid;
const hours = Object.hasOwn(HOURS, window) ? HOURS[window] : window === 'all' ? undefined : 24;
const since = hours === undefined ? DateTime.fromMillis(0) : $now.minus({ hours });

return [
  {
    json: {
      window: hours === undefined ? 'all' : hours === 24 ? '24h' : window,
      typed,
      phone,
      format: given('format') === 'csv' ? 'csv' : 'page',
      refresh: given('refresh') !== 'off',
      since: since.toUTC().toISO(),
      now: $now.toUTC().toISO(),
      zone: $now.zoneName,
    },
  },
];
