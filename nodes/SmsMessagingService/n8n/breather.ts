import { sleep } from 'n8n-workflow';

const MAX_HOLD_MS = 20;

/** Lets the event loop handle answers and other executions while a long loop runs. */
export class Breather {
  private begin = Date.now();

  /** Whether the loop has held the event loop for 20 ms. The caller then awaits `pause`. */
  get isDue(): boolean {
    return Date.now() - this.begin >= MAX_HOLD_MS;
  }

  async pause(): Promise<void> {
    await sleep(0);
    this.begin = Date.now();
  }
}
