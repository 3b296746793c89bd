import { setImmediate } from 'node:timers/promises';
import { DataDeduplicationService } from 'n8n-core';
import type { IDataDeduplicator } from 'n8n-workflow';

/** What the node uses of it. */
type Used = Omit<IDataDeduplicator, 'checkProcessedItemsAndRecord' | 'clearAllProcessedItems'>;

type Check = IDataDeduplicator['checkProcessedAndRecord'];
type Remove = IDataDeduplicator['removeProcessed'];

export interface StoreFailure {
  operation: Operation;
  /** Whether the call fails before or after it has changed the store. */
  when: 'before' | 'after';
  /** Whether the call gets no answer instead of an error. */
  hangs?: boolean;
  /** The only call that fails, counted from 1 and from now on. Default: all fail. */
  nth?: number;
}

type Operation = 'check' | 'remove' | 'count';

/**
 * n8n's deduplication store, in memory: the node keeps its idempotency keys there. Like n8n's table it
 * has one row per workflow and scope. A row is read, changed and written without a lock, and it cannot
 * be created twice.
 *
 * It does what n8n does (1.100.1 to 2.40.7 are the same), and at n8n's cost: each call reads the whole row,
 * adding builds a set of it, and removing searches it from its start for each value, one of equal values.
 * Only n8n's hashes are left out, so that tests can read the keys.
 */
export class DeduplicationStore implements Used {
  /** Workflow and scope → recorded values. */
  readonly rows = new Map<string, string[]>();

  /** How many entries the latest call asked to keep. */
  maxEntries: number | undefined;

  /** Each call, with its number of values. */
  readonly calls: { operation: Operation; values: number }[] = [];

  private static installed: DeduplicationStore | undefined;

  private failures: (StoreFailure & { calls: number })[] = [];

  /** Returns the store that n8n-core uses. n8n-core takes one per process, so the first call creates it. */
  static install(): DeduplicationStore {
    if (!this.installed) {
      this.installed = new DeduplicationStore();
      // One process runs several files of tests.
      Object.assign(DataDeduplicationService, { instance: undefined });
      void DataDeduplicationService.init(this.installed as unknown as IDataDeduplicator);
    }
    return this.installed;
  }

  /** Returns all values of a workflow in the scope "workflow". */
  values(workflowId = 'workflow-1'): string[] {
    return this.rows.get(rowKey('workflow', { workflow: { id: workflowId, active: false } })) ?? [];
  }

  /** The number of values of each call of an operation. */
  sizes(operation: Operation): number[] {
    return this.calls.filter((call) => call.operation === operation).map(({ values }) => values);
  }

  /** Makes calls fail from now on. */
  fail(failure: StoreFailure): void {
    this.failures.push({ ...failure, calls: 0 });
  }

  /** Makes calls succeed again. */
  stopFailing(): void {
    this.failures = [];
  }

  /** Removes all values, calls and failures. */
  clear(): void {
    this.rows.clear();
    this.calls.length = 0;
    this.stopFailing();
  }

  checkProcessedAndRecord: Check = async (items, scope, contextData, { maxEntries }) => {
    await this.begin('check', items.length);
    this.maxEntries = maxEntries;
    const key = rowKey(scope, contextData);
    const row = this.read(key);
    const known = new Set(row);
    const values = items.map(String);
    const added = values.filter((value) => !known.has(value));
    // While n8n waits for its database, other executions continue.
    await setImmediate();
    if (row === undefined && this.rows.has(key)) throw new Error('UNIQUE constraint failed');
    this.rows.set(key, [...(row ?? []), ...added].slice(-(maxEntries ?? Infinity)));
    await setImmediate();
    await this.failIfDue('check', 'after');
    return { new: added, processed: values.filter((value) => known.has(value)) };
  };

  removeProcessed: Remove = async (items, scope, contextData) => {
    await this.begin('remove', items.length);
    const key = rowKey(scope, contextData);
    const row = this.read(key);
    await setImmediate();
    if (row) {
      for (const item of items) {
        const index = row.findIndex((value) => value === String(item));
        if (index >= 0) row.splice(index, 1);
      }
      this.rows.set(key, row);
    }
    await this.failIfDue('remove', 'after');
  };

  async getProcessedDataCount(
    ...[scope, contextData]: Parameters<IDataDeduplicator['getProcessedDataCount']>
  ): Promise<number> {
    await this.begin('count', 0);
    await setImmediate();
    return this.read(rowKey(scope, contextData))?.length ?? 0;
  }

  private read(key: string): string[] | undefined {
    const row = this.rows.get(key);
    return row && (JSON.parse(JSON.stringify(row)) as string[]);
  }

  private async begin(operation: Operation, values: number): Promise<void> {
    this.calls.push({ operation, values });
    for (const failure of this.failures) if (failure.operation === operation) failure.calls += 1;
    await this.failIfDue(operation, 'before');
  }

  private async failIfDue(operation: Operation, when: StoreFailure['when']): Promise<void> {
    const due = this.failures.find(
      (each) =>
        each.operation === operation &&
        each.when === when &&
        (each.nth === undefined || each.nth === each.calls),
    );
    if (due?.hangs) await new Promise(() => undefined);
    if (due) throw new Error('database is locked');
  }
}

const rowKey = (scope: Parameters<Check>[1], { workflow, node }: Parameters<Check>[2]) =>
  `${workflow.id}/${scope === 'node' ? `n:${node?.id}` : ''}`;
