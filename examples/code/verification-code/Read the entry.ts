import type { Fields, Item, N8n } from '../n8n';
import { phoneIn } from '../phone';

/** The phone number and the code that a user has entered. */
export default function readEntry({ $ }: N8n): Item<{ phone_number: string; code: string }>[] {
  const { phone, code } = $('Code entered').first<{ body?: Fields }>().json.body ?? {};
  const entered = String(code ?? '')
    .normalize('NFKC')
    .trim();
  // Without a phone number, no code is found.
  return [{ json: { phone_number: phoneIn(phone), code: entered } }];
}
