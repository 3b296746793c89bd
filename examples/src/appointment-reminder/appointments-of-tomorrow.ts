import { parsePhoneNumbers } from '../../../nodes/SmsMessagingService/parameters/phoneNumbers';
import type { Fields, Item, N8n } from '../../../builder/code/n8n';
import { plain } from '../plain';
import { numbersIn, saysOff } from './prose';

const DAY = /^(20\d\d)[-/.年](\d{1,2})[-/.月](\d{1,2})日?(?:\s+[\d:]+)?$/;

const INSTANT = /^20\d\d-\d\d-\d\dT/;

/** A moment that a clock shows: 9:30, 15点, 下午三点半, 3 pm. */
const MOMENT =
  '(?:上午|下午|早上|中午|傍晚|晚上)?' +
  '(?:(?:[01]?\\d|2[0-3])(?::[0-5]\\d(?: ?[ap]m)?|[点时](?:[0-5]?\\d分?|半|整)?| ?[ap]m)' +
  '|(?:[一二两三四五六七八九]|十[一二]?)点(?:半|整|[一三]刻)?)';

/** One, or from one to another. Other words may say that it does not take place: 取消, 待定. */
const CLOCK = new RegExp(`^${MOMENT}(?: ?(?:-|~|至|到|to) ?${MOMENT})?$`, 'i');

/** A name or a title that says so. */
const OFF =
  /取消|作[废廢]|待定|改[期约約天到]|改[时時][间間]|退[约約]|[(【]退[)】]|推[迟遲后後]|延[期迟遲]|不[来來]|cancel|postpone|reschedul|called off|\btb[ad]\b/i;

/** So much of a title goes into the SMS: others may have written it. */
const MAX_NAME = 20;

/** An event of Google Calendar. An all-day one has a date only. */
interface CalendarEvent extends Fields {
  start?: { dateTime?: string; date?: string };
  status?: string;
  eventType?: string;
  organizer?: { self?: boolean };
  attendees?: { self?: boolean; responseStatus?: string }[];
}

interface Hours {
  zone: string;
  from: string;
  until: string;
}

/** An appointment, and why nobody can be reminded of it. */
interface Appointment {
  /** Null if that cannot be read. */
  day: string | null;
  phone: string;
  name: string;
  date: string;
  time: string;
  /** Of an event. Rows have none: who enters a table anew changes those of n8n. */
  id?: unknown;
  problem: string | undefined;
  /** The hour and minute at which it begins, for all that is known. */
  begins: [hour: number, minute: number];
  /** When it was entered, and when it was changed for the last time. */
  created: unknown;
  changed: unknown;
}

/**
 * The appointments of tomorrow, from rows and from events, and what nobody can be reminded of: it has a `problem`, and
 * no number in `to`, so that the send refuses it. Outside the hours, only what has a problem.
 *
 * @throws Error if there is no such time zone, or no hour between the two
 */
export default function appointments({ $input, $, $now, DateTime }: N8n): Item[] {
  const { zone, from, until } = $('Zone and hours').first<Hours>().json;
  const now = $now.setZone(zone);
  const today = now.toISODate();
  const tomorrow = now.plus({ days: 1 }).toISODate();
  if (today === null || tomorrow === null) throw new Error(`There is no time zone "${zone}"`);
  const [opens, closes] = [parseInt(from), parseInt(until)];
  if (!(opens < closes)) throw new Error(`No hours: "${from}" to "${until}"`);
  const isOpen = now.hour >= opens && now.hour < closes;
  const moment = (text: unknown = '') => DateTime.fromISO(String(text), { zone });

  /** Null if there is no such day. */
  const dayOf = (text: string) => {
    const [, year, month, day] = DAY.exec(text)?.map(Number) ?? [];
    if (year !== undefined) return DateTime.fromObject({ year, month, day }).toISODate();
    return moment(INSTANT.exec(text)?.input).toISODate();
  };

  const ofRow = (row: Fields): Appointment[] => {
    const texts = [row.phone, row.name, row.date, row.time].map(plain);
    const [phone = '', name = '', date = '', clock = ''] = texts;
    // As a calendar has it: 9:30 and 09:30:00 are one appointment.
    const time = clock.replace(/(?<!\d)(\d?\d:\d\d)(?::00)?(?![\d:])/g, (_, moment: string) =>
      moment.padStart(5, '0'),
    );
    if (texts.join('') === '') return [];
    const day = dayOf(date);
    const numbers = parsePhoneNumbers(phone, 'mainlandMobile').valid;
    const problem = firstOf([
      [day === null, 'its date cannot be read'],
      ...problemsOf(row, name, time),
      [numbers.length > 1, 'it has several numbers'],
    ]);
    const { createdAt: created, updatedAt: changed = created } = row;
    const begins: Appointment['begins'] = CLOCK.test(time) ? beginningOf(time) : [24, 0];
    return [{ day, phone, name, date: day ?? date, time, problem, begins, created, changed }];
  };

  const ofEvent = (event: CalendarEvent): Appointment[] => {
    const { id, summary, description, start, created, updated = created, attendees = [] } = event;
    const title = plain(summary);
    const numbers = numbersIn(description, title);
    const begin = moment(start?.dateTime ?? start?.date);
    const time = start?.dateTime ? begin.toFormat('HH:mm') : '';
    if (numbers.length === 0 && (time === '' || !isTheirs(event))) return [];
    const problem = firstOf([
      [!isTheirs(event), 'it is an invitation that you have not accepted'],
      [attendees.some(hasDeclined), 'somebody has declined it'],
      [time === '', 'it has no time'],
      ...problemsOf(event, title, time),
      [saysOff(description), 'its description says that it does not take place'],
      [
        numbers.length === 0,
        'its description has no mobile number that stands alone or behind "tel"',
      ],
      [numbers.length > 1, 'its description has several numbers'],
    ]);
    return [
      {
        day: begin.toISODate(),
        phone: numbers.join(', '),
        name: [...title].slice(0, MAX_NAME).join(''),
        date: begin.toISODate() ?? '',
        time,
        id,
        problem,
        begins: time === '' ? [24, 0] : [begin.hour, begin.minute],
        created,
        changed: updated,
      },
    ];
  };

  /** It has not begun, and since it was entered or changed, no look was in the hours. It looks once an hour. */
  const lateOf = ({ day, begins: [hour, minute], created, changed }: Appointment) => {
    if (day === null || now >= moment(day).set({ hour, minute })) return undefined;
    const last = moment(day)
      .minus({ days: 1 })
      .set({ hour: closes - 1, minute: now.minute });
    if (now < last.plus({ hours: 1 })) return undefined;
    return firstOf([
      [moment(created) >= last, 'it was entered too late'],
      [
        moment(changed) >= last,
        'it was changed after the last look: it may have been reminded before',
      ],
    ]);
  };

  return $input
    .all<CalendarEvent>()
    .flatMap(({ json }) =>
      (json.start?.dateTime ?? json.start?.date) ? ofEvent(json) : ofRow(json),
    )
    .map((each) => ({ ...each, late: lateOf(each) }))
    .filter(({ day, late }) => day === null || late !== undefined || day === tomorrow)
    .map(({ phone, name, date, time, begins, id, problem, late }) => {
      const told = problem ?? late ?? '';
      const number = numbersIn(phone).join() || phone;
      // A time that is written otherwise is the same appointment, another name at it is another one.
      const key = [date, told ? time : begins.join(':'), id ?? name, number].join(' ');
      const line = `${phone || 'No number'}: ${name}, ${date} ${time}`;
      return { json: { name, time, line, problem: told, key, to: told ? '' : phone } };
    })
    .filter(({ json }) => isOpen || json.problem !== '');
}

/** The text of the first that is true. */
const firstOf = (problems: [is: boolean, text: string][]): string | undefined =>
  problems.find(([is]) => is)?.[1];

/** What is not understood, or says that it does not take place. A status that is not known is one of those. */
const problemsOf = ({ status }: Fields, name: string, time: string): [boolean, string][] => [
  [!/^(?:confirmed|确认|已确认)?$/i.test(plain(status)), `its status is ${plain(status)}`],
  [OFF.test(name), 'its name says that it does not take place'],
  [!CLOCK.test(time), 'its time cannot be read'],
];

const hasDeclined = ({ responseStatus }: { responseStatus?: string }): boolean =>
  responseStatus === 'declined';

const FIRST = /(\d+|[一二两三四五六七八九十]+)[:点时]?(\d+|半|[一三]刻)?/;

const HOURS = [...'零一二三四五六七八九十', '十一', '十二'];

const MINUTES: Record<string, number> = { 半: 30, 一刻: 15, 三刻: 45 };

/** When a time begins: before eight in the afternoon, unless it says so. */
function beginningOf(time: string): Appointment['begins'] {
  const [from = ''] = time.split(/-|~|至|到|to/i);
  const [, digits = '', minutes = '0'] = FIRST.exec(from) ?? [];
  const hour = /\d/.test(digits) ? Number(digits) : HOURS.indexOf(digits.replace('两', '二'));
  const isMorning = /上午|早上|am/i.test(from);
  const isNight = /晚上/.test(from) && hour === 12;
  const isLater = /下午|中午|傍晚|晚上|pm/i.test(from) || (!isMorning && hour < 8);
  return [hour + ((isLater && hour < 12) || isNight ? 12 : 0), MINUTES[minutes] ?? Number(minutes)];
}

/** Whether the owner of the calendar has made the event, or accepted it. Anybody may send an invitation. */
function isTheirs({ eventType = 'default', organizer, attendees = [] }: CalendarEvent): boolean {
  const hasAccepted = attendees.some(
    ({ self, responseStatus }) => self === true && responseStatus === 'accepted',
  );
  return eventType === 'default' && (organizer?.self === true || hasAccepted);
}
