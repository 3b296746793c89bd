/** Waiting is told this often. */
const TICK_MS = 10_000;

/** Prints lines with the time, and what the demo waits for. */
export class Progress {
  private readonly startedAt = Date.now();
  private timer?: NodeJS.Timeout;
  private isStopped = false;

  /** Prints a line with the time. */
  readonly tell = (line: string): void => {
    const seconds = Math.round((Date.now() - this.startedAt) / 1000);
    if (!this.isStopped) console.log(`[${String(seconds).padStart(4)} s] ${line}`);
  };

  /** Tells what has come so far until the work is done. */
  async during<Result>(
    activity: () => string | Promise<string>,
    work: PromiseLike<Result>,
  ): Promise<Result> {
    let isDone = false;
    const show = async () => {
      const line = await activity();
      if (!isDone) this.tell(line);
    };
    // What fails here, the work itself says.
    this.timer = setInterval(() => void show().catch(() => undefined), TICK_MS);
    try {
      return await work;
    } finally {
      isDone = true;
      clearInterval(this.timer);
    }
  }

  /** From now on it prints nothing. */
  stop(): void {
    this.isStopped = true;
    clearInterval(this.timer);
  }
}
