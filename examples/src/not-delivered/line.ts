/** The line of the mail about a delivery report. */

/** How a status begins, and what that means. Its owner sees and changes the list. */
export interface Cause {
  begins: string;
  cause: string;
  advice: string;
}

type Fields = Record<string, unknown>;

/** What was not delivered to whom, why, and what to do. What is no delivery report is quoted. */
export function lineOf(json: Fields, causes: Cause[]): string {
  const { event, answer, phone_number, status, status_desc, batch_id } = json;
  if (event === 'unreadable') {
    return `The service sent this, which is no delivery report: ${shown(answer).slice(0, 2000)}`;
  }
  const known = causes.find(({ begins }) => shown(status).startsWith(begins));
  const number = shown(phone_number) || 'A number that is not given';
  const cause = known?.cause ?? 'the cause is not known';
  const advice = known?.advice ?? 'Ask your SMS provider what the status means.';
  const words = `${shown(status) || 'no status'} ${shown(status_desc)}`;
  return `${number}: ${cause} (${words}, batch ${shown(batch_id) || 'not given'}). ${advice}`;
}

/** What a field holds, as text: nothing where there is nothing, and JSON where it is no text. */
const shown = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
