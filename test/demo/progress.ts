/** Waiting is told this often. */
const TICK_MS = 10_000;

/** Prints lines with the time, and what the demo waits for. */
export class Progress {
  private readonly startedAt = Date.now();
  private timer?: NodeJS.Timeout;
  private isStopped = false;

  /** Prints a line with the time. */
  tell(line: string): void {
    const seconds = Math.round((Date.now() - this.startedAt) / 1000);
    if (!this.isStopped) this.print(`[${String(seconds).padStart(4)} s] ${line}`);
  }

  /** Prints text as it is. */
  print(text: string): void {
    console.log(text);
  }

  /** Tells what has come so far until the work is done. */
  async during<Result>(
    activity: () => string | Promise<string>,
    work: PromiseLike<Result>,
  ): Promise<Result> {
    const show = async () => {
      const line = await activity();
      // It may be done by now.
      if (this.timer === timer) this.tell(line);
    };
    // What fails here, the work itself says.
    const timer = setInterval(() => void show().catch(() => undefined), TICK_MS);
    this.timer = timer;
    try {
      return await work;
    } finally {
      this.end();
    }
  }

  /** From now on only `print` prints. */
  stop(): void {
    this.isStopped = true;
    this.end();
  }

  private end(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
