import { sleep } from 'n8n-workflow';
import type { Exchange } from '../service/answer';
import { withExtraFields } from '../service/client';
import type { ServiceClient } from '../service/client';
import type { Messages } from './messages';
import type { Batch } from './outcome';
import { Pace } from './pace';
import { readNews } from './receipt';
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

  private async sendBatch({ shared, recipients }: Batch): Promise<void> {
    const { messages, pace } = this;
    if (pace.stop) return await messages.holdBack(recipients, pace.stop);
    const allowed = await messages.admit(recipients);
    if (allowed.length > 0) await this.request({ shared, recipients: allowed });
  }

  /** Makes a request, and repeats it if it certainly sent nothing and may get through later. */
  private async request({ shared, recipients }: Batch): Promise<void> {
    const { messages, pace } = this;
    const { description, limit, options } = this.run;
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
      pace.end(turn.pauses, news, retryAfterOf(exchange));
      await messages.end(recipients, entry, news);
      if (mayBeSent || news.happening === 'refused') return;
      if (pace.stop) return await messages.holdBack(recipients, { ...news, happening: 'heldBack' });
    }
  }
}

/** Milliseconds. An outage has pauses of its own. */
function retryAfterOf(exchange: Exchange): number | undefined {
  const isAsking = exchange.kind === 'throttled' || exchange.kind === 'unreachable';
  return isAsking ? exchange.retryAfterMs : undefined;
}
