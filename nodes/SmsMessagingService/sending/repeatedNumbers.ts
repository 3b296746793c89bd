import { PHONE_NUMBERS } from '../parameters/phoneNumbers';
import { sentences } from '../service/sentences';
import type { SendRun } from './run';

/** The messages to one number that many services take in an hour. A run with more is probably a mistake. */
export const USUAL_PER_NUMBER = 5;

/**
 * What somebody must look at if one phone number gets many messages of a run. Where 'Phone Numbers' is the
 * same for all of several items, two messages are many. Undefined if there is no such number.
 *
 * @param phoneNumbers one for each message
 */
export function describeRepeated(phoneNumbers: string[], run: SendRun): string | undefined {
  const isFixed = run.hasFixedNumbers && run.itemCount > 1;
  const usual = isFixed ? 1 : USUAL_PER_NUMBER;
  const counts = new Map<string, number>();
  for (const each of phoneNumbers) counts.set(each, (counts.get(each) ?? 0) + 1);
  const many = [...counts].filter(([, count]) => count > usual);
  const [most] = many.sort(([, one], [, other]) => other - one);
  if (most === undefined) return undefined;
  const [phoneNumber, count] = most;
  return sentences(
    many.length === 1
      ? `One phone number gets ${count} messages: ${phoneNumber}`
      : `${many.length} phone numbers get more than ${usual} message${isFixed ? '' : 's'} each, up to ${count} for ${phoneNumber}`,
    isFixed
      ? `'${PHONE_NUMBERS}' is the same for all items: if each item has a number of its own, map it there`
      : `If that is wrong, check the expression in '${PHONE_NUMBERS}'`,
  );
}
