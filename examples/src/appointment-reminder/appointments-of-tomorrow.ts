import type { Fields, Item, N8n } from '../../../builder/code/n8n';
import { numbersIn, plain } from './prose';

const DAY = /^(20\d\d)[-/.年](\d{1,2})[-/.月](\d{1,2})日?(?:\s+[\d:]+)?$/;

const INSTANT = /^20\d\d-\d\d-\d\dT/;

/** A number, a date, an error of Excel, or what no clock shows. Other words are the owner's: 下午三点, 15:00-16:00. */
const NO_TIME = /^(?:#.*|[^\d\p{L}]*|[\d.]+)$|^\d{4}-|^(?!(?:[01]?\d|2[0-3]):[0-5]\d)\d+:/u;

/** An event of Google Calendar. An all-day one has a date only. */
interface CalendarEvent extends Fields {
  start?: { dateTime?: string; date?: string };
  status?: string;
}

interface Hours {
  zone: string;
  from: string;
  until: string;
}

/**
 * The appointments of tomorrow, from rows and from events, and what cannot be read. That has a `problem`, and
 * no number in `to`, so that the send refuses it.
 *
 * @throws Error if there is no such time zone, or no hour between the two
 */
export default function appointments({ $input, $, $now, DateTime }: N8n): Item[] {
  const { zone, from, until } = $('Zone and hours').first<Hours>().json;
  const tomorrow = $now.setZone(zone).plus({ days: 1 }).toISODate();
  if (tomorrow === null) throw new Error(`There is no time zone "${zone}"`);
  if (!(parseInt(from) < parseInt(until))) throw new Error(`No hours: "${from}" to "${until}"`);
  const moment = (text = '') => DateTime.fromISO(text, { zone });

  /** Null if there is no such day. */
  const dayOf = (text: string) => {
    const [, year, month, day] = DAY.exec(text)?.map(Number) ?? [];
    if (year !== undefined) return DateTime.fromObject({ year, month, day }).toISODate();
    return moment(INSTANT.exec(text)?.input).toISODate();
  };

  const ofRow = (row: Fields) => {
    const texts = [row.phone, row.name, row.date, row.time].map(plain);
    const [phone = '', name = '', date = '', time = ''] = texts;
    if (texts.join('') === '') return [];
    const day = dayOf(date);
    const problem =
      day === null
        ? 'its date cannot be read'
        : NO_TIME.test(time)
          ? 'its time cannot be read'
          : '';
    return [{ day, phone, name, date: day ?? date, time, who: name, problem }];
  };

  const ofEvent = ({ id, summary, description, start, status }: CalendarEvent) => {
    const phone = numbersIn(description).join(', ');
    const begin = moment(start?.dateTime ?? start?.date);
    const time = start?.dateTime ? begin.toFormat('HH:mm') : '';
    if (phone + time === '' || status === 'cancelled') return [];
    const problem =
      time === ''
        ? 'it has no time'
        : phone === ''
          ? 'its description has no whole mobile number'
          : '';
    const day = begin.toISODate();
    return [{ day, phone, name: plain(summary), date: day, time, who: id ?? summary, problem }];
  };

  return $input
    .all<CalendarEvent>()
    .flatMap<ReturnType<typeof ofRow>[number] | ReturnType<typeof ofEvent>[number]>(({ json }) =>
      (json.start?.dateTime ?? json.start?.date) ? ofEvent(json) : ofRow(json),
    )
    .filter(({ day }) => day === null || day === tomorrow)
    .map(({ phone, name, date, time, who, problem }) => {
      const key = [date, time, who, numbersIn(phone).join() || phone].join(' ');
      return { json: { phone, name, date, time, problem, key, to: problem ? '' : phone } };
    });
}
