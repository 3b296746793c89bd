import { NodeApiError } from 'n8n-workflow';
import type { INode, IPollFunctions, NodeOperationError } from 'n8n-workflow';
import { inputError, toNodeError } from '../n8n/errors';
import type { NodeError } from '../n8n/errors';
import { pollBudgetMs } from '../n8n/olderVersions';
import { ServiceClient } from '../service/client';
import { sentences } from '../service/sentences';
import type { EventDescription } from './events';
import { pollForProduction } from './productionPoll';
import type { Poll, PollOutcome } from './productionPoll';
import { readSettings, TRIGGER_ON } from './triggerFields';
import { triggers } from './triggerState';
import type { Claim, TriggerState } from './triggerState';

/**
 * The longest poll, even if n8n allows more. n8n publishes a workflow only after its first poll, gives
 * up on that after 84 s, and polls again after a minute.
 */
export const MAX_BUDGET_MS = 45_000;

/** A pull needs its Timeout, and this time to hand over what it gives. */
export const LAST_PAGE_MS = 3_000;

/** One poll of a published trigger. It hands over page by page. */
export async function poll(context: IPollFunctions): Promise<void> {
  const node = context.getNode();
  const budgetMs = Math.min(pollBudgetMs(context), MAX_BUDGET_MS);
  // The durable scheduler of n8n makes a context for each poll, and gives it less time.
  const isScheduled = budgetMs < MAX_BUDGET_MS;
  const endsAt = performance.now() + budgetMs - LAST_PAGE_MS;
  await triggers.poll(context, async (state, isNewest) => {
    const isRegistration = state.begin(context) && !isScheduled;
    const occasion = isRegistration ? occasionOf(context) : 'due';
    const outcome = await pollEvents(context, state, { isNewest, endsAt }, occasion).catch(
      (cause): PollOutcome => ({ failure: toNodeError(node, cause), did: 'nothing' }),
    );
    const refusal = occasion === 'new' ? refusalIn(outcome) : undefined;
    if (refusal) {
      state.claim = undefined;
      throw refusal;
    }
    // A poll that ended for a newer one says nothing of the publication: n8n 2.40 makes two at once.
    state.wasLive ||= isNewest();
    const failure = failureOf(outcome, occasion);
    if (failure) context.__emitError(failure);
  });
}

/** Why n8n polls: it registers a trigger that is new, or one that was live already, or the time has come. */
type Occasion = 'new' | 'live' | 'due';

/**
 * A workflow is live if a trigger of it is or was registered in this process. Its publication must not fail:
 * n8n would poll neither its new version nor the one that was live.
 */
function occasionOf(context: IPollFunctions): Occasion {
  const { triggers: states } = triggers.use(context.getWorkflow().id);
  return [...states.values()].some(({ wasLive }) => wasLive) ? 'live' : 'new';
}

/** What the publisher must mend: for instance, the service refused, or a setting is wrong. */
function refusalIn({ failure, did }: PollOutcome): NodeError | undefined {
  const cause = failure instanceof NodeApiError ? failure.failure?.cause : undefined;
  const isForPublisher = cause === undefined || cause === 'credential-invalid';
  if (!failure || did === 'gave' || !isForPublisher) return undefined;
  // n8n shows only the message to whoever publishes, so the message says what to do.
  failure.message = sentences(failure.message, failure.description ?? '').replace(/\.$/, '');
  failure.description = '';
  return failure;
}

/** What becomes a failed execution. @throws it, if the poll is due and did nothing: n8n backs off then */
function failureOf({ failure, did }: PollOutcome, occasion: Occasion): NodeError | undefined {
  if (failure && occasion === 'live') {
    const goesOn =
      'The trigger stays registered with these settings, and its next poll tries again';
    failure.description = sentences(failure.description ?? '', goesOn);
  }
  if (failure && occasion === 'due' && did === 'nothing') throw failure;
  return failure;
}

async function pollEvents(
  context: IPollFunctions,
  state: TriggerState,
  { isNewest, endsAt }: { isNewest: () => boolean; endsAt: number },
  occasion: Occasion,
): Promise<PollOutcome> {
  const tell = (complaint: NodeError, goesOn = '') => {
    if (occasion === 'new') throw complaint;
    complaint.description = sentences(complaint.description ?? '', goesOn);
    if (state.isNews(complaint.message)) context.__emitError(complaint);
  };
  const node = context.getNode();
  const settings = readSettings(context);
  if (settings.complaint) tell(settings.complaint);
  if (!isNewest()) return { did: 'pulled' };
  // Inside the queue of polls: n8n waits for the queue when it stops, so nothing is pulled after that.
  const client = await ServiceClient.create(context);
  const { id: workflowId = '', name: workflow = '' } = context.getWorkflow();
  const claim = { account: client.account, workflow, workflowId, node: node.name };
  const { events, conflict } = claimEvents(node, state, claim, settings.events);
  const [free] = events;
  const rest = free ? `only the ${free.plural}` : 'nothing';
  if (conflict) tell(conflict, `This trigger pulls ${rest} meanwhile`);
  const hasTime = () => isNewest() && performance.now() < endsAt - settings.timeout;
  const own: Poll = {
    ...{ context, client, settings: { ...settings, events }, state },
    hasTime,
    mayPull: () => isNewest() && (own.pulls === 0 || hasTime()),
    pulls: 0,
  };
  return await pollForProduction(own);
}

/**
 * Claims the events of the account as it is now. The service hands out each record once, so the trigger
 * that came later leaves an event to the one that has it.
 *
 * @returns the events that are free, and who has others
 */
function claimEvents(
  node: INode,
  state: TriggerState,
  claim: Omit<Claim, 'events'>,
  wanted: EventDescription[],
): { events: EventDescription[]; conflict?: NodeOperationError } {
  const holderOf = ({ name }: EventDescription) => triggers.holderOf(claim.account, name, state);
  const events = wanted.filter((event) => !holderOf(event));
  state.claim = { ...claim, events: events.map(({ name }) => name) };
  const [holder] = wanted.flatMap((event) => holderOf(event) ?? []);
  if (!holder) return { events };
  const taken = wanted.filter((event) => holderOf(event) === holder);
  const isHere = holder.workflowId === claim.workflowId;
  const name = isHere ? `trigger "${holder.node}"` : `workflow "${holder.workflow}"`;
  const plurals = taken.map(({ plural }) => plural).join(' and ');
  const advice = isHere
    ? `Remove one of the two triggers, or choose different events in their '${TRIGGER_ON.label}'`
    : 'Delete the trigger in one of the two workflows, and call that workflow from the other with an Execute Sub-workflow node';
  const conflict = inputError(
    node,
    `The ${name} already starts with the ${plurals} of this account`,
    {
      description: `${advice}. The service hands out each record once, so only one trigger can have them.`,
    },
  );
  return { events, conflict };
}
