import { MAX_INVALID } from '../../../nodes/SmsMessagingService/parameters/phoneNumbers';
import { PULL_TIMEOUT_MS } from '../../../nodes/SmsMessagingService/receiving/pullPage';
import { GRACE_STEP_MS, GRACE_STEPS } from '../../../nodes/SmsMessagingService/receiving/handOver';
import * as turns from '../../../nodes/SmsMessagingService/receiving/pullTurns';
import * as ledger from '../../../nodes/SmsMessagingService/receiving/pageLedger';
import { LAST_PAGE_MS, MAX_BUDGET_MS } from '../../../nodes/SmsMessagingService/receiving/poll';
import {
  MAX_POLLS_BEHIND,
  MAX_POLLS_TOO_FAST,
} from '../../../nodes/SmsMessagingService/receiving/productionPoll';
import { MAX_PAGES as MAX_PULLS } from '../../../nodes/SmsMessagingService/receiving/pullOperation';
import { MIN_SIZE } from '../../../nodes/SmsMessagingService/receiving/recordMemory';
import * as keyStore from '../../../nodes/SmsMessagingService/sending/keyStore';
import { LONG_SEGMENT, SINGLE_SEGMENT } from '../../../nodes/SmsMessagingService/sending/text';
import * as sendPace from '../../../nodes/SmsMessagingService/sending/pace';
import { USUAL_PER_NUMBER } from '../../../nodes/SmsMessagingService/sending/repeatedNumbers';
import { MAX_NAMED } from '../../../nodes/SmsMessagingService/sending/runError';
import { MAX_JSON_NESTING } from '../../../nodes/SmsMessagingService/service/json';
import { MAX_OTHERS_LENGTH } from '../../../nodes/SmsMessagingService/service/messageBatch';
import { MAX_PAGES, SMALL_PAGE_SIZE } from '../../../nodes/SmsMessagingService/service/pages';
import { MIN_LENGTH_IN_RECORDS } from '../../../nodes/SmsMessagingService/service/secrets';
import { MAX_WORDS_LENGTH } from '../../../nodes/SmsMessagingService/service/statement';

/**
 * The numbers of the nodes that no field changes, in the order of the last part of docs/reference/operations.md:
 * how its line begins, and the limit.
 */
export const LIMITS: [string, string][] = [
  // Sends
  ['Longest pause', seconds(sendPace.MAX_PAUSE_MS)],
  ['Unclear answers in a row, before the run pauses', number(sendPace.UNCLEAR_BEFORE_PAUSE)],
  ['Unclear answers in a row, before the run ends', number(sendPace.UNCLEAR_BEFORE_STOP)],
  ['Idempotency keys that n8n holds', number(keyStore.MAX_KEYS)],
  ['Idempotency keys from which a hint says', number(keyStore.NEARLY_FULL)],
  ['Idempotency keys that are recorded at once', number(keyStore.MAX_ADDED)],
  ['Idempotency keys that are released at once', number(keyStore.MAX_REMOVED)],
  ['Wait for the store of idempotency keys', seconds(keyStore.STORE_TIMEOUT_MS)],
  ['Texts of an item that are no phone numbers', number(MAX_INVALID)],
  ['Failed items that an error names', number(MAX_NAMED)],
  ['Messages of a run to one phone number', number(USUAL_PER_NUMBER)],
  ['Characters of a text that is one segment', number(SINGLE_SEGMENT)],
  ['Characters of each segment of a longer text', number(LONG_SEGMENT)],
  // The trigger and pulls
  ['Wait for the answer to a pull', seconds(PULL_TIMEOUT_MS)],
  ['Wait for news of an execution', seconds(GRACE_STEPS * GRACE_STEP_MS)],
  ['Longest poll', seconds(MAX_BUDGET_MS)],
  ['Part of the longest poll in which pages are asked for', seconds(MAX_BUDGET_MS - LAST_PAGE_MS)],
  ['Pages handed over and not confirmed', number(ledger.MAX_UNCONFIRMED)],
  ['Time after which a page counts as confirmed', seconds(ledger.CONFIRMED_AFTER_MS)],
  ['Time without a report of an execution', seconds(ledger.REPORT_LOST_AFTER_MS)],
  ['Latest records of which none comes twice', number(MIN_SIZE)],
  ['Pause after "too fast"', seconds(turns.TOO_FAST_WAIT_MS)],
  ['Longest pause that the service can ask for', seconds(turns.MAX_WAIT_MS)],
  ['Polls in a row with nothing but "too fast"', number(MAX_POLLS_TOO_FAST)],
  ['Polls in a row that do not catch up', number(MAX_POLLS_BEHIND)],
  ['Pages of Pull Until Empty', number(MAX_PULLS)],
  // Lists
  ['Records in a page of a list to choose from', number(SMALL_PAGE_SIZE)],
  ['Pages of a list that never ends', number(MAX_PAGES)],
  // Answers
  ['Characters that are kept of a message', number(MAX_WORDS_LENGTH)],
  ['Characters that are kept of further fields', number(MAX_OTHERS_LENGTH)],
  ['Characters of a secret', number(MIN_LENGTH_IN_RECORDS)],
  ['Lists and objects in each other', number(MAX_JSON_NESTING)],
];

export function number(value: number): string {
  return value.toLocaleString('en-US');
}

function seconds(milliseconds: number): string {
  return `${number(milliseconds / 1000)} s`;
}
