import { UserError } from 'n8n-workflow';
import { adviceIn } from './advice';
import type { Task } from './advice';
import { isObject } from './json';

const MAX_NAMES = 20;

function describeShape(answer: unknown): string {
  if (Array.isArray(answer)) return `an array of ${answer.length}`;
  if (!isObject(answer)) return typeof answer;
  const keys = Object.keys(answer);
  // Any other key may be data, such as a phone number.
  const names = keys.filter((key) => /^[a-z_]\w{0,40}$/i.test(key)).slice(0, MAX_NAMES);
  const others = names.length < keys.length ? ['other keys'] : [];
  return keys.length === 0
    ? 'an empty object'
    : `an object with ${[...names, ...others].join(', ')}`;
}

/** Says that an answer is valid JSON, but not what the specification shows. It never quotes data. */
export function unexpected(answer: unknown): string {
  return `The service's answer is not of the expected shape: it is ${describeShape(answer)}`;
}

export function shapeError(answer: unknown, task: Task, expected: string): UserError {
  const description = adviceIn('unexpected', { task, names: { expected } });
  return new UserError(unexpected(answer), { description });
}
