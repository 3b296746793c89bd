import type { Unanswered } from './answer';
import { CODE_LISTS, CUSTOM_CODES, NO_FIELD, OTHER_CODES } from './resultCodes';
import { sentences } from './sentences';
import { is2xx } from './statement';

/*
 * What a user can do if a request gave nothing that can be used: one table, by situation and by what the
 * request was for. The likeliest cause comes first, in two sentences at most. Advice on a send never says that a
 * refusal may mean success: who sends again pays again.
 */

/** What requests are for. `account`: only the credential decides. */
export const TASKS = {
  send: ['template', 'custom'],
  pull: ['pull', 'trigger'],
  change: ['created', 'updated', 'deleted'],
  read: ['get', 'list', 'balance', 'account', 'picker'],
} as const;

type Group = keyof typeof TASKS;
export type Task = (typeof TASKS)[Group][number];

export interface Asked {
  task: Task;
  /** Whether the specification does not show its path and fields. */
  isGuess?: boolean;
  isMany?: boolean;
  arrived?: keyof typeof ARRIVED;
  /** What the specification says about the operation: the likeliest cause of a refusal. */
  warning?: string;
  /** What stands for `{name}` in the advice. */
  names?: Record<string, unknown>;
}

/** One text, or texts by task or group. `guess`: if path and fields are guesses. */
type Advice = string | (Partial<Record<Task | Group | 'guess', string>> & { others: string });

/* Facts that stand before the advice. */
const UNCHANGED = 'Nothing was changed';
const ARRIVED = {
  records: 'The records in the answer are handed over',
  unreadable: 'The answer is an item with the event "unreadable": it may hold records',
  balance: '',
};

export const ADVICE_UNKNOWN =
  'Look at the delivery reports, or ask your SMS provider, before you send again.';
const MAY_BE_CHANGED =
  'The change may have been made: look at the service before you make it again.';
const MAY_BE_LOST =
  "The service may have handed over {plural} that did not arrive: if this happens often, increase 'Timeout' or lower '{sizeField}'.";
const BASE_URL =
  "Check the credential's Base URL: it must be the address that your SMS provider gave you, with its path prefix if it has one.";
const KEYS = 'Check API Key, API Secret and Custom Request Signing in the credential.';
const IN_LIST = "Code {code} is among '{list}' of the credential.";
const inCredential = (list: keyof typeof CODE_LISTS) =>
  `to '${CODE_LISTS[list].label}' under '${CUSTOM_CODES}' in the credential`;
const IF_SUCCESS = `If code {code} means success, add it ${inCredential('success')}`;
const IF_EMPTY = `If code {code} means that no {plural} are waiting, add it ${inCredential('empty')}.`;

const REFUSED = {
  template:
    "Check that template {template} is enabled and has passed its review, that 'Signature' fits it, and then the parameters and 'Phone Numbers'.",
  custom: "Check 'Signature', 'Content' and 'Phone Numbers'.",
  created: "Check the values, and what else your provider's manual requires.",
  updated: "Check '{record}' and the values under 'Update Fields'.",
  deleted: "Check '{record}', and whether something still uses it.",
  guess:
    "The path and fields of this operation are guesses: give those of your provider's manual in 'Endpoint Path' and 'Extra Fields (JSON)' under Options.",
  account: KEYS,
};

export const ADVICE = {
  needsHttp:
    "If the service has no https, the credential's Base URL must start with http://, with Allow HTTP on; otherwise check its port.",
  unreachable: "Check the credential's Base URL, and that this n8n can reach the service.",
  // What was asked for is there, beside a code that is none of success.
  arrived: `${IF_SUCCESS}.`,
  // A web page, or a redirect after which the request may have been done.
  elsewhere: {
    send: `${ADVICE_UNKNOWN} Check the credential's Base URL.`,
    pull: "Check the credential's Base URL: if it is right, {plural} may be lost.",
    change: `${MAY_BE_CHANGED} Check the credential's Base URL.`,
    others: BASE_URL,
  },
  unclearCode: {
    send: `${ADVICE_UNKNOWN} ${IN_LIST}`,
    pull: `${IF_EMPTY} Otherwise {plural} may be lost.`,
    change: `${MAY_BE_CHANGED} ${IN_LIST}`,
    others: `Try again later. ${IN_LIST}`,
  },
  unclear: {
    send: ADVICE_UNKNOWN,
    pull: MAY_BE_LOST,
    change: MAY_BE_CHANGED,
    others:
      "The service may be out of order: try again later. If it never works, check the credential's Base URL.",
  },
  throttled: {
    send: "Wait a moment and run again; if it happens often, set a lower 'Max Concurrency' under Options.",
    trigger:
      'If this happens often, let the trigger poll less often, or ask your SMS provider how often records may be pulled.',
    others: 'Wait a moment and try again.',
  },
  unauthorised: KEYS,
  redirected:
    "Set the credential's Base URL to the address that the service redirects to, up to /sendsms or /openapi.",
  unknownAddress: {
    guess:
      "The path of this operation is a guess: set 'Endpoint Path' under Options to the one in your provider's manual, and check the credential's Base URL.",
    trigger: BASE_URL,
    account: BASE_URL,
    picker:
      'Check the credential\'s Base URL; if it is right, choose "By ID": your SMS provider may have this list at another address.',
    others:
      "Check the credential's Base URL; if other operations work, set 'Endpoint Path' under Options to the path in your provider's manual.",
  },
  // The code is an HTTP status of success, beside one: many services repeat it so.
  likeStatus: {
    send: 'Look at the delivery reports before you send again: code {code} is in no list of the credential.',
    others: `${IF_SUCCESS}, because the request was done then.`,
  },
  usualCode: { pull: `{usual}. ${IF_EMPTY}`, others: '{usual}.' },
  refusedCode: {
    ...REFUSED,
    pull: IF_EMPTY,
    others: `If every operation is rejected, check the keys and Custom Request Signing in the credential, and whether code {code} belongs to '${CODE_LISTS.success.label}' there.`,
  },
  refused: {
    ...REFUSED,
    others:
      'If every operation is rejected, check the credential, also its Custom Request Signing.',
  },
  // Said after a refusal of several messages, or of a page.
  tooMany: {
    send: "One message can cost all: lower 'Batch Size' under Options.",
    pull: "If fewer {plural} come at a time, lower '{sizeField}'.",
    others: "If the page is too large, lower 'Page Size' under Options.",
  },
  // The service did not refuse, but its answer has another shape.
  unexpected: {
    change:
      'The service did not reject the request: look there before you repeat the operation, because it may have been done. Expected {expected}.',
    others:
      "Expected {expected}: check the Base URL, and whether your provider's manual shows another answer.",
  },
  silent: `It does not say that no {plural} are waiting. If your provider answers so when none are, add the word ${NO_FIELD} ${inCredential('empty')}.`,
  notInCharset:
    'Each of its characters is a byte (Latin-1): ask your SMS provider to name the charset in the header Content-Type.',
} satisfies Record<string, Advice>;

export type Situation = keyof typeof ADVICE;

/** What codes in no list often mean: in the public manual from which `resultCodes.ts` has its defaults. */
export const USUAL: Record<string, string> = {
  1: 'Code 1 often means a wrong key: check the keys and Custom Request Signing in the credential',
  15: 'Code 15 often means that the balance of the account is used up',
  10006: 'Code 10006 often means that the account has no channel: ask your SMS provider',
};

/** Of what was not done: the first situation whose test is passed. Otherwise it is `refused`. */
const TESTS: readonly (readonly [Situation, (problem: Unanswered) => boolean])[] = [
  ['needsHttp', ({ needs }) => needs === 'http'],
  ['unreachable', ({ kind }) => kind === 'unreachable'],
  ['throttled', ({ kind }) => kind === 'throttled'],
  ['unauthorised', ({ httpStatus }) => isUnauthorised(httpStatus)],
  ['redirected', ({ isRedirect }) => isRedirect === true],
  ['unknownAddress', ({ httpStatus }) => httpStatus === 404],
  ['likeStatus', (is) => isOther(is) && is2xx(Number(is.code))],
  ['usualCode', ({ code, codeMeaning }) => codeMeaning === 'other' && String(code) in USUAL],
  ['refusedCode', ({ codeMeaning }) => codeMeaning === 'other'],
];

function situationInDoubt(problem: Unanswered, { arrived }: Asked): Situation {
  const { httpStatus, body, isRedirect, codeMeaning } = problem;
  if (isRedirect || (is2xx(httpStatus) && body === undefined)) return 'elsewhere';
  return !arrived && (codeMeaning === 'unclear' || isOther(problem)) ? 'unclearCode' : 'unclear';
}

export function situationOf(problem: Unanswered, asked: Asked): Situation {
  const { kind, code, httpStatus = 0 } = problem;
  if (asked.arrived && code !== undefined && httpStatus < 500) return 'arrived';
  if (kind === 'unclear') return situationInDoubt(problem, asked);
  return TESTS.find(([, applies]) => applies(problem))?.[0] ?? 'refused';
}

/** Whether the service rejected the account, not the request. */
export function isUnauthorised(httpStatus?: number): boolean {
  return httpStatus === 401 || httpStatus === 403;
}

/** Whether a code in no list decides what the answer means. */
function isOther({ httpStatus, codeMeaning }: Unanswered): boolean {
  return is2xx(httpStatus) && codeMeaning === 'other';
}

export function adviceOn(problem: Unanswered, asked: Asked): string {
  const { code, codeMeaning } = problem;
  const { label: list } = codeMeaning === 'unclear' ? CODE_LISTS.unclear : OTHER_CODES;
  const names = { ...asked.names, code, list, usual: USUAL[String(code)] };
  return adviceIn(situationOf(problem, asked), { ...asked, names });
}

const OPEN: Situation[] = ['elsewhere', 'unclearCode', 'unclear', 'likeStatus', 'unexpected'];

export function adviceIn(situation: Situation, asked: Asked): string {
  const { task, arrived, isMany, warning, names = {} } = asked;
  const isRefusal = situation === 'refused' || situation === 'refusedCode';
  const isUnchanged = groupOf(task) === 'change' && !OPEN.includes(situation);
  const text = sentences(
    arrived && ARRIVED[arrived],
    isUnchanged && UNCHANGED,
    (isRefusal && warning) || textFor(asked, ADVICE[situation]),
    isRefusal && isMany && textFor(asked, ADVICE.tooMany),
  );
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(names[name]));
}

function textFor({ task, isGuess }: Asked, advice: Advice): string | undefined {
  if (typeof advice === 'string') return advice;
  const owners = [isGuess ? 'guess' : task, task, groupOf(task), 'others'] as const;
  return owners.map((owner) => advice[owner]).find(Boolean);
}

function groupOf(task: Task): Group {
  const groups = Object.keys(TASKS) as Group[];
  return groups.find((group) => TASKS[group].includes(task as never)) as Group;
}
