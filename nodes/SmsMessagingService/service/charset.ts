import type { RawAnswer } from './answer';

/** A charset in a Content-Type. UTF-8 and the Latin ones do not count: servers name them by default. */
const NAMED = /charset\s*=\s*["']?(?!utf-?8|iso-8859|latin|windows-125|us-ascii)([\w-]+)/i;

/**
 * Decodes the body of an answer if n8n gives it as bytes. The charset is the one that the Content-Type
 * names, or else UTF-8, or GB18030 if the bytes cannot be UTF-8. A BOM overrides all of these.
 */
export function withText(answer: RawAnswer): RawAnswer {
  const { body, headers } = answer;
  return Buffer.isBuffer(body)
    ? { ...answer, body: decode(body, headers['content-type']) }
    : answer;
}

function decode(bytes: Buffer, contentType: unknown): string {
  const text = bytes.toString();
  if (text.startsWith('\ufeff')) return text.slice(1);
  const given = BOMS[bytes.toString('hex', 0, 2)] ?? charsetIn(String(contentType));
  const guess = () => (isBroken(text, bytes) ? decodeIn(GB18030, bytes) : undefined);
  return (given && decodeIn(given, bytes)) ?? guess() ?? text;
}

function charsetIn(contentType: string): string | undefined {
  const [, name] = NAMED.exec(contentType) ?? [];
  return name && /^gb/i.test(name) ? GB18030 : name;
}

/** The first two bytes in hexadecimal → the charset. */
const BOMS: Record<string, string> = { fffe: 'utf-16le', feff: 'utf-16be' };

/** Includes all characters of GBK and GB2312. */
const GB18030 = 'gb18030';

const BROKEN = '\ufffd';

/** If at least this share of the non-ASCII characters is broken, the bytes are not UTF-8. */
const MIN_BROKEN_SHARE = 1 / 3;

/**
 * Whether bytes cannot be UTF-8. If the service has only cut a text in the middle of a character, the other
 * characters are intact, and the bytes are still UTF-8.
 */
function isBroken(text: string, bytes: Buffer): boolean {
  // The service itself may have sent the replacement character.
  if (!text.includes(BROKEN) || Buffer.from(text).equals(bytes)) return false;
  const beyondAscii = text.replace(/[\0-\x7f]+/g, '').length;
  return text.split(BROKEN).length - 1 >= MIN_BROKEN_SHARE * beyondAscii;
}

/** @returns undefined if this Node.js does not know the charset */
function decodeIn(charset: string, bytes: Buffer): string | undefined {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return undefined;
  }
}
