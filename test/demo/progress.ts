/** What the demo does at the moment. */
export interface Activity {
  text: string;
  /** What changes all the time. By default, for how many seconds it has gone on. */
  remark?: string;
}

type FindActivity = () => Activity | Promise<Activity>;

const TICK_MS = 1000;
/** Where lines cannot be rewritten: between two of them, if something has changed or not. */
const CHANGED_MS = 3_000;
const UNCHANGED_MS = 10_000;

/**
 * Prints lines that stay, and under them what the demo does at the moment: on a terminal as one line that is
 * rewritten each second, otherwise as a line now and then.
 */
export class Progress {
  private readonly startedAt = Date.now();
  private readonly timer = setInterval(() => void this.tick(), TICK_MS);
  /** What it has told that it does, and what it waits for meanwhile. */
  private told?: () => Promise<Activity>;
  private awaited?: () => Promise<Activity>;
  private printed = { text: '', at: 0 };
  private isTicking = false;
  private isStopped = false;

  constructor(private readonly out: NodeJS.WriteStream) {}

  /** Prints a line. If it ends with dots, the demo goes on doing what it says. */
  tell(line: string): void {
    if (this.isStopped) return;
    const text = / \.\.\.$/.test(line) ? line.slice(0, -4) : undefined;
    this.told = text ? activityOf(() => ({ text })) : undefined;
    this.print(this.timed(line));
    this.printed.text = text ?? '';
  }

  /** Prints text as it is, when nothing is being done. */
  print(text: string): void {
    this.out.write(`${this.out.isTTY ? ERASE_LINE : ''}${text}\n`);
    this.printed.at = Date.now();
  }

  /** Shows what has come so far until the work is done. */
  async during<Result>(activity: FindActivity, work: PromiseLike<Result>): Promise<Result> {
    this.awaited = activityOf(activity);
    try {
      return await work;
    } finally {
      this.awaited = undefined;
    }
  }

  /** From now on only `print` prints. */
  stop(): void {
    this.isStopped = true;
    clearInterval(this.timer);
  }

  private async tick(): Promise<void> {
    const activity = this.awaited ?? this.told;
    if (!activity || this.isTicking) return;
    this.isTicking = true;
    try {
      const { text, remark } = await activity();
      // Something else may be told by now.
      if (activity === (this.awaited ?? this.told) && !this.isStopped) {
        this.show(text, `${text}; ${remark}`);
      }
    } catch {
      // The work itself says what is wrong.
    } finally {
      this.isTicking = false;
    }
  }

  private show(text: string, line: string): void {
    if (this.out.isTTY) {
      this.out.write(ERASE_LINE + this.timed(line).slice(0, (this.out.columns || 80) - 1));
      return;
    }
    const pause = text === this.printed.text ? UNCHANGED_MS : CHANGED_MS;
    if (Date.now() - this.printed.at < pause) return;
    this.print(this.timed(line));
    this.printed.text = text;
  }

  private timed(line: string): string {
    return `[${String(secondsSince(this.startedAt)).padStart(4)} s] ${line}`;
  }
}

const ERASE_LINE = '\r\u001b[2K';

function activityOf(find: FindActivity): () => Promise<Activity> {
  const since = Date.now();
  return async () => ({ remark: `${secondsSince(since)} s`, ...(await find()) });
}

function secondsSince(time: number): number {
  return Math.round((Date.now() - time) / 1000);
}
