import { randomUUID } from 'node:crypto';
import { NodeApiError } from 'n8n-workflow';
import type { INode, INodeExecutionData, IPollFunctions, NodeOperationError } from 'n8n-workflow';
import { inputError, toNodeError } from '../n8n/errors';
import type { NodeError } from '../n8n/errors';
import { ServiceClient } from '../service/client';
import { sentences } from '../service/sentences';
import { failureOf, sampleItems, toItems } from './events';
import type { EventDescription } from './events';
import { pollForProduction } from './productionPoll';
import type { PollOutcome } from './productionPoll';
import { pullPage } from './pullPage';
import { readSettings, TRIGGER_ON, TRIGGER_OPTIONS } from './triggerFields';
import { triggers } from './triggerState';
import type { TriggerState } from './triggerState';

/**
 * The longest poll, even if n8n allows more. n8n publishes a workflow only after its first poll, gives
 * up on that after 84 s, and polls again after a minute.
 */
export const MAX_BUDGET_MS = 45_000;

/** A pull needs its Timeout, and this time to hand over what it gives. */
export const LAST_PAGE_MS = 3_000;

/** One poll of a published trigger. It hands over page by page. */
export async function poll(context: IPollFunctions): Promise<void> {
  // n8n before 2.38 has no limit of its own.
  const budgetMs = Math.min(context.getPollBudgetMs?.() ?? Infinity, MAX_BUDGET_MS);
  // The durable scheduler of n8n makes a context for each poll, and gives it less time.
  const isScheduled = budgetMs < MAX_BUDGET_MS;
  const endsAt = performance.now() + budgetMs - LAST_PAGE_MS;
  await triggers.poll(context, async (state, isNewest) => {
    const { workflow } = state;
    // A publication of a live workflow must not fail: n8n would poll neither its new version nor the live one.
    const published = workflow.wasLive ? 'live' : 'new';
    const occasion = state.begin(context) && !isScheduled ? published : 'due';
    const outcome = await pollEvents(context, state, { isNewest, endsAt }, occasion).catch(
      (cause): PollOutcome => ({ failure: toNodeError(context.getNode(), cause), did: 'nothing' }),
    );
    const refusal = occasion === 'new' ? refusalIn(outcome) : undefined;
    if (refusal) {
      state.claim = undefined;
      throw refusal;
    }
    // A poll that ended for a newer one says nothing of the publication: n8n 2.40 makes two at once.
    workflow.wasLive ||= isNewest();
    const { failure, did } = outcome;
    if (!failure) return;
    // n8n backs off then.
    if (occasion === 'due' && did === 'nothing') throw failure;
    context.__emitError(occasion === 'live' ? withAdvice(failure, GOES_ON) : failure);
  });
}

const GOES_ON = 'The trigger stays registered with these settings, and its next poll tries again';

function withAdvice(error: NodeError, advice: string): NodeError {
  error.description = sentences(error.description ?? '', advice);
  return error;
}

/** Why n8n polls: it registers a trigger of a new workflow, or of a live one, or the time has come. */
type Occasion = 'new' | 'live' | 'due';

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

async function pollEvents(
  context: IPollFunctions,
  state: TriggerState,
  { isNewest, endsAt }: { isNewest: () => boolean; endsAt: number },
  occasion: Occasion,
): Promise<PollOutcome> {
  const settings = readSettings(context);
  if (!isNewest()) return { did: 'pulled' };
  // Inside the queue of polls: n8n waits for the queue when it stops, so nothing is pulled after that.
  const client = await ServiceClient.create(context);
  const { events, conflict } = claimEvents(context.getNode(), state, client, settings.events);
  const rest = events[0] ? `only the ${events[0].plural}` : 'nothing';
  if (conflict && occasion === 'new') throw conflict;
  if (conflict && state.isNews(conflict.message))
    context.__emitError(withAdvice(conflict, `This trigger pulls ${rest} meanwhile`));
  const hasTime = () => isNewest() && performance.now() < endsAt - settings.timeout;
  const own = { context, client, settings: { ...settings, events }, state };
  return await pollForProduction({ ...own, isNewest, hasTime, pulls: 0 });
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
  { account }: ServiceClient,
  wanted: EventDescription[],
): { events: EventDescription[]; conflict?: NodeOperationError } {
  const holderOf = (event: EventDescription) => triggers.holderOf(account, event, state);
  const events = wanted.filter((event) => !holderOf(event));
  state.claim = { account, events };
  const [holder] = wanted.flatMap((event) => holderOf(event) ?? []);
  if (!holder) return { events };
  const taken = wanted.filter((event) => holderOf(event) === holder);
  const isHere = holder.workflow === state.workflow;
  const name = isHere ? `trigger "${holder.name}"` : `workflow "${holder.workflow.name}"`;
  const plurals = taken.map(({ plural }) => plural).join(' and ');
  const advice = isHere
    ? `Remove one of the two triggers, or choose different events in their '${TRIGGER_ON.label}'`
    : 'Delete the trigger in one of the two workflows, and call that workflow from the other with an Execute Sub-workflow node';
  const message = `The ${name} already starts with the ${plurals} of this account`;
  const description = `${advice}. The service hands out each record once, so only one trigger can have them.`;
  return { events, conflict: inputError(node, message, { description }) };
}

/**
 * Returns the items of a test in the editor: sample records, or one page of each event.
 *
 * @throws NodeApiError or NodeOperationError if nothing could be pulled
 */
export async function pollForTest(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
  const { events, pullSize, repeatFailed, testData, timeout: timeoutMs } = readSettings(context);
  if (testData !== 'live') {
    const pageId = repeatFailed ? 'sample-page-1' : undefined;
    return [events.flatMap((event) => sampleItems(event, pageId))];
  }
  const client = await ServiceClient.create(context);
  const sizeField = TRIGGER_OPTIONS.pullSize.label;
  const pull = async (event: EventDescription) => {
    const request = { sizeField, timeoutMs, task: 'trigger' } as const;
    return { event, ...(await pullPage(client, event, pullSize, request)) };
  };
  const pulls = await Promise.all(events.map(pull));
  // All records are shown: what a test pulls never comes again.
  const items = pulls.flatMap(({ event, page }) =>
    toItems(event, page, repeatFailed ? randomUUID() : undefined),
  );
  const failure = failureOf(context.getNode(), pulls);
  if (failure && items.length === 0) throw failure;
  for (const { emptyBy } of pulls) if (emptyBy) context.logger.info(emptyBy);
  // The records of the other event are gone from the service, and the editor shows no hint beside others.
  if (failure) context.logger.warn(failure.message);
  return items.length === 0 ? null : [items];
}
