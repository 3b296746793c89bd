import { fillPlaceholders } from '../../nodes/SmsMessagingService/service/reading/placeholders';
import type { Fields } from './n8n';

/** A text as the customer gets it: with the values of its parameters, and the signature in brackets before it. */
export function received(content: string, parameters: unknown, signature = ''): string {
  const values = Object.entries((parameters ?? {}) as Fields);
  const filled = fillPlaceholders(
    content,
    Object.fromEntries(values.map(([name, value]) => [name, String(value ?? '')])),
  );
  return signature === '' ? filled : `【${signature.replace(/^【|】$/g, '')}】${filled}`;
}

/** How many segments of a text are billed, by the usual rule: 70 characters, or 67 each in a longer text. */
export function segmentsOf(text: string): number {
  return text.length <= 70 ? 1 : Math.ceil(text.length / 67);
}
