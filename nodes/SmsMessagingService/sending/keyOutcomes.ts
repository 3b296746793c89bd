import { insideSentence } from '../service/sentences';
import { MAX_KEYS } from './keyStore';
import type { Outcome } from './outcome';

/** Marks the keys of this package: nodes of other kinds may keep values in the workflow's list too. */
export const KEY_PREFIX = 'smsMessagingService:';

const shown = (key: string) => key.slice(KEY_PREFIX.length);

/** An earlier execution, or another node of the workflow, has stored the key. */
export function usedBefore(key: string): Outcome {
  return {
    status: 'skipped',
    msg: `Not sent: the idempotency key "${shown(key)}" was used before in this workflow`,
  };
}

/** It is not known whether an earlier try of this execution stored the key. */
export function notClearWhose(key: string): Outcome {
  return {
    status: 'unknown',
    msg: `The idempotency key "${shown(key)}" is in n8n's store, and it is not known who recorded it`,
    advice:
      'An earlier try of this execution may have recorded it and sent nothing. If no earlier execution has sent this item, send it again with another key.',
  };
}

export function notStored(reason: string): Outcome {
  return {
    status: 'rejected',
    msg: `The idempotency key could not be recorded (${insideSentence(reason)})`,
    advice:
      'n8n keeps the keys with the saved workflow, so save it first. If the workflow has a Remove Duplicates node with the scope Workflow, set its scope to Node.',
  };
}

/** The same outcome, with a warning that the key is still in the store. */
export function withKeptKey(outcome: Outcome, key: string): Outcome {
  return {
    ...outcome,
    warning: `n8n's store still holds the idempotency key "${shown(key)}". Another execution skips the item, unless it has another key.`,
  };
}

/** The same outcome, with a warning that the key may be in the store. */
export function withUnclearKey(outcome: Outcome, key: string): Outcome {
  return {
    ...outcome,
    warning: `n8n's store may hold the idempotency key "${shown(key)}" now. If a later execution skips the item, use another key.`,
  };
}

/** A store that is nearly full. From here on n8n drops the oldest key for each new one. */
export const NEARLY_FULL = 0.9 * MAX_KEYS;

/** @param stored number of keys in the store. Undefined: not known */
export function describeFullStore(stored = 0): string | undefined {
  if (stored < NEARLY_FULL) return undefined;
  return `n8n keeps ${MAX_KEYS} idempotency keys for a workflow, and then drops the oldest for each new one. ${stored} are in use: soon an item whose key was dropped is sent again.`;
}
