import type { Fields, Item, N8n } from '../n8n';
import { MAX_LENGTH, phoneIn } from '../phone';

/** The phone and the code that somebody has entered. */
export interface Entry {
  /** Empty if the request has no phone, several, or a long text. */
  phone_number: string;
  code: string;
}

/** Reads the body of a request to check a code. */
export default function readEntry({ $input }: N8n): Item<Entry>[] {
  const { phone, code } = $input.first<{ body?: Fields }>().json.body ?? {};
  return [{ json: { phone_number: phoneIn(phone), code: enteredCode(code) } }];
}

function enteredCode(code: unknown): string {
  if (typeof code !== 'string' && typeof code !== 'number') return '';
  return String(code).normalize('NFKC').trim().slice(0, MAX_LENGTH);
}
