/** Virtual time: it passes only while nothing else is left to do. */

/** How often the event loop may turn with nothing to do before a wait counts as one for ever. */
const MAX_IDLE_TURNS = 200;

interface Timer {
  at: number;
  fire: () => void;
}

export class Clock {
  /** In milliseconds. It never goes back. */
  now = 1_000_000;

  /** How far the clock on the wall is off. */
  offset = 0;

  private timers: Timer[] = [];

  /** Does something after some milliseconds. */
  at(milliseconds: number, fire: () => void): void {
    const at = this.now + Math.max(0, milliseconds);
    if (at === Infinity) return;
    let index = this.timers.length;
    while (index > 0 && (this.timers[index - 1] as Timer).at > at) index -= 1;
    this.timers.splice(index, 0, { at, fire });
  }

  /** Lets time pass until a promise is settled. */
  async until<T>(promised: Promise<T>): Promise<T> {
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    promised.then(settle, settle);
    for (let idle = 0; ;) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (isSettled) return await promised;
      if (this.timers.length === 0 && ++idle > MAX_IDLE_TURNS) throw new Error('Nothing goes on');
      this.pass();
    }
  }

  /** Forgets all that waits. */
  forget(): void {
    this.timers = [];
    this.offset = 0;
  }

  private pass(): void {
    const [first] = this.timers;
    if (!first) return;
    this.now = first.at;
    const due = this.timers.filter(({ at }) => at === first.at);
    this.timers.splice(0, due.length);
    for (const { fire } of due) fire();
  }

  /**
   * Replaces the clocks of JavaScript. n8n-workflow's `sleep` is each process's own.
   *
   * @param lifeOf whose code runs. A time limit that it has set ends with its life
   */
  install(lifeOf: () => Life | undefined): void {
    const start = Date.UTC(2026, 0) - this.now;
    jest.spyOn(Date, 'now').mockImplementation(() => start + this.now + this.offset);
    jest.spyOn(performance, 'now').mockImplementation(() => this.now);
    jest.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
      const controller = new AbortController();
      const life = lifeOf();
      this.at(milliseconds, () => {
        if (life?.isOver) return;
        controller.abort(new DOMException('The operation timed out', 'TimeoutError'));
      });
      return controller.signal;
    });
  }
}

/** The life of a process. A process that is killed does nothing more. */
export class Life {
  isOver = false;

  kill!: () => void;

  /** Resolves when the life ends. */
  readonly end = new Promise<void>((resolve) => {
    this.kill = () => {
      this.isOver = true;
      resolve();
    };
  });

  constructor(private readonly clock: Clock) {}

  /** Waits. What belongs to a life that is over goes no further. */
  async sleep(milliseconds: number): Promise<void> {
    await new Promise<void>((resolve) => this.clock.at(milliseconds, resolve));
    if (this.isOver) await new Promise(() => undefined);
  }
}
