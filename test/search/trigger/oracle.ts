import type { IDataObject } from 'n8n-workflow';
import { PATHS } from '../../engine/harness/pulls';
import type { EventName } from '../../engine/harness/pulls';
import type { Gateway, RecordedRequest } from '../../sandbox/gateway';
import type { Queue } from '../../sandbox/queue';
import type { Life } from './processes';
import { LOSING } from './scenario';

/** A page of each event in flight, and the pages that may be handed over and not confirmed. */
const MOST_UNSETTLED_PAGES = 11;

/** Records that the service gave away with one answer. */
interface Given {
  page: IDataObject[];
  request: RecordedRequest;
  life: Life;
}

/**
 * What is true of the records of one history. The gateway's own log says which records it has given away,
 * and whether their bytes arrived. Nothing here asks the code of the node.
 */
export class Oracle {
  /** How often a poll ended with an error, and how often a process was killed. */
  errors = 0;
  kills = 0;

  /** How many executions were started with each record. */
  private readonly started = new Map<string, number>();

  /** What the service gave away, in order. */
  private readonly given: Given[] = [];

  /** Records that n8n got and has neither started nor refused, and the life in which it got them. */
  private readonly handedOver = new Map<string, Life>();

  /** Records that may be missing: their bytes did not arrive, or their process was killed. */
  private readonly excused = new Set<string>();

  /** Records that n8n refused and has not saved since: only the memory of their process has them. */
  private readonly unsaved = new Set<string>();

  private refusals = 0;

  get startedTotal(): number {
    let total = 0;
    for (const count of this.started.values()) total += count;
    return total;
  }

  get hasUnsaved(): boolean {
    return this.unsaved.size > 0;
  }

  /** The service gave away a page. */
  noteGiven(page: IDataObject[], request: RecordedRequest, life: Life): void {
    this.given.push({ page, request, life });
  }

  /** n8n got records. */
  noteHandedOver(items: IDataObject[], life: Life): void {
    for (const item of items) this.handedOver.set(idOf(item), life);
  }

  /** The life in which n8n got an item that it has not started. */
  lifeOf(item: IDataObject): Life | undefined {
    return this.handedOver.get(idOf(item));
  }

  /** An execution was started. */
  noteStarted(items: IDataObject[]): void {
    for (const item of items) {
      const id = idOf(item);
      if (item.event === 'unreadable') continue;
      this.started.set(id, (this.started.get(id) ?? 0) + 1);
      this.handedOver.delete(id);
      this.unsaved.delete(id);
    }
  }

  /** n8n did not start an execution. */
  noteRefused(items: IDataObject[]): void {
    this.refusals += 1;
    for (const item of items) {
      const id = idOf(item);
      this.handedOver.delete(id);
      this.unsaved.add(id);
    }
  }

  /** n8n has saved the static data. */
  noteSaved(): void {
    this.unsaved.clear();
  }

  /** A process has ended: what n8n could not save is gone with it. */
  excuseUnsaved(): void {
    for (const id of this.unsaved) this.excused.add(id);
  }

  /** A process was killed: what it had in hand is gone. */
  noteKilled(life: Life): void {
    this.kills += 1;
    // Of each event the page that was in flight.
    for (const path of Object.values(PATHS)) {
      const page = this.given.findLast((each) => each.life === life && each.request.path === path);
      for (const record of page?.page ?? []) this.excused.add(idOf(record));
    }
    // What n8n got and had not started.
    for (const [id, of] of this.handedOver) if (of === life) this.excused.add(id);
    this.excuseUnsaved();
  }

  /** The latest records of an event that the service gave away and does not have in its queue, oldest first. */
  latestGiven(event: EventName, queue: Queue<unknown>): IDataObject[] {
    const all = this.given.filter(({ request }) => request.path === PATHS[event]);
    const latest = new Map(all.flatMap(({ page }) => page).map((record) => [idOf(record), record]));
    // Equal records in one page are two records.
    for (const record of queue) latest.delete(idOf(record as IDataObject));
    return [...latest.values()];
  }

  /** @throws when more than a few pages were pulled and have started nothing */
  expectBounded(events: EventName[]): void {
    const open = this.given.filter(
      ({ page, request }) =>
        request.outcome === 'ok' && page.map(idOf).some((id) => this.isMissing(id)),
    );
    if (open.length > MOST_UNSETTLED_PAGES * events.length) {
      throw new Error(`${open.length} pages were pulled and have started nothing`);
    }
  }

  /**
   * To be asked at the end, when the queue is empty.
   *
   * @throws when a record came twice, or is lost, or nobody was told of a refusal
   */
  judge({ state: { reports, replies }, violations }: Gateway, events: EventName[]): void {
    for (const [id, count] of this.started) {
      if (count > 1) throw new Error(`${id} came ${count} times`);
    }
    for (const { page, request } of this.given) {
      const isLost = LOSING.some(({ kind }) => request.outcome === `fault ${kind}`);
      for (const id of isLost ? [] : page.map(idOf)) {
        if (this.isMissing(id))
          throw new Error(`${id} is lost: ${request.path}, ${request.outcome}`);
      }
    }
    const left = events.includes('reply') ? [reports, replies] : [reports];
    for (const queue of left as Queue<unknown>[]) {
      for (const record of queue) {
        const id = idOf(record as IDataObject);
        if (this.isMissing(id)) throw new Error(`${id} never came`);
      }
    }
    if (this.refusals > 0 && this.kills === 0 && this.errors === 0)
      throw new Error('n8n refused, and nobody was told');
    expect(violations).toEqual([]);
  }

  private isMissing(id: string): boolean {
    return !this.started.has(id) && !this.excused.has(id);
  }
}

function idOf(record: IDataObject): string {
  return String(record.batch_id ?? record.event);
}
