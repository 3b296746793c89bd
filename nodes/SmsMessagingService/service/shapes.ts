import { UserError } from 'n8n-workflow';
import { isObject } from './json';

/** The shape of an answer, without its data: the top-level keys, or its type. */
function describeShape(answer: unknown): string {
  if (Array.isArray(answer)) return `an array of ${answer.length}`;
  if (!isObject(answer)) return typeof answer;
  const keys = Object.keys(answer);
  return keys.length === 0 ? 'an empty object' : `an object with ${keys.join(', ')}`;
}

/**
 * The error for an answer that is valid JSON, but not what the specification shows. It names keys, never
 * data.
 *
 * @param consequence what it means for the user, where the request may have changed something
 */
export function unexpectedShape(answer: unknown, expected: string, consequence = ''): UserError {
  return new UserError(
    `The service's answer is not of the expected shape: it is ${describeShape(answer)}`,
    {
      description: `Expected ${expected}. Check that the Base URL belongs to this service, and whether the operator's manual shows another answer.${consequence && ` ${consequence}`}`,
    },
  );
}
