/** Records that were asked for while less than the setting was handed over. */
interface Reduced {
  current: number;
  /** Pages in a row that were handed over. */
  good: number;
  /** How many of those it takes until more is tried: a trial that fails costs a page. */
  patience: number;
  /** The latest change was such a trial. */
  isTrial: boolean;
}

/** What each trigger has learnt, by trigger and event: it holds for the next polls too. */
const learnt = new Map<string, Reduced>();

const MIN_PATIENCE = 20;
const MAX_PATIENCE = 640;

/** No service is asked for more, even where all that it has shown so far is old. */
const LARGEST = 10_000;

/**
 * How many records to ask for in one request. At most the user's setting, since that is what a crash
 * may cost; less while the service does not hand over that many in time; more only as long as nothing
 * but old records come.
 */
export class PageSize {
  private readonly state: Reduced;

  /** Beyond what has been shown so far. */
  private further = 0;

  /**
   * @param setting the user's
   * @param name names what is pulled across polls; left out: nothing is remembered
   */
  constructor(
    private readonly setting: number,
    private readonly name = '',
  ) {
    const fresh = { current: setting, good: 0, patience: MIN_PATIENCE, isTrial: false };
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
    Object.assign(state, { current: Math.ceil(this.current / 2), good: 0, isTrial: false });
    this.further = 0;
    if (this.name) learnt.set(this.name, state);
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
    this.further = Math.min(LARGEST, 2 * before);
    return this.further !== before;
  }
}
