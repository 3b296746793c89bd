import type { RawAnswer } from './answer';

/** The charsets of Chinese platforms. GB18030 has all characters of the other two. */
const CHINESE = /charset\s*=\s*["']?(?:gbk|gb2312|gb18030)/i;

/**
 * An answer with its body as text, if n8n gives its bytes. They are in UTF-8, unless the Content-Type
 * names a Chinese charset or they cannot be UTF-8: then they are in GB18030. A BOM tells more than both.
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
  const isChinese = CHINESE.test(String(contentType)) || isBroken(text, bytes);
  return isChinese ? decodeChinese(bytes) : text;
}

const BROKEN = '\ufffd';

/** If this part of all characters beyond ASCII is broken, the bytes are not UTF-8. */
const BROKEN_PART = 1 / 3;

/**
 * Whether bytes are in another charset than UTF-8. A service may cut a text inside a character: the other
 * characters of its answer are whole then, and stay so.
 */
function isBroken(text: string, bytes: Buffer): boolean {
  // The service may have sent the sign of a broken character itself.
  if (!text.includes(BROKEN) || Buffer.from(text).equals(bytes)) return false;
  const beyondAscii = text.replace(/[\0-\x7f]+/g, '').length;
  return text.split(BROKEN).length - 1 >= BROKEN_PART * beyondAscii;
}

/** A Node.js without the tables of other charsets throws: then the text stays broken, and is not lost. */
function decodeChinese(bytes: Buffer): string {
  try {
    return new TextDecoder('gb18030').decode(bytes);
  } catch {
    return bytes.toString();
  }
}
