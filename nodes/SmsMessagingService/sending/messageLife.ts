/*
 * The life of a message as a table, and nothing else: `next` gives the state after something has happened.
 * `messages.ts` keeps the states of a run, and carries out what they say.
 */

export type State =
  | 'planned' // it is to be sent
  | 'underWay' // a request has it
  | 'accepted' // the service has accepted it
  | 'refused' // the service has said no: not sent, and not tried again by this execution
  | 'unsent' // it was certainly not sent, and may be tried again
  | 'unknown' // it may have been sent
  | 'skipped' // its idempotency key was used before
  | 'unclearKey'; // nobody knows who has used its idempotency key

export type Happening =
  | 'heldBack' // it is not tried
  | 'keyUsed' // its idempotency key was used before
  | 'keyUnclear' // its idempotency key was used, perhaps by an earlier try of this execution
  | 'requested' // a request is made
  | 'accepted' // the service accepts the request
  | 'refused' // it says no
  | 'throttled' // it asks to slow down
  | 'unreachable' // no connection was opened
  | 'unclear' // the request may have been accepted
  | 'triedAgain' // n8n runs the node again in the same execution
  | 'runAgain'; // a user does, with another execution: "Retry execution"

const again = (triedAgain: State, runAgain = triedAgain) => ({ triedAgain, runAgain });

/** State → what happens → the state after it. Nothing else can happen. */
export const TABLE: Record<State, Partial<Record<Happening, State>>> = {
  planned: {
    heldBack: 'unsent',
    keyUsed: 'skipped',
    keyUnclear: 'unclearKey',
    requested: 'underWay',
    ...again('planned'),
  },
  underWay: {
    accepted: 'accepted',
    refused: 'refused',
    throttled: 'planned',
    unreachable: 'planned',
    unclear: 'unknown',
    ...again('unknown'),
  },
  accepted: again('accepted'),
  refused: again('refused', 'planned'),
  unsent: again('planned'),
  unknown: again('unknown'),
  skipped: again('planned'),
  unclearKey: again('planned'),
};

/** @throws Error if this cannot happen in the state */
export function next(state: State, happening: Happening): State {
  const after = TABLE[state][happening];
  if (!after) throw new Error(`A message that is ${state} cannot be ${happening}`);
  return after;
}

/**
 * What the output says of a message:
 *
 * - `accepted`: the service accepted it;
 * - `rejected`: it was certainly not sent, and may be sent again;
 * - `unknown`: it may have been accepted, so a person must look before it is sent again;
 * - `skipped`: it was not sent, because its idempotency key was used before.
 */
export type Status = 'accepted' | 'rejected' | 'unknown' | 'skipped';

const STATUS: Partial<Record<State, Status>> = {
  accepted: 'accepted',
  refused: 'rejected',
  unsent: 'rejected',
  unknown: 'unknown',
  skipped: 'skipped',
  unclearKey: 'unknown',
};

/** @throws TypeError for a state in which no run ends, which would be a bug of this package */
export function statusOf(state: State): Status {
  const status = STATUS[state];
  if (!status) throw new TypeError(`A message was left ${state}`);
  return status;
}

/** Whether it was sent or may have been. */
export const isSent = (state: State) => state === 'accepted' || state === 'unknown';

/** Whether it certainly was not sent, and nothing will send it. */
export const isUnsent = (state: State) => STATUS[state] === 'rejected';
