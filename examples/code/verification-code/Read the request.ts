import type { Fields, Item, N8n } from '../n8n';
import { lengthOf, MAX_LENGTH, phoneIn } from '../phone';

/** Who wants a code, and why they do not get one. */
export interface Request {
  phone_number: string;
  asked_by: string;
  at: number;
  reason: string;
}

/** Reads the request for a code. */
export default function readRequest({ $ }: N8n): Item<Request>[] {
  const { phone, caller } = $('Code wanted').first<{ body?: Fields }>().json.body ?? {};
  const request = {
    phone_number: phoneIn(phone),
    // n8n allows no "caller" in expressions.
    asked_by: String(caller ?? '')
      .trim()
      .toLowerCase(),
    at: Date.now(),
  };
  let reason = '';
  if (lengthOf(phone) > MAX_LENGTH) reason = `phone is longer than ${MAX_LENGTH} characters.`;
  else if (!request.phone_number) reason = 'phone must hold one mobile number.';
  else if (!request.asked_by) reason = 'caller is missing: who asks, such as an IP address.';
  else if (lengthOf(request.asked_by) > MAX_LENGTH)
    reason = `caller is longer than ${MAX_LENGTH} characters.`;
  return [{ json: { ...request, reason } }];
}
