/** On a terminal, the line that says what the demo waits for is rewritten this often; elsewhere it is one in ten. */
const TICK_MS = 1000;
const ERASE_LINE = '\r\u001b[2K';

/** Prints lines that stay, and under them what the demo waits for at the moment. */
export class Progress {
  private readonly startedAt = Date.now();
  private timer?: NodeJS.Timeout;
  private isStopped = false;

  constructor(private readonly out: NodeJS.WriteStream) {}

  /** Prints a line with the time. */
  tell(line: string): void {
    if (!this.isStopped) this.print(this.timed(line));
  }

  /** Prints text as it is. */
  print(text: string): void {
    this.out.write(`${this.out.isTTY ? ERASE_LINE : ''}${text}\n`);
  }

  /** Shows what has come so far until the work is done. */
  async during<Result>(
    activity: () => string | Promise<string>,
    work: PromiseLike<Result>,
  ): Promise<Result> {
    const show = async () => {
      const line = this.timed(await activity());
      // It may be done by now.
      if (this.timer !== timer) return;
      if (!this.out.isTTY) this.print(line);
      else this.out.write(ERASE_LINE + line.slice(0, (this.out.columns || 80) - 1));
    };
    // What fails here, the work itself says.
    const tick = () => void show().catch(() => undefined);
    const timer = setInterval(tick, this.out.isTTY ? TICK_MS : 10 * TICK_MS);
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

  private timed(line: string): string {
    const seconds = Math.round((Date.now() - this.startedAt) / 1000);
    return `[${String(seconds).padStart(4)} s] ${line}`;
  }
}
