import { HOUR_MS } from './drain';
import { givenAgain } from './pullPage';
import { sizeFieldOf, TRIGGER_OPTIONS } from './triggerFields';
import type { PollSettings } from './triggerFields';
import type { Queue } from './triggerState';

/* What nobody would see otherwise: records that do not come, or come no more. */

/** After so many polls in a row, what they count is an error. */
export const MAX_POLLS_TOO_FAST = 10;
export const MAX_POLLS_REPEATED = 10;
export const MAX_POLLS_BEHIND = 3;

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
