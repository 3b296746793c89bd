import { countSegments, signedText } from '../../nodes/text';
import { fillPlaceholders } from '../../nodes/placeholders';
import type { Fields } from '../../../../builder/code/n8n';

/**
 * A text as the customer gets it: with the values of its parameters, and the signature in brackets before it.
 * @param parameters by name: an object, or its JSON text. A parameter without a value stays as it is.
 * @param signature Its name, with or without brackets. Empty if it is not known.
 */
export function received(content: string, parameters: unknown, signature = ''): string {
  const filled = fillPlaceholders(content, valuesOf(parameters));
  return signature === '' ? filled : signedText(signature, filled);
}

/** How many segments of a text are billed, by the usual rule: 70 characters, or 67 each in a longer text. */
export function segmentsOf(text: string): number {
  return countSegments(text);
}

/** The parameters with their values as text. Empty if they are no object. */
function valuesOf(parameters: unknown): Record<string, string> {
  const entries = Object.entries(objectOf(parameters) ?? {});
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value ?? '')]));
}

function objectOf(parameters: unknown): Fields | undefined {
  if (typeof parameters !== 'string') return parameters as Fields | undefined;
  try {
    return JSON.parse(parameters || '{}') as Fields;
  } catch {
    return undefined;
  }
}
