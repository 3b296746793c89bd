/** A page size below the user's setting, and how well it works. */
interface Reduced {
  current: number;
  /** Number of consecutive pages that brought new records. */
  good: number;
  /** How many such pages it takes before a larger size is tried. A trial that fails costs a page. */
  patience: number;
  /** The current size is such a trial. */
  isTrial: boolean;
  /** Smaller pages were refused too, so the refusal is not about the size. */
  isRefusedAnyway: boolean;
}

/** By trigger and event, what was learnt for the next polls. */
const learnt = new Map<string, Reduced>();

const NOT_TRIED = { isTrial: false, isRefusedAnyway: false };

const MIN_PATIENCE = 20;
const MAX_PATIENCE = 640;

/** After this many refusals of ever smaller pages, the refusal is not about the size. */
const MAX_TRIES = 4;

/** The largest page size, even where all records so far are old. */
const LARGEST = 10_000;

/**
 * The page size of a pull. It is at most the user's setting, because that is what a crash may cost. It
 * is smaller while the service refuses it or is too slow for it, and larger only while nothing but old
 * records come.
 */
export class PageSize {
  private readonly state: Reduced;

  /** A larger size, to see beyond old records. */
  private further = 0;
  private ceiling = LARGEST;

  /** What was learnt before the first refusal, and the number of smaller pages tried since. */
  private refused?: Reduced;
  private tries = 0;

  /**
   * @param setting the user's
   * @param name identifies the trigger and event across polls. Left out: nothing is remembered.
   */
  constructor(
    private readonly setting: number,
    private readonly name = '',
  ) {
    const fresh = { current: setting, good: 0, patience: MIN_PATIENCE, ...NOT_TRIED };
    this.state = learnt.get(name) ?? fresh;
    this.state.current = Math.min(setting, this.state.current);
  }

  get current(): number {
    return this.further || this.state.current;
  }

  /** The page did not come in time. From now on half as many records are asked for. */
  halve(): void {
    const { state } = this;
    if (state.isTrial) state.patience = Math.min(MAX_PATIENCE, 2 * state.patience);
    this.ceiling = Math.ceil(this.current / 2);
    const current = Math.min(this.setting, this.ceiling);
    Object.assign(state, { current, good: 0, isTrial: false });
    this.further = 0;
    if (this.name) learnt.set(this.name, state);
  }

  /**
   * The page was refused, perhaps for its size. From now on half as many records are asked for.
   *
   * @returns false when the refusal is not about the size. Then the size is what it was before.
   */
  tryLess(): boolean {
    const { state } = this;
    // A pull by hand: the user can change the number.
    if (!this.name || state.isRefusedAnyway) return false;
    this.refused ??= { ...state };
    if (this.tries === MAX_TRIES || this.current === 1) {
      Object.assign(state, this.refused, { isRefusedAnyway: true });
      return false;
    }
    this.tries += 1;
    this.halve();
    return true;
  }

  /** The service accepted the page size. */
  accept(): void {
    this.refused = undefined;
    this.tries = 0;
    this.state.isRefusedAnyway = false;
  }

  /** The service handed over new records. */
  keep(): void {
    const { state } = this;
    this.further = 0;
    if (state.current === this.setting) return;
    state.good += 1;
    if (state.good < state.patience) return;
    const current = Math.min(this.setting, 2 * state.current);
    Object.assign(state, { current, good: 0, isTrial: true });
  }

  /**
   * All records of a full page are old. New ones may stand behind them, so a larger page is asked for.
   *
   * @returns whether a larger page is possible
   */
  lookFurther(): boolean {
    const before = this.current;
    this.further = Math.min(this.ceiling, 2 * before);
    return this.further > before;
  }
}
