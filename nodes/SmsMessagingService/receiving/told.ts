import type { Drained } from './drain';
import { givenAgain } from './pullPage';
import { sizeFieldOf, TRIGGER_OPTIONS } from './triggerFields';
import type { PollSettings } from './triggerFields';
import type { Queue } from './triggerState';

/* What nobody would see otherwise: records that do not come, or come no more. */

const HOUR_MS = 3_600_000;

/** After so many polls in a row, what they count is an error. */
export const MAX_POLLS_TOO_FAST = 10;
export const MAX_POLLS_REPEATED = 10;
export const MAX_POLLS_BEHIND = 3;

export interface Streaks {
  /** Polls that got nothing but "too fast", and what the service said. */
  tooFast: number;
  refusal?: Error;
  /** Polls in which the service gave an answer again, behind which others may stand. */
  repeated: number;
  /** Polls that did not catch up with the service, when the last one ended, and how old its newest record was. */
  behind: number;
  at: number;
  ageMs: number;
}

export const NO_STREAKS: Streaks = { tooFast: 0, repeated: 0, behind: 0, at: NaN, ageMs: NaN };

export function countPoll(before: Streaks, drained: Drained): Streaks {
  const { end, repeated, newestAt } = drained;
  const isTooFast = end === 'tooFast';
  const refusal = end === 'silent' ? before.refusal : isTooFast ? drained.refusal : undefined;
  const again = isTooFast || end === 'silent' ? before.repeated : 0;
  const at = Date.now();
  const ageMs = at - newestAt;
  const isBehind = end === 'more' && ageMs > HOUR_MS;
  // A large campaign that drains gets younger fast.
  const catchesUp = before.ageMs - ageMs > at - before.at;
  return {
    tooFast: refusal ? before.tooFast + 1 : 0,
    refusal,
    repeated: repeated === undefined ? again : before.repeated + 1,
    behind: isBehind ? (catchesUp ? 1 : before.behind + 1) : 0,
    at,
    ageMs,
  };
}

interface Complaint {
  about: string;
  /** By default, an hour. */
  everyMs?: number;
  message: string;
  description: string;
  onTold?: () => void;
}

/**
 * What to tell after a poll.
 *
 * @param isSaved whether n8n certainly keeps failed executions
 */
export function complaintsAbout(
  { event, ledger, streaks, drained }: Queue,
  settings: PollSettings,
  isSaved: boolean,
): Complaint[] {
  const { plural } = event;
  const { maxRecordsPerPoll, pullSize } = TRIGGER_OPTIONS;
  const { inVainSince, left } = ledger;
  const complaints: (Complaint | false | undefined)[] = [
    drained.repeated !== undefined &&
      streaks.repeated >= MAX_POLLS_REPEATED && {
        about: 'repeated',
        everyMs: 24 * HOUR_MS,
        ...givenAgain(event, drained.repeated, sizeFieldOf(settings)),
      },
    streaks.behind >= MAX_POLLS_BEHIND && {
      about: 'backlog',
      message: `The trigger does not catch up: the newest ${plural} that it got are over an hour old or say no time, and more are waiting`,
      description: `Let it poll more often, increase '${maxRecordsPerPoll.label}' and '${pullSize.label}', or make the workflow faster: the next page waits for the executions of the one before.`,
    },
    inVainSince !== undefined && {
      about: 'vain',
      message: `No execution with ${plural} has succeeded since ${new Date(inVainSince).toISOString()}`,
      description:
        'Their newest failed execution says why. The trigger tries again every 10 minutes at least, and gives nothing up. The service keeps the rest.',
    },
    ledger.isFull && {
      about: 'full',
      message: `The trigger keeps so many ${plural} that no more are pulled`,
      description:
        'Their executions have failed, or have not ended: the failed ones say why. The service keeps the rest.',
    },
    left.length > 0 && {
      about: 'left',
      message: `The trigger has given up ${left.length} of the ${plural}: the workflow fails with each of them, but not with others`,
      description: isSaved
        ? 'The newest failed execution of each can be run again. n8n deletes failed executions after 14 days, or when there are 10,000.'
        : `n8n keeps their failed executions for certain only if the workflow's settings say "Save" for failed production executions. So these are they: ${JSON.stringify(left.map(({ record }) => record))}.`,
      onTold: () => ledger.noteTold(left),
    },
  ];
  return complaints.filter((each) => !!each);
}
