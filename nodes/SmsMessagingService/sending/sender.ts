import { sleep } from 'n8n-workflow';
import { ADVICE_UNKNOWN, adviceOn } from '../service/advice';
import type { Asked } from '../service/advice';
import type { Exchange } from '../service/answer';
import { withExtraFields } from '../service/client';
import type { ServiceClient } from '../service/client';
import { readBatch } from '../service/messageBatch';
import { sentences } from '../service/sentences';
import { readStatement } from '../service/statement';
import type { Messages } from './messages';
import type { News } from './outcome';
import { Pace } from './pace';
import type { Batch } from './plan';
import type { SendRun } from './run';

export class Sender {
  private readonly pace: Pace;

  constructor(
    private readonly run: SendRun,
    private readonly messages: Messages,
    private readonly client: ServiceClient,
  ) {
    const { context, options } = run;
    this.pace = new Pace(options.maxRetries, context.getExecutionCancelSignal());
  }

  /**
   * Sends the batches, and gives each recipient its outcome. A batch that fails does not throw: it has its
   * outcome, and the others are sent.
   */
  async send(batches: AsyncIterable<Batch> | Batch[]): Promise<void> {
    const inFlight = new Set<Promise<void>>();
    try {
      // Each step plans one batch, while the batches before it are in flight.
      for await (const batch of batches) {
        if (inFlight.size >= this.run.options.maxConcurrency) await Promise.race(inFlight);
        const sent = this.sendBatch(batch).then(() => {
          inFlight.delete(sent);
        });
        inFlight.add(sent);
        // Planning keeps the process busy, so this request goes out first.
        await sleep(1);
      }
    } finally {
      await Promise.all(inFlight);
    }
  }

  /** Makes a request, and repeats it if it certainly sent nothing and may get through later. */
  private async sendBatch({ shared, recipients: planned }: Batch): Promise<void> {
    const { messages, pace } = this;
    const { description, limit, options } = this.run;
    if (pace.stop) return await messages.holdBack(planned, pace.stop);
    const recipients = await messages.admit(planned);
    if (recipients.length === 0) return;
    const contents = recipients.map(({ message }) => message);
    const body = withExtraFields(description.body(shared.fields, contents), shared.extra);
    for (;;) {
      const turn = await pace.begin();
      if (turn.kind === 'stopped') return await messages.holdBack(recipients, turn.news);
      const entry = messages.begin(recipients);
      limit.add(recipients.length);
      const exchange = await pace.untilCancelled(
        this.client.exchange(shared.path, body, { timeoutMs: options.timeout, purpose: 'send' }),
      );
      const news = readNews(exchange, recipients.length, description.asked(shared.fields));
      const mayBeSent = news.happening === 'accepted' || news.happening === 'unclear';
      if (!mayBeSent) limit.add(-recipients.length);
      // An outage has pauses of its own.
      const retryAfterMs = exchange.kind === 'throttled' ? exchange.retryAfterMs : undefined;
      pace.end(turn.pauses, news, retryAfterMs);
      await messages.end(recipients, entry, news);
      if (mayBeSent || news.happening === 'refused') return;
      if (pace.stop) return await messages.holdBack(recipients, { ...news, happening: 'heldBack' });
    }
  }
}

/**
 * What an exchange means for the messages of its request.
 *
 * @param sent number of messages
 * @param asked how the advice speaks of the request
 */
export function readNews(exchange: Exchange, sent: number, asked: Asked): News {
  if (exchange.kind === 'answered') return readReceipt(exchange.body, sent);
  return {
    // Only a pull finds nothing.
    happening: exchange.kind === 'empty' ? 'refused' : exchange.kind,
    ...exchange.batch,
    code: exchange.code,
    msg: exchange.reason,
    advice: adviceOn(exchange, { ...asked, isMany: sent > 1 }),
    answer: readBatch(exchange.body).answer,
    request_id: exchange.requestId,
    http_status: exchange.httpStatus,
    sent,
  };
}

/** Reads an answer that does not refuse. A code of success accepts the messages, or without code a batch. */
function readReceipt(body: unknown, sent: number): News {
  const { code, msg, requestId } = readStatement(body);
  const batch = readBatch(body);
  const { batch_id: id, batch_count: count, answer } = batch;
  const said = { ...batch, code, request_id: requestId, sent };
  const isAccepted = code !== undefined || id !== undefined;
  if (isAccepted && count !== 0) {
    const noBatch = id === undefined && NO_BATCH + (answer ? SEE_ANSWER : '');
    const warning = sentences(noBatch, warnOfCount(count, sent)) || undefined;
    return { happening: 'accepted', ...said, msg, warning };
  }
  const doubt = isAccepted
    ? 'that it accepted 0 messages'
    : 'without a code and without a batch_id';
  const unclear = { msg: `The service answered ${doubt}`, advice: ADVICE_UNKNOWN };
  return { happening: 'unclear', ...said, ...unclear };
}

const NO_BATCH =
  'The service gave no batch_id, so delivery reports cannot be matched to this message';

const SEE_ANSWER = ". It may have named the batch otherwise: see 'answer'";

function warnOfCount(count: number | undefined, sent: number): string | undefined {
  if (count === sent) return undefined;
  if (count === undefined) return 'The service did not say how many messages it accepted';
  return count > sent
    ? `The service says that it accepted ${count} messages, but this request has ${sent}`
    : `The service accepted ${count} of the ${sent} messages of this request and did not say which`;
}
