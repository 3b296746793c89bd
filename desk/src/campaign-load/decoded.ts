/** How files without a byte order mark are encoded on a Chinese Windows, and the usual characters there. */
const ENCODINGS = {
  gb18030: /^[\xa1-\xf7][\xa1-\xfe]$/,
  big5: /^[\xa1-\xc6][\x40-\x7e\xa1-\xfe]$/,
};

/** So many bytes tell the encoding. */
const MOST = 50_000;

/**
 * The text of a file: by its byte order mark, as UTF-16 if it has zero bytes, as UTF-8 if all of it is, otherwise
 * in that encoding of a Chinese Windows in which it has more usual characters. Undefined: in none of them.
 */
export function decoded(bytes: Uint8Array): string | undefined {
  const start = [...bytes.subarray(0, 2)].map((each) => each.toString(16)).join(' ');
  if (start === 'ff fe' || start === 'fe ff') {
    return as(start === 'ff fe' ? 'utf-16le' : 'utf-16be', bytes);
  }
  const head = String.fromCharCode(...bytes.subarray(0, MOST));
  // In UTF-16, digits and separators have one.
  const zeros = [...head.matchAll(/\0/g)].map(({ index }) => index);
  const behind = zeros.filter((index) => index % 2 === 1).length;
  if (zeros.length > 0) return as(behind * 2 > zeros.length ? 'utf-16le' : 'utf-16be', bytes);
  return as('utf-8', bytes) ?? chinese(bytes, head);
}

function chinese(bytes: Uint8Array, head: string): string | undefined {
  const wrong = new TextDecoder().decode(bytes.subarray(0, MOST)).match(/[^\0-\x7f]/g) ?? [];
  // UTF-8 with a broken byte is no other encoding.
  if (wrong.filter((each) => each !== '\ufffd').length > wrong.length / 2) return undefined;
  const pairs = head.match(/[\x81-\xfe][\x40-\xfe]/g) ?? [];
  const shares = Object.entries(ENCODINGS).map(([name, usual]) => ({
    name,
    share: pairs.filter((pair) => usual.test(pair)).length / pairs.length,
  }));
  const [best] = shares.sort((one, other) => other.share - one.share);
  return best && best.share >= 0.5 ? as(best.name, bytes) : undefined;
}

function as(encoding: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
