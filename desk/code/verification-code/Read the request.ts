import type { Fields, Item, N8n } from '../n8n';
import { lengthOf, MAX_LENGTH, phoneIn } from '../phone';

/** Who wants a code, the code, and why there is none for them. */
export interface Request {
  phone_number: string;
  asked_by: string;
  code: string;
  reason: string;
}

/** What "Limits" and "Make a random number" hand on from the webhook. */
interface Call {
  body?: Fields;
  random: string;
}

/** Reads the body of a request for a code. */
export default function readRequest({ $input }: N8n): Item<Request>[] {
  const { body, random } = $input.first<Call>().json;
  const { phone, caller } = body ?? {};
  const request = {
    phone_number: phoneIn(phone),
    // n8n allows no "caller" in expressions.
    asked_by: callerOf(String(caller ?? '')),
    code: newCode(random),
  };
  return [{ json: { ...request, reason: reasonAgainst(request, phone, caller) } }];
}

function reasonAgainst(request: Omit<Request, 'reason'>, phone: unknown, caller: unknown): string {
  if (lengthOf(phone) > MAX_LENGTH) return `phone is longer than ${MAX_LENGTH} characters.`;
  if (!request.phone_number) return 'phone must hold one mobile number.';
  if (lengthOf(caller) > MAX_LENGTH) return `caller is longer than ${MAX_LENGTH} characters.`;
  return request.asked_by ? '' : 'caller is missing: who asks, such as an IP address.';
}

/** Six digits of a random number in hexadecimal digits. */
function newCode(random: string): string {
  return String(parseInt(random, 16) % 1_000_000).padStart(6, '0');
}

const IPV4 = /^(?:\[?(?:0{0,4}:){2,6}ffff:)?(\d{1,3}(?:\.\d{1,3}){3})\]?(?::\d+)?$/;
const IPV6 = /^\[?([\da-f]*:[\da-f:]*:[\da-f:.]*)(?:%[^\]]*)?(?:\](?::\d+)?)?$/;

/** One text for all ways to write a caller's IP address. Whoever has an IPv6 address has its whole network. */
function callerOf(text: string): string {
  const written = text.normalize('NFKC').trim().toLowerCase();
  const ipv4 = IPV4.exec(written)?.[1];
  if (ipv4) return ipv4;
  const ipv6 = IPV6.exec(written)?.[1];
  return ipv6 === undefined ? written : networkOf(ipv6);
}

/** The first four groups of an IPv6 address, or the IPv4 address that its last two groups are. */
function networkOf(address: string): string {
  const [head = [], tail = []] = address.split('::').map((half) => half.split(':').filter(Boolean));
  const zeros = Array<string>(Math.max(0, 8 - head.length - tail.length)).fill('0');
  const groups = [...head, ...zeros, ...tail].map((group) => parseInt(group, 16));
  const [mark, high = 0, low = 0] = groups.slice(5);
  const isIPv4 = mark === 0xffff && groups.slice(0, 5).every((group) => group === 0);
  if (isIPv4) return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  return groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':');
}
