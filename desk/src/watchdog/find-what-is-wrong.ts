import { thresholdsIn, type Thresholds } from '../common/messages/thresholds';
import { unsentOf, wordsOf, type Alike, type Line } from '../common/messages/unsent';
import { errorOf, errorsIn, rowsOf } from '../common/records/rows';
import { fill } from '../../../builder/code/lang';
import type { Fields, Item, N8n } from '../../../builder/code/n8n';
import type { Row } from '../tables';
import { failingIn, roomProblem, silentIn, type TableSize } from '../common/records/health';

const MINUTE_MS = 60_000;

type Send = Partial<Row<'sms.outbox'>>;

interface Mail {
  subject: string;
  text: string;
}

/** One look at one thing. Neither wrong nor over: it is too early to tell. */
interface Finding {
  name: string;
  isWrong: boolean;
  isOver: boolean;
  alarm: Mail;
  /** Without one, the end of the alarm is not mailed. */
  allClear?: Mail;
}

/** Name of a thing → the last mail about it. */
type Alarms = Record<string, { at: string; isOver: boolean }>;

/** What a mail needs besides what is wrong. */
interface Surroundings extends Thresholds {
  status_page: string;
  timeOf: (at: unknown) => string;
  now: number;
  /** When the latest alarm about reports was mailed. */
  from?: string;
}

/** A mail that says what happened, and what to do. */
function mail(
  subject: string,
  happened: unknown[],
  { status_page }: Surroundings,
  ...todo: string[]
): Mail {
  const steps = [`Open the status page: ${status_page}`, ...todo];
  const list = steps.map((step, index) => `${index + 1}. ${step}`).join('\n');
  const text = `What happened: ${happened.filter(Boolean).join(' ')}\n\nWhat to do:\n${list}\n\nThere is no other mail about this while it lasts.`;
  return { subject: `SMS: ${subject}`, text };
}

function count(messages: number): string {
  return fill('{messages} {messages|message|messages}', { messages });
}

/** Sends that were mailed about are not looked at again. */
function reports(sends: Send[], latest: unknown, around: Surroundings): Finding {
  const { late_percent, late_of, late_minutes, timeOf, from } = around;
  const looked = sends.filter(
    ({ sent_at = '' }) => !from || Date.parse(sent_at) > Date.parse(from),
  );
  const silent = looked.filter(({ report }) => report === null);
  const arrived = looked.length - silent.length;
  const isAbove = silent.length * 100 > looked.length * late_percent;
  const isEnough = (all: Send[]) =>
    looked.length >= late_of || all.some(({ reference }) => reference === 'canary');
  const counts = `${silent.length} of ${count(looked.length)}`;
  const alarm = mail(
    `no delivery report for ${counts}`,
    [
      `${counts} ${fill('{n|has|have}', { n: silent.length })} no delivery report. The service accepted them between ${timeOf(silent.at(-1)?.sent_at)} and ${timeOf(silent[0]?.sent_at)}, and a report should come within ${late_minutes} min.`,
      latest
        ? `The inbox stored its latest record at ${timeOf(latest)}.`
        : 'The inbox has stored nothing yet.',
    ],
    around,
    'If the inbox is not green there, mend it as the page says: it is not published, cannot log in, or its tables are full.',
    'If the inbox is green, ask the SMS provider since when delivery reports are missing.',
  );
  const allClear = {
    subject: 'SMS: delivery reports come again',
    text: `Delivery reports come again: ${arrived} of ${count(looked.length)} since the alarm (${timeOf(from)}) ${fill('{arrived|has|have}', { arrived })} one.`,
  };
  const isWrong = isAbove && isEnough(silent);
  return { name: 'reports', isWrong, isOver: !isAbove && isEnough(looked), alarm, allClear };
}

/** A subscriber that has not taken its records. */
function subscriber(row: Fields, around: Surroundings): Finding {
  const { now, behind_minutes, timeOf } = around;
  const who = `“${String(row.name)}”`;
  const id = String(row.workflow_id);
  const editor = around.status_page.replace(/\/webhook\/.*/, `/workflow/${id}`);
  const failing = failingIn(row, now);
  const at = (millis: number) => timeOf(new Date(millis).toISOString());
  const alarm = mail(
    `${who} does not get its records`,
    [
      `The workflow ${who} has not taken the records that the inbox has for it since ${failing && at(failing.since)}.`,
      failing?.reason && `The last try: ${failing.reason}`,
      failing?.until
        ? `The records are kept. It works, or n8n has lost its execution. It gets no other before ${at(failing.until)}: if none runs, publish the workflow again.`
        : 'The records are kept, and the inbox goes on trying.',
    ],
    around,
    `Open the workflow: ${editor}. Publish it, or mend what its last execution says.`,
  );
  const allClear = {
    subject: `SMS: ${who} gets its records again`,
    text: `The workflow ${who} takes its records again.`,
  };
  const isWrong = failing !== undefined && now - failing.since > behind_minutes * MINUTE_MS;
  return { name: `subscriber ${id}`, isWrong, isOver: failing === undefined, alarm, allClear };
}

/** A workflow that is not published, or stuck. */
function stopped(name: string, why: string, isWrong: boolean, around: Surroundings): Finding {
  const happened = `The workflow “${name}” ${why}.`;
  const alarm = mail(`“${name}” does not run`, [happened], around, 'Publish it.');
  return { name: `stopped ${name}`, isWrong, isOver: !isWrong, alarm };
}

/** Messages that were not sent. One that may have been sent is enough. */
function unsent(line: Line, around: Surroundings): Finding {
  const { kind, level } = line;
  const { text, why, todo } = wordsOf(line, { lang: 'en', thresholds: around });
  const isWrong = level === 'red' || kind === 'unknown';
  const alarm = mail(text.replace(/\.$/, ''), [text, why && `${why}.`], around, todo);
  return { name: `unsent ${kind}`, isWrong, isOver: !isWrong, alarm };
}

/** Tables that are filling. */
function room(tables: TableSize[], around: Surroundings): Finding {
  const problem = roomProblem(tables, around);
  const alarm = mail('the tables are filling', [problem && fill(...problem)], around);
  const allClear = { subject: 'SMS: the tables have room again', text: 'They have room again.' };
  return {
    name: 'room',
    isWrong: problem !== undefined,
    isOver: !problem && tables.length > 0,
    alarm,
    allClear,
  };
}

/** A look that saw nothing. */
function unreadable(errors: string[], around: Surroundings): Finding {
  const isWrong = errors.length > 0;
  const alarm = mail(
    'the watchdog cannot read its tables',
    [`While this lasts, the watchdog sees nothing. n8n says: ${errors[0]}`],
    around,
    'Look at the execution of the watchdog in n8n, and at the log of n8n.',
  );
  return { name: 'unreadable', isWrong, isOver: !isWrong, alarm };
}

/** The findings to mail now: what is wrong and has no open alarm, and the end of open alarms. */
function newsIn(findings: Finding[], alarms: Alarms) {
  return findings.flatMap(({ name, isWrong, isOver, alarm, allClear }) => {
    const isOpen = alarms[name]?.isOver === false;
    if (isWrong && !isOpen) return [{ name, isOver: false, ...alarm }];
    return isOver && isOpen && allClear ? [{ name, isOver: true, ...allClear }] : [];
  });
}

/** Compares what the tables say with the alarms that were mailed: one mail with the news, or none. */
export default function whatIsWrong({ $, $now, DateTime, $getWorkflowStaticData }: N8n): object[] {
  const memory = $getWorkflowStaticData('global');
  const timeOf = (at: unknown) => {
    const time = DateTime.fromISO(String(at), { zone: $now.zoneName ?? 'utc' });
    return time.isValid
      ? `${time.toFormat('yyyy-MM-dd HH:mm')} (${$now.zoneName})`
      : 'an unknown time';
  };
  const thresholds = thresholdsIn($('Thresholds').all());
  const { status_page } = $('Settings').first<{ status_page: string }>().json;
  const now = $now.toMillis();
  // n8n's data of the workflow, which a database that is away does not concern.
  const alarms = (memory.alarms ?? {}) as Alarms;
  const around = { ...thresholds, status_page, timeOf, now, from: alarms.reports?.at };
  const sends = $('Get the sends that need a report').all();
  const latest = $('Get the latest record of the inbox').all();
  const notSent = $('Get what was not sent').all();
  const subscribers = $('Get the subscribers').all();
  const sizes = $('Sizes').all();
  const heartbeats = $('Heartbeats').all();
  const inbox = errorOf($('Does the inbox answer?').first().json);
  const read = [sends, latest, notSent, subscribers, sizes, heartbeats];
  const errors = errorsIn(read.flat());
  const found = (items: Item[], field: string) =>
    items.map(({ json }) => json).filter((json) => json[field]);
  const findings = [
    reports(found(sends, 'batch_id'), latest[0]?.json.createdAt, around),
    ...found(subscribers, 'workflow_id').map((row) => subscriber(row, around)),
    ...unsentOf(rowsOf<Alike>(notSent, 'kind'), thresholds).map((line) => unsent(line, around)),
    stopped('SMS · Inbox', `does not answer: ${inbox}`, inbox !== '', around),
    ...silentIn(rowsOf(heartbeats), now).flatMap(({ name, since }) => {
      const last = since && timeOf(new Date(since).toISOString());
      return last ? [stopped(name, `has not run since ${last}`, true, around)] : [];
    }),
    room(found(sizes, 'name') as unknown as TableSize[], around),
    unreadable(errors, around),
  ];
  if (errors.length === 0) {
    // Those that are over and have no mail about that, and those of things that are gone, are forgotten.
    const kept = findings.filter(({ isOver, allClear }) => !isOver || allClear);
    const names = new Set(kept.map(({ name }) => name));
    const left = Object.entries(alarms).filter(([name]) => names.has(name));
    memory.alarms = Object.fromEntries(left);
  }
  const news = newsIn(findings, alarms);
  if (news.length === 0) return [];
  const subject = news.map((each) => each.subject).join('; ');
  const text = news.map((each) => each.text).join('\n\n----\n\n');
  return [{ subject, text, mailed: news.map(({ name, isOver }) => ({ name, isOver })) }];
}
