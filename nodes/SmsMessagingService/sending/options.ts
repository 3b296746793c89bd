import { Breather } from '../n8n/breather';
import type { PhoneNumberFormat } from '../parameters/phoneNumbers';
import type { ParameterReader } from '../parameters/reader';
import { requireBoolean, requireChoice, requireInteger } from '../parameters/values';
import { MAX_TIMEOUT_MS } from '../service/client';

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

/** The options of the run as the editor names them. Errors use the same words. */
export const LABELS = {
  batchSize: 'Batch Size',
  checkOnly: 'Check Only',
  duplicateNumbers: 'Duplicate Numbers',
  maxConcurrency: 'Max Concurrency',
  maxMessages: 'Max Messages per Run',
  maxRetries: 'Max Retries',
  phoneNumberFormat: 'Phone Number Format',
  refusedRequests: 'Refused Requests',
  timeout: 'Timeout',
} as const;

/**
 * Reads the options from the first item, and Check Only from all: where it is on for one item, nothing is
 * sent for any.
 *
 * @throws UserError for a value that cannot be used
 */
export async function readOptions(
  parameters: ParameterReader,
  itemCount: number,
): Promise<SendOptions> {
  const option = (name: string, fallback: unknown) =>
    parameters.get(`options.${name}`, 0, fallback);
  const { batchSize, maxConcurrency, maxRetries, timeout, phoneNumberFormat } = DEFAULT_OPTIONS;
  const maxMessages = option('maxMessages', Infinity);
  const refusedRequests = option('refusedRequests', 'reject');
  const dividesRefused =
    requireChoice(LABELS.refusedRequests, refusedRequests, REFUSED) === 'divide';
  return {
    batchSize: requireInteger(LABELS.batchSize, option('batchSize', batchSize)),
    checkOnly: await readCheckOnly(parameters, itemCount),
    dividesRefused,
    mergeDuplicates:
      requireChoice(LABELS.duplicateNumbers, option('duplicateNumbers', 'allow'), DUPLICATES) ===
      'merge',
    phoneNumberFormat: requireChoice(
      LABELS.phoneNumberFormat,
      option('phoneNumberFormat', phoneNumberFormat),
      FORMATS,
    ),
    // The balance tells nothing about one request while another is under way.
    maxConcurrency: dividesRefused
      ? 1
      : requireInteger(LABELS.maxConcurrency, option('maxConcurrency', maxConcurrency)),
    maxMessages:
      maxMessages === Infinity ? maxMessages : requireInteger(LABELS.maxMessages, maxMessages),
    maxRetries: requireInteger(LABELS.maxRetries, option('maxRetries', maxRetries), 0),
    timeout: requireInteger(LABELS.timeout, option('timeout', timeout), 1, MAX_TIMEOUT_MS),
  };
}

const REFUSED = ['reject', 'divide'] as const;

const DUPLICATES = ['allow', 'merge'] as const;

const FORMATS: readonly PhoneNumberFormat[] = ['mainlandMobile', 'any'];

async function readCheckOnly(parameters: ParameterReader, itemCount: number): Promise<boolean> {
  const name = 'options.checkOnly';
  const differs = parameters.isExpression(name, false);
  let isOn = false;
  const breather = new Breather();
  // Each value is read: one that cannot be used must not hide behind an earlier one.
  for (let itemIndex = 0; itemIndex < (differs ? itemCount : 1); itemIndex++) {
    const where = differs ? ` of item ${itemIndex}` : '';
    const value = parameters.get(name, itemIndex, false);
    isOn = requireBoolean(LABELS.checkOnly, value, where) || isOn;
    if (breather.isDue) await breather.pause();
  }
  return isOn;
}
