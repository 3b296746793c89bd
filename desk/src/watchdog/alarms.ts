import type { Fields } from '../../../builder/code/n8n';

export interface Mail {
  subject: string;
  text: string;
}

/** One look at one thing. Neither wrong nor over: it is too early to tell. */
export interface Finding {
  name: string;
  isWrong: boolean;
  isOver: boolean;
  alarm: Mail;
  /** Without one, the end of the alarm is not mailed. */
  allClear?: Mail;
}

/** Name of a thing → the last mail about it. */
type Alarms = Record<string, { at: string; isOver: boolean }>;

/** The alarms in n8n's static data of the workflow, which a database that is away does not concern. */
export function alarmsIn(staticData: Fields): Alarms {
  return (staticData.alarms ?? {}) as Alarms;
}

/** A mail to send now, and what to remember of it. */
export interface News extends Mail {
  name: string;
  isOver: boolean;
}

/** The findings to mail now: what is wrong and has no open alarm, and the end of open alarms. */
export function newsIn(findings: Finding[], alarms: Alarms): News[] {
  return findings.flatMap(({ name, isWrong, isOver, alarm, allClear }): News[] => {
    const last = alarms[name];
    const isOpen = last !== undefined && !last.isOver;
    if (isWrong && !isOpen) return [{ name, isOver: false, ...alarm }];
    return isOver && isOpen && allClear ? [{ name, isOver: true, ...allClear }] : [];
  });
}

/** The alarms without those that are over and have no mail about that, and those of things that are gone. */
export function pruned(alarms: Alarms, findings: Finding[]): Alarms {
  const kept = findings.filter(({ isOver, allClear }) => !isOver || allClear);
  const names = new Set(kept.map(({ name }) => name));
  return Object.fromEntries(Object.entries(alarms).filter(([name]) => names.has(name)));
}
