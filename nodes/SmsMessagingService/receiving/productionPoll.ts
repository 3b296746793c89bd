import { UserError } from 'n8n-workflow';
import type { INode, IPollFunctions } from 'n8n-workflow';
import { toNodeError } from '../n8n/errors';
import type { NodeError } from '../n8n/errors';
import type { ServiceClient } from '../service/client';
import { isObject } from '../service/json';
import { drain } from './drain';
import type { Drained } from './drain';
import { EVENTS, forEachEvent } from './events';
import type { EventDescription, EventName } from './events';
import { PageGiver, saveStaticData } from './handOver';
import { memoryIn, PageLedger } from './pageLedger';
import type { Storage } from './pageLedger';
import { givenAgain, pullPage } from './pullPage';
import type { PullRequest } from './pullPage';
import { TRIGGER_OPTIONS } from './triggerFields';
import type { PollSettings } from './triggerFields';
import { triggers } from './triggerState';
import type { EventState, TriggerState } from './triggerState';

/** What one poll did. */
export interface PollOutcome {
  /** Everything that went wrong, in one error. */
  failure?: NodeError;
  /** The most of it. `gave`: n8n has taken a page. `pulled`: an event was pulled without a failure. */
  did: 'gave' | 'pulled' | 'nothing';
}

/**
 * Hands over the left-overs of earlier polls, also of events that are no longer chosen. Then hands over
 * page by page what the service has of the chosen ones.
 *
 * @param shouldContinue asked before each page
 */
export async function pollForProduction(
  context: IPollFunctions,
  client: ServiceClient,
  settings: PollSettings,
  state: TriggerState,
  shouldContinue: () => boolean,
): Promise<PollOutcome> {
  const { events, pullSize, maxRecordsPerPoll } = settings;
  const { label: sizeField } =
    TRIGGER_OPTIONS[maxRecordsPerPoll < pullSize ? 'maxRecordsPerPoll' : 'pullSize'];
  const node = context.getNode();
  const request: PullRequest = { sizeField, task: 'trigger' };
  const turns = triggers.turnsOf(client.account);
  const data: unknown = context.getWorkflowStaticData('global');
  const storage = {
    // It may be anything if a user has edited it by hand. Then nothing is stored.
    data: isObject(data) ? data : {},
    save: async () => await saveStaticData(context),
  };
  const givers: PageGiver[] = [];
  const { done, failure } = await forEachEvent(node, Object.values(EVENTS), async (event) => {
    const kept = state.of(event.name);
    const { ledger } = kept;
    openLedger(ledger, event.name, node, storage, state);
    const giver = new PageGiver(context, ledger, event, settings);
    givers.push(giver);
    for (const page of ledger.due) if (shouldContinue()) await giver.give(page);
    if (!events.includes(event)) return;
    const mayPull = () => shouldContinue() && ledger.isOpen;
    const drained = await drain({
      pullSize,
      maxRecords: maxRecordsPerPoll,
      pull: async (count) => {
        const pull = async () => await pullPage(client, event, count, request);
        return await turns.take(event.name, mayPull, pull);
      },
      take: async (page) => {
        const sighting = ledger.memory.look(page);
        if (sighting.fresh.length > 0) await giver.give(ledger.arrive(sighting));
        return sighting;
      },
    });
    requireAnswer(kept, drained);
    const tell = (subject: string, error: UserError) => {
      if (state.isNews(`${subject} ${event.name}`)) context.__emitError(toNodeError(node, error));
    };
    const { end, fresh } = drained;
    if (end.kind === 'repeated' && fresh === 0) {
      tell('repeated', givenAgain(event, end.records, sizeField));
    }
    if (fallsBehind(kept, drained)) tell('backlog', fallenBehind(event));
  });
  if (givers.some(({ hasGiven }) => hasGiven)) return { failure, did: 'gave' };
  return { failure, did: done.some((event) => events.includes(event)) ? 'pulled' : 'nothing' };
}

/**
 * Opens the ledger of an event. It takes over what a node left that is no longer in the workflow: at once the
 * memory of its records, and from the third poll on its pages. n8n registers the triggers of a workflow one
 * after the other and polls each up to twice then. A process that has registered none does not know which
 * nodes remain.
 */
function openLedger(
  ledger: PageLedger,
  event: EventName,
  { type, id }: INode,
  { data, save }: Omit<Storage, 'key'>,
  { workflowId, isOpen, life }: TriggerState,
): void {
  // By the node's ID, because a node can be renamed. Not in the node's static data, which goes by its
  // name, and which n8n's durable cursors roll back when a hand-over is refused.
  const keyOf = (nodeId: string) => `${type}/${nodeId}/${event}`;
  ledger.open({ data, key: keyOf(id), save });
  const known = new Map(triggers.inWorkflow(workflowId).map((each) => [each.nodeId, each]));
  const stored = Object.keys(data).flatMap((key) => {
    const [start, owner, name] = key.split('/');
    return start === type && name === event && owner ? [owner] : [];
  });
  for (const owner of new Set([...stored, ...known.keys()])) {
    const trigger = known.get(owner);
    if (owner === id || trigger?.isOpen) continue;
    const former = trigger?.of(event).ledger ?? new PageLedger();
    const key = keyOf(owner);
    // n8n may still refuse what the node has handed over. Then it is kept in the static data of now.
    former.open({ data, key, save });
    ledger.memory.merge(memoryIn(data[key]));
    if (!isOpen || life.polls <= 2) continue;
    ledger.takeOver(former);
    if (!former.isWaiting) Reflect.deleteProperty(data, key);
  }
}

/** After this many polls in a row in which an event got nothing but "too fast", that is an error. */
export const MAX_POLLS_TOO_FAST = 10;

/** @throws what the service said, if it has not answered this event for too many polls */
function requireAnswer(kept: EventState, { end }: Drained): void {
  const { error: before, polls = 0 } = kept.tooFast ?? {};
  kept.tooFast = undefined;
  const error = end.kind === 'tooFast' ? end.error : end.kind === 'silent' && before;
  if (!error) return;
  if (polls + 1 >= MAX_POLLS_TOO_FAST) throw error;
  kept.tooFast = { error, polls: polls + 1 };
}

/** After this many polls in a row that do not catch up with the service, that is an error. */
export const MAX_POLLS_BEHIND = 3;

const HOUR_MS = 3_600_000;

/**
 * Whether polls end with records waiting, again and again, and the newest record of each is over an hour old
 * and no younger than before. A large campaign that drains gets younger.
 */
function fallsBehind(kept: EventState, { end, newestAt }: Drained): boolean {
  const ageMs = Date.now() - newestAt;
  const { polls, ageMs: before } = kept.backlog ?? { polls: 0, ageMs: -Infinity };
  const isOld = end.kind === 'more' && ageMs > HOUR_MS && ageMs < Infinity;
  kept.backlog = isOld ? { ageMs, polls: ageMs < before ? 1 : polls + 1 } : undefined;
  return (kept.backlog?.polls ?? 0) >= MAX_POLLS_BEHIND;
}

function fallenBehind({ plural }: EventDescription): UserError {
  const { maxRecordsPerPoll, pullSize } = TRIGGER_OPTIONS;
  return new UserError(
    `The trigger does not catch up: the newest ${plural} that it got are over an hour old, and more are waiting`,
    {
      description: `Let it poll more often, increase '${maxRecordsPerPoll.label}' and '${pullSize.label}', or make the workflow faster: the next page waits for the executions of the one before.`,
    },
  );
}
