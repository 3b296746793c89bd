import { sleep } from 'n8n-workflow';

/** The longest time in milliseconds that a loop holds the event loop. */
const MAX_HOLD_MS = 20;

/** Lets the event loop handle answers and other executions while a long loop runs. */
export class Breather {
  private begin = Date.now();

  /** Whether the loop has held the event loop for long enough. Then the caller awaits `pause`. */
  get isDue(): boolean {
    return Date.now() - this.begin >= MAX_HOLD_MS;
  }

  async pause(): Promise<void> {
    await sleep(0);
    this.restart();
  }

  /** Something else has paused the loop. */
  restart(): void {
    this.begin = Date.now();
  }
}
