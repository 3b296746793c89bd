import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';

/** Names this process in what it stores: of several main processes another one may poll next. */
const PROCESS = randomUUID();

/** So many that were handed over are remembered, so that they are not handed over again. */
const REMEMBERED = 20;

/** Records of one page that were pulled and that n8n did not take; without records, it has since. */
export interface LeftOver {
  /** The same in every process. */
  id: string;
  records: unknown[];
  /** The process that changed it last. */
  by: string;
}

interface Stored {
  version: 1;
  leftOvers: LeftOver[];
}

/** What this process knows of, by the name of a trigger's event, then by id, the latest last. */
const known = new Map<string, Map<string, LeftOver>>();

/**
 * The left-overs of one event of one trigger: in memory for the next poll, and in static data for that
 * of another process. Memory knows better, since n8n may load static data before it was saved, and
 * may fail to save it; unless another process has changed them since.
 */
export class LeftOvers {
  private readonly byId: Map<string, LeftOver>;

  /**
   * @param trigger names trigger and event in this process
   * @param store the object to keep them in, under `key`: a workflow's static data
   */
  constructor(
    trigger: string,
    private readonly store: IDataObject,
    private readonly key: string,
  ) {
    this.byId = known.get(trigger) ?? new Map<string, LeftOver>();
    known.set(trigger, this.byId);
  }

  /** All that there are. They are the caller's from now on, who says of which n8n refuses again. */
  takeAll(): LeftOver[] {
    this.learn();
    const all = [...this.byId.values()].filter(({ records }) => records.length > 0);
    for (const { id } of all) this.set(id, []);
    // n8n saves it together with the executions that these records start.
    if (all.length > 0) this.save();
    return all;
  }

  /** Keeps records of a page, or of the left-over with this id. */
  keep(id: string, records: unknown[]): void {
    this.set(id, [...(this.byId.get(id)?.records ?? []), ...records]);
    this.save();
  }

  /** From what another process has stored. */
  private learn(): void {
    const stored = this.store[this.key] as Stored | undefined;
    // Static data may be edited by hand, or saved in part.
    if (stored?.version !== 1 || !Array.isArray(stored.leftOvers)) return;
    for (const leftOver of stored.leftOvers) {
      const isGone = this.byId.get(leftOver.id)?.records.length === 0;
      if (leftOver.by !== PROCESS && !isGone) this.byId.set(leftOver.id, leftOver);
    }
  }

  private set(id: string, records: unknown[]): void {
    this.byId.delete(id);
    this.byId.set(id, { id, records, by: PROCESS });
  }

  private save(): void {
    const gone = [...this.byId.values()].filter(({ records }) => records.length === 0);
    for (const { id } of gone.slice(0, -REMEMBERED)) this.byId.delete(id);
    const stored: Stored = { version: 1, leftOvers: [...this.byId.values()] };
    this.store[this.key] = stored as unknown as IDataObject;
  }
}
