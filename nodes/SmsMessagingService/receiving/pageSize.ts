/** Records that were asked for while less than the setting was handed over. */
interface Reduced {
  current: number;
  /** Pages in a row that were handed over. */
  good: number;
  /** How many of those it takes until more is tried: a trial that fails costs a page. */
  patience: number;
  /** The latest change was such a trial. */
  isTrial: boolean;
  /** Fewer were refused too: it is not for their number. */
  isRefusedAnyway: boolean;
}

/** What each trigger has learnt, by trigger and event: it holds for the next polls too. */
const learnt = new Map<string, Reduced>();

const NOT_TRIED = { isTrial: false, isRefusedAnyway: false };

const MIN_PATIENCE = 20;
const MAX_PATIENCE = 640;

/** So often half is asked for after a refusal, before it is taken for one of something else. */
const MAX_TRIES = 4;

/** No service is asked for more, even where all that it has shown so far is old. */
const LARGEST = 10_000;

/**
 * How many records to ask for in one request. At most the user's setting, since that is what a crash
 * may cost; less while the service refuses that many, or does not hand them over in time; more only as
 * long as nothing but old records come.
 */
export class PageSize {
  private readonly state: Reduced;

  /** Beyond what has been shown so far. */
  private further = 0;
  private ceiling = LARGEST;

  /** What was asked for before it was refused; then so often less. */
  private refused?: Reduced;
  private tries = 0;

  /**
   * @param setting the user's
   * @param name names what is pulled across polls; left out: nothing is remembered
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

  /** As many did not come in time: from now on half of it is asked for. */
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
   * As many were refused, perhaps for their number: from now on half of it is asked for.
   *
   * @returns false when it is not for their number; then as many as before are asked for
   */
  tryLess(): boolean {
    const { state } = this;
    // Where nothing is learnt, the number is the caller's to change.
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

  /** As many as are asked for are not refused. */
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
   * As many were handed over, and all of them are old: new ones may stand behind them.
   *
   * @returns whether more can be asked for
   */
  lookFurther(): boolean {
    const before = this.current;
    this.further = Math.min(this.ceiling, 2 * before);
    return this.further > before;
  }
}
