import { GRACE_STEP_MS, GRACE_STEPS } from '../../../nodes/SmsMessagingService/n8n/executions';
import * as turns from '../../../nodes/SmsMessagingService/receiving/pullTurns';
import * as ledger from '../../../nodes/SmsMessagingService/receiving/ledger';
import { LAST_PAGE_MS, MAX_BUDGET_MS } from '../../../nodes/SmsMessagingService/receiving/poll';
import { MAX_AGAIN } from '../../../nodes/SmsMessagingService/receiving/productionPoll';
import * as told from '../../../nodes/SmsMessagingService/receiving/told';
import { MAX_PULL_TIMEOUT_MS } from '../../../nodes/SmsMessagingService/receiving/triggerFields';
import { ALONE_AGAIN_MS } from '../../../nodes/SmsMessagingService/receiving/recordLife';
import { MAX_PULLS } from '../../../nodes/SmsMessagingService/receiving/pullOperation';
import {
  FORGOTTEN_AFTER_MS,
  MIN_SIZE,
} from '../../../nodes/SmsMessagingService/receiving/recordMemory';
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
    ['Keys from which a hint says that they are many', number(keyStore.MANY_KEYS)],
    ['Keys recorded at once', number(keyStore.MAX_ADDED)],
    ['Keys released at once', number(keyStore.MAX_REMOVED)],
    ['Wait for the store of keys', seconds(keyStore.STORE_TIMEOUT_MS)],
    ['Batch IDs that an error names', number(MAX_NAMED)],
    ['Messages of a run to one number, above which a hint names it', number(USUAL_PER_NUMBER)],
    ['Characters of a text that is one segment (estimate)', number(SINGLE_SEGMENT)],
    ['Characters of each segment of a longer text (estimate)', number(LONG_SEGMENT)],
  ],
  limitsOfPulls: [
    ['Largest Timeout of the trigger', seconds(MAX_PULL_TIMEOUT_MS)],
    [
      'Wait for news of the executions of a page, before the next one',
      seconds(GRACE_STEPS * GRACE_STEP_MS),
    ],
    ['Longest poll, where n8n sets no limit', seconds(MAX_BUDGET_MS)],
    ['Part of it that is left when a page is asked for, beside Timeout', seconds(LAST_PAGE_MS)],
    ['Executions that n8n was given and has not confirmed', number(ledger.MAX_UNCONFIRMED)],
    ['Time after which an execution counts as started', seconds(ledger.CONFIRMED_AFTER_MS)],
    ['Records that are kept, in Pull Sizes of at least 100', number(ledger.MAX_KEPT)],
    ['Latest records of which none comes twice', number(MIN_SIZE)],
    ['Time after which a record without a time is a new one', seconds(FORGOTTEN_AFTER_MS)],
    ['Pause after "too fast", if the service names none', seconds(turns.TOO_FAST_WAIT_MS)],
    ['Longest pause that the service can ask for', seconds(turns.MAX_WAIT_MS)],
    ['Polls in a row with only "too fast", before an error', number(told.MAX_POLLS_TOO_FAST)],
    ['Polls in a row that do not catch up, before an error', number(told.MAX_POLLS_BEHIND)],
    ['Polls in a row that get an answer again, before an error', number(told.MAX_POLLS_REPEATED)],
    ['Pages of Pull Until Empty', number(MAX_PULLS)],
  ],
  limitsOfRepetitions: [
    [
      'Time without a report of an execution, after which its records come alone',
      seconds(ledger.REPORT_LOST_AFTER_MS),
    ],
    ['Pauses while nothing works', ledger.NOTHING_WORKS_MS.map(minutes).join(', ')],
    ['Pauses of a record that fails by itself', ALONE_AGAIN_MS.map(minutes).join(', ')],
    ['Such records that come again in one poll', number(MAX_AGAIN)],
    [
      'Time after which such a record is given up, and tries that it needs',
      `${minutes(ledger.LEFT_AFTER_MS)}, ${ledger.MIN_TRIES}`,
    ],
    [
      'Such records above which the oldest is given up, in Pull Sizes of at least 100',
      number(ledger.MAX_FAILED),
    ],
    [
      'Records that are kept while nothing works, in Pull Sizes of at least 100',
      number(ledger.MAX_UNDECIDED),
    ],
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

function minutes(milliseconds: number): string {
  return `${number(milliseconds / 60_000)} min`;
}

function seconds(milliseconds: number): string {
  return `${number(milliseconds / 1000)} s`;
}
