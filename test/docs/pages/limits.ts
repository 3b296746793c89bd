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

/** The numbers of the nodes that no field changes: the part of docs/reference/operations.md, what they limit, and each. */
export const LIMITS: Record<string, [string, string][]> = {
  limitsOfSends: [
    [
      'Longest pause; if the service asks for a longer one, the run ends',
      seconds(sendPace.MAX_PAUSE_MS),
    ],
    ['Unclear answers in a row, before the run pauses', number(sendPace.UNCLEAR_BEFORE_PAUSE)],
    ['Unclear answers in a row, before the run ends', number(sendPace.UNCLEAR_BEFORE_STOP)],
    ['Idempotency keys of a workflow', number(keyStore.MAX_KEYS)],
    ['Keys from which a hint says that they are many', number(keyStore.NEARLY_FULL)],
    ['Keys recorded at once', number(keyStore.MAX_ADDED)],
    ['Keys released at once', number(keyStore.MAX_REMOVED)],
    ['Wait for the store of keys', seconds(keyStore.STORE_TIMEOUT_MS)],
    [
      'Texts of an item that are no phone numbers, before all of it is rejected',
      number(MAX_INVALID),
    ],
    ['Failed items that an error names', number(MAX_NAMED)],
    ['Messages of a run to one number, above which a hint names it', number(USUAL_PER_NUMBER)],
    ['Characters of a text that is one segment (estimate)', number(SINGLE_SEGMENT)],
    ['Characters of each segment of a longer text (estimate)', number(LONG_SEGMENT)],
  ],
  limitsOfPulls: [
    ['Wait for the answer to a pull', seconds(PULL_TIMEOUT_MS)],
    ['Wait for news of an execution, before the next page', seconds(GRACE_STEPS * GRACE_STEP_MS)],
    ['Longest poll, where n8n sets no limit', seconds(MAX_BUDGET_MS)],
    ['Part of it in which pages are asked for', seconds(MAX_BUDGET_MS - LAST_PAGE_MS)],
    ['Pages handed over and not confirmed', number(ledger.MAX_UNCONFIRMED)],
    ['Time after which a page counts as confirmed', seconds(ledger.CONFIRMED_AFTER_MS)],
    [
      'Time without a report of an execution, after which its page comes again (Repeat Failed Executions)',
      seconds(ledger.REPORT_LOST_AFTER_MS),
    ],
    ['Latest records of which none comes twice', number(MIN_SIZE)],
    ['Pause after "too fast", if the service names none', seconds(turns.TOO_FAST_WAIT_MS)],
    ['Longest pause that the service can ask for', seconds(turns.MAX_WAIT_MS)],
    ['Polls in a row with only "too fast", before an error', number(MAX_POLLS_TOO_FAST)],
    ['Polls in a row that do not catch up, before an error', number(MAX_POLLS_BEHIND)],
    ['Pages of Pull Until Empty', number(MAX_PULLS)],
  ],
  limitsOfLists: [
    [
      'Records in a page of a list to choose from, and of a search for one record',
      number(SMALL_PAGE_SIZE),
    ],
    ['Pages of a list that never ends', number(MAX_PAGES)],
  ],
  limitsOfAnswers: [
    ['Characters kept of a message, a code or a request ID', number(MAX_WORDS_LENGTH)],
    [
      'Characters kept of further fields in the answer to a send, as JSON',
      number(MAX_OTHERS_LENGTH),
    ],
    [
      'Characters of a secret, from which it is hidden in the data of records',
      number(MIN_LENGTH_IN_RECORDS),
    ],
    ['Lists and objects in each other, in an answer that can be read', number(MAX_JSON_NESTING)],
  ],
};

export function number(value: number): string {
  return value.toLocaleString('en-US');
}

function seconds(milliseconds: number): string {
  return `${number(milliseconds / 1000)} s`;
}
