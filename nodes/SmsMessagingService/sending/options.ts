import type { PhoneNumberFormat } from '../parameters/phoneNumbers';
import type { ParameterReader } from '../parameters/reader';
import { requireBoolean, requireInteger } from '../parameters/values';
import { LONGEST_TIMEOUT_MS } from '../service/client';

/** The options that hold for the whole run. */
export interface SendOptions {
  batchSize: number;
  /** Whether the run is planned and checked, and nothing is sent. */
  checkOnly: boolean;
  /** Whether the messages of a refused request are sent again in smaller ones. */
  dividesRefused: boolean;
  mergeDuplicates: boolean;
  phoneNumberFormat: PhoneNumberFormat;
  maxConcurrency: number;
  /** Most messages in one execution of the workflow. Infinity: no limit. */
  maxMessages: number;
  maxRetries: number;
  timeout: number;
}

export const DEFAULT_OPTIONS: SendOptions = {
  batchSize: 100,
  checkOnly: false,
  dividesRefused: false,
  mergeDuplicates: false,
  phoneNumberFormat: 'mainlandMobile',
  maxConcurrency: 4,
  maxMessages: Infinity,
  maxRetries: 3,
  timeout: 30_000,
};

/**
 * Reads the options from the first item, and Check Only from all: where it is on for one item, nothing is
 * sent for any.
 *
 * @throws UserError for a value that cannot be used
 */
export function readOptions(parameters: ParameterReader, itemCount: number): SendOptions {
  const option = (name: string, fallback: unknown) =>
    parameters.get(`options.${name}`, 0, fallback);
  const { batchSize, maxConcurrency, maxRetries, timeout, phoneNumberFormat } = DEFAULT_OPTIONS;
  const maxMessages = option('maxMessages', Infinity);
  const dividesRefused = option('refusedRequests', 'reject') === 'divide';
  return {
    batchSize: requireInteger('Batch Size', option('batchSize', batchSize)),
    checkOnly: readCheckOnly(parameters, itemCount),
    dividesRefused,
    mergeDuplicates: option('duplicateNumbers', 'allow') === 'merge',
    phoneNumberFormat:
      option('phoneNumberFormat', phoneNumberFormat) === 'any' ? 'any' : phoneNumberFormat,
    // The balance tells nothing about one request while another is under way.
    maxConcurrency: dividesRefused
      ? 1
      : requireInteger('Max Concurrency', option('maxConcurrency', maxConcurrency)),
    maxMessages:
      maxMessages === Infinity ? maxMessages : requireInteger('Max Messages per Run', maxMessages),
    maxRetries: requireInteger('Max Retries', option('maxRetries', maxRetries), 0),
    timeout: requireInteger('Timeout', option('timeout', timeout), 1, LONGEST_TIMEOUT_MS),
  };
}

function readCheckOnly(parameters: ParameterReader, itemCount: number): boolean {
  const name = 'options.checkOnly';
  const differs = parameters.isExpression(name, false);
  // Each value is read: one that cannot be used must not hide behind an earlier one.
  const values = Array.from({ length: differs ? itemCount : 1 }, (_, itemIndex) =>
    requireBoolean(
      'Check Only',
      parameters.get(name, itemIndex, false),
      differs ? ` of item ${itemIndex}` : '',
    ),
  );
  return values.includes(true);
}
