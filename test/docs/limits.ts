import { DEFAULT_OPTIONS } from '../../nodes/SmsMessagingService/sending/options';
import { FIELDS } from './descriptions';
import { constant, numberIn } from './numbers';
import type { Fact } from './numbers';

const NODES = 'nodes/SmsMessagingService';
const inNodes = (file: string, name: string) => constant(`${NODES}/${file}.ts`, name);

const POLL = `${NODES}/receiving/poll.ts`;
const pullTimeout = inNodes('receiving/drain', 'PULL_TIMEOUT_MS') / 1000;
const longestPoll = inNodes('receiving/poll', 'MAX_BUDGET_MS') / 1000;
const handOverTime = numberIn(POLL, /LAST_PAGE_MS = PULL_TIMEOUT_MS \+ ([\d_]+)/) / 1000;
const graceMs = ['GRACE_STEPS', 'GRACE_STEP_MS'].map((name) => inNodes('receiving/handOver', name));
const unconfirmed = inNodes('receiving/pageLedger', 'MAX_UNCONFIRMED');
const confirmedAfter = inNodes('receiving/pageLedger', 'CONFIRMED_AFTER_MS') / 1000;

const CHECK = `${NODES}/sending/check.ts`;
const PHONES = `${NODES}/parameters/phoneNumbers.ts`;

const defaultOf = (name: string) => Number(FIELDS.find((field) => field.name === name)?.default);

/** What the pages say in numbers about the nodes, and what it is in the code. */
export const LIMITS: Record<string, Fact> = {
  'refusals in a row before a request is no longer divided': {
    says: [/after (\S+) refusals in a row/],
    is: inNodes('sending/divide', 'MAX_REFUSALS_IN_A_ROW'),
  },
  "characters of the service's words": {
    says: [/At most (\S+) characters of a message/],
    is: inNodes('service/statement', 'LONGEST_WORDS'),
  },
  'messages in a request': {
    says: [
      /travel together, (\S+) messages/,
      /A request carries (\S+) messages/,
      /travel in requests of (\S+),/,
    ],
    is: DEFAULT_OPTIONS.batchSize,
  },
  'requests at the same time': {
    says: [/(\S+) at a time, changed by Max Concurrency/, /Max Concurrency of the send \((\d+)\)/],
    is: DEFAULT_OPTIONS.maxConcurrency,
  },
  'seconds of Retry-After that are waited for': {
    says: [/asks for more than (a minute|\d+ s)/],
    is: inNodes('sending/backOff', 'MAX_PAUSE_MS') / 1000,
  },
  'characters of a secret that is masked in records': {
    says: [/only digits or fewer than (\d+) characters/],
    is: inNodes('service/secrets', 'MIN_LENGTH_IN_RECORDS'),
  },
  'keys in the deduplication store': {
    says: [/deduplication store, which holds (\S+) per workflow/],
    is: inNodes('sending/keyStore', 'MAX_KEYS'),
  },
  'characters of a single segment': {
    says: [/one up to (\d+) characters/, /(\d+) 字以内一条/],
    is: numberIn(CHECK, /length <= (\d+) \? 1/),
  },
  'characters of each further segment': {
    says: [/one (?:part )?per (\d+)/, /每 (\d+) 字一条/],
    is: numberIn(CHECK, /length \/ (\d+)/),
  },
  'digits of a mainland mobile': {
    says: [/(\d+) digits that start with/, /stored as (\d+) digits/],
    is: 2 + numberIn(PHONES, /MOBILE_NUMBER = .*\{(\d+)\}/),
  },
  'first digits of a mainland mobile, from': {
    says: [/starts? with (\d+) to \d+/],
    is: 10 + numberIn(PHONES, /MOBILE_NUMBER = \/\^1\[(\d)-/),
  },
  'first digits of a mainland mobile, to': {
    says: [/starts? with \d+ to (\d+)/],
    is: 10 + numberIn(PHONES, /MOBILE_NUMBER = \/\^1\[\d-(\d)/),
  },
  'digits of any number, at least': {
    says: [/Any: (\d+) to \d+ digits/],
    is: numberIn(PHONES, /isOther = .*\{(\d+),/),
  },
  'digits of any number, at most': {
    says: [/Any: \d+ to (\d+) digits/],
    is: numberIn(PHONES, /isOther = .*,(\d+)\}/),
  },
  'digits of a whole number beside another': {
    says: [/only numbers of (\d+) digits or more/],
    is: numberIn(PHONES, /WHOLE = (\d+)/),
  },
  'texts that are no phone numbers, in one item': {
    says: [/more than (\S+) texts that are no phone numbers/],
    is: numberIn(PHONES, /MAX_INVALID = (\S+);/),
  },
  'records that the trigger knows again': {
    says: [/latest (\S+) records/],
    is: inNodes('receiving/recordMemory', 'MIN_SIZE'),
  },
  'seconds for the answer to a pull': {
    says: [
      /at most (\d+) s for the service's answer/,
      /no answer (?:comes with)?in (\d+) s/,
      /断线、(\d+) 秒无响应/,
    ],
    is: pullTimeout,
  },
  'seconds until an execution has most likely started': {
    says: [/(\d+) s for the hand-over/, /After (\S+) seconds without news/],
    is: ((graceMs[0] ?? 0) * (graceMs[1] ?? 0)) / 1000,
  },
  'pages that are not confirmed': {
    says: [
      /database hangs too, (\w+)\./,
      /more than (\S+) pages within/,
      /while (\S+) pages of the last/,
    ],
    is: unconfirmed,
  },
  'seconds until a page counts as confirmed': {
    says: [/pages within (\d+) s/, /pages of the last (\d+) s/],
    is: confirmedAfter,
  },
  'seconds in which a poll asks for pages': {
    says: [/the time of a poll \((\d+) s/],
    is: longestPoll - pullTimeout - handOverTime,
  },
  'seconds of a poll': {
    says: [/the trigger's own, (\d+) s/, /last page may take until (\d+) s/],
    is: longestPoll,
  },
  'records in a page of the trigger': {
    says: [/回执和上行各最多丢一页，默认 (\d+) 条/, /a page of (\d+) reports/],
    is: defaultOf('pullSize'),
  },
  'records in a page of a picker': {
    says: [/each page of (\d+) that n8n loads/],
    is: inNodes('methods/searchRecords', 'PAGE_SIZE'),
  },
  'records in a page of Return All': {
    says: [/highest page_size\. Here: (\d+), halved/],
    is: inNodes('service/pages', 'MAX_PAGE_SIZE'),
  },
  'pages of a list that never ends': {
    says: [/ends after (\S+) pages with a hint/],
    is: inNodes('service/pageWalk', 'MAX_PAGES'),
  },
};
