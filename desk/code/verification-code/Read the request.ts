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
    asked_by: callerOf(caller),
    code: newCode(random),
  };
  return [{ json: { ...request, reason: reasonAgainst(request, phone, caller) } }];
}

function reasonAgainst(request: Omit<Request, 'reason'>, phone: unknown, caller: unknown): string {
  if (lengthOf(phone) > MAX_LENGTH) return `phone is longer than ${MAX_LENGTH} characters.`;
  if (!request.phone_number) return 'phone must hold one mobile number.';
  if (lengthOf(caller) > MAX_LENGTH) return `caller is longer than ${MAX_LENGTH} characters.`;
  if (request.asked_by) return '';
  return (typeof caller === 'string' && caller.trim() === '') || caller == null
    ? 'caller is missing: who asks, such as an IP address.'
    : 'caller must be one IP address, or one ID of letters, digits and . _ @ : + - / = |.';
}

/** Six digits of a random number in hexadecimal digits. */
function newCode(random: string): string {
  return String(parseInt(random, 16) % 1_000_000).padStart(6, '0');
}

const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IPV4 = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`);

/** An ID. What has only signs of an address, with a dot or colon, is none. */
const ID = /^(?![\da-fx.:/]*[.:][\da-fx.:/]*$)[\p{L}\p{N}._@:+\-/=|]+$/u;

/**
 * One text for all ways to write a caller's IP address, or the caller's ID. Whoever has an IPv6 address has
 * its whole network. Empty if it is neither: what can be written in many ways would be many callers.
 */
function callerOf(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') return '';
  const written = String(value).normalize('NFKC').trim().toLowerCase();
  return addressIn(written) ?? (ID.test(written) ? written : '');
}

/** An address without its brackets, zone and port. */
function addressIn(written: string): string | undefined {
  const host =
    /^\[([^\]]*)\](?::\d+)?$/.exec(written)?.[1] ?? /^([\d.]+):\d+$/.exec(written)?.[1] ?? written;
  const address = host.replace(/%.*$/, '');
  return IPV4.test(address) ? address : networkOf(address);
}

/** The first four groups of an IPv6 address, or the IPv4 address that its last two groups are. */
function networkOf(address: string): string | undefined {
  const inHex = address.replace(/[\d.]+$/, (end) => (IPV4.test(end) ? groupsOf(end) : end));
  const halves = inHex.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const [head = [], tail = []] = halves;
  const missing = 8 - head.length - tail.length;
  const isComplete = halves.length === 1 ? missing === 0 : halves.length === 2 && missing > 0;
  if (!isComplete || ![...head, ...tail].every((group) => /^[\da-f]{1,4}$/.test(group))) {
    return undefined;
  }
  const groups = [...head, ...Array<string>(missing).fill('0'), ...tail].map((group) =>
    parseInt(group, 16),
  );
  const [mark, high = 0, low = 0] = groups.slice(5);
  const isIPv4 = mark === 0xffff && groups.slice(0, 5).every((group) => group === 0);
  if (isIPv4) return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  return groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':');
}

/** An IPv4 address as the last two groups of an IPv6 address. */
function groupsOf(address: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return [a * 256 + b, c * 256 + d].map((group) => group.toString(16)).join(':');
}
