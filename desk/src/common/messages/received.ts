import { signedText } from '../../nodes/text';
import { fillPlaceholders } from '../../nodes/placeholders';

/** How many segments of a text are billed, by the usual rule: 70 characters, or 67 each in a longer text. */
export { countSegments as segmentsOf } from '../../nodes/text';

/**
 * A text as the customer gets it: with the values of its parameters, and the signature in brackets before it.
 * @param parameters by name: an object, or its JSON text. A parameter without a value stays as it is.
 * @param signature Its name, with or without brackets. Empty if it is not known.
 */
export function received(content: string, parameters: unknown, signature = ''): string {
  const values = Object.entries(objectOf(parameters)).map(([name, value]) => [
    name,
    String(value ?? ''),
  ]);
  const filled = fillPlaceholders(content, Object.fromEntries(values));
  return signature === '' ? filled : signedText(signature, filled);
}

function objectOf(parameters: unknown): object {
  try {
    const read: unknown = typeof parameters === 'string' ? JSON.parse(parameters) : parameters;
    return Object(read ?? {}) as object;
  } catch {
    return {};
  }
}
