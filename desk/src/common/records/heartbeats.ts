import type { Fields } from '../../../../builder/code/n8n';

const MINUTE_MS = 60_000;

/** The workflows that a desk has in any case, by their names in sms.heartbeats. */
const NEEDED = ['SMS · Inbox: serve', 'SMS · Outbox', 'SMS · Upkeep', 'SMS · Watchdog'];

/** A workflow with a schedule that does not run. */
export interface Silent {
  name: string;
  id?: unknown;
  /** When it has run last, in Unix milliseconds. Without one, it never has. */
  since?: number;
}

/** Those that have not run for twice their time, and three minutes more, or not yet. */
export function silentIn(rows: Fields[], now: number): Silent[] {
  const known = new Set(rows.map(({ name }) => name));
  const late = rows.filter(
    ({ minutes, updatedAt }) =>
      !(now - Date.parse(String(updatedAt)) <= (2 * Number(minutes) + 3) * MINUTE_MS),
  );
  return [
    ...late.map(({ name, workflow_id: id, updatedAt }) => ({
      ...{ name: String(name), id, since: Date.parse(String(updatedAt)) },
    })),
    ...NEEDED.filter((name) => !known.has(name)).map((name) => ({ name })),
  ];
}
