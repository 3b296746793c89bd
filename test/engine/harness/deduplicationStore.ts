import { setImmediate } from 'node:timers/promises';
import { DataDeduplicationService } from 'n8n-core';
import type { IDataDeduplicator } from 'n8n-workflow';

type Check = IDataDeduplicator['checkProcessedAndRecord'];
type Remove = IDataDeduplicator['removeProcessed'];

/**
 * What the node's deduplication helper keeps its keys in, in memory. Like n8n's table it has one row
 * per workflow and scope, which is read, changed and written without a lock, and it refuses to make
 * a row twice.
 */
export class DeduplicationStore implements IDataDeduplicator {
  /** By workflow and context, the recorded values. */
  readonly rows = new Map<string, string[]>();

  /** Most entries that a call asked to keep. */
  maxEntries: number | undefined;

  /** Set to let the next calls of a kind end with this. */
  failures: { check?: Error; remove?: Error } = {};

  /** Called before and after each change; what it throws is the answer. */
  onChange: (operation: 'check' | 'remove', when: 'before' | 'after') => void = () => undefined;

  private constructor() {
    // Through install() only.
  }

  /** Makes a store the one of this n8n-core; it takes one per process. */
  static async install(): Promise<DeduplicationStore> {
    const store = new DeduplicationStore();
    await DataDeduplicationService.init(store);
    return store;
  }

  /** All values of a workflow, of the scope "workflow". */
  values(workflowId = 'workflow-1'): string[] {
    return this.rows.get(rowKey('workflow', { workflow: { id: workflowId, active: false } })) ?? [];
  }

  clear(): void {
    this.rows.clear();
    this.failures = {};
    this.onChange = () => undefined;
  }

  checkProcessedAndRecord: Check = async (items, scope, contextData, { maxEntries }) => {
    if (this.failures.check) throw this.failures.check;
    this.onChange('check', 'before');
    this.maxEntries = maxEntries;
    const key = rowKey(scope, contextData);
    const row = this.rows.get(key);
    const known = new Set(row);
    const values = items.map(String);
    const added = values.filter((value) => !known.has(value));
    // The database is asked, and others get their turn.
    await setImmediate();
    if (row === undefined && this.rows.has(key)) throw new Error('UNIQUE constraint failed');
    this.rows.set(key, [...(row ?? []), ...added].slice(-(maxEntries ?? Infinity)));
    await setImmediate();
    this.onChange('check', 'after');
    return { new: added, processed: values.filter((value) => known.has(value)) };
  };

  removeProcessed: Remove = async (items, scope, contextData) => {
    if (this.failures.remove) throw this.failures.remove;
    this.onChange('remove', 'before');
    const key = rowKey(scope, contextData);
    const row = this.rows.get(key) ?? [];
    await setImmediate();
    const removed = new Set(items.map(String));
    this.rows.set(
      key,
      row.filter((value) => !removed.has(value)),
    );
    this.onChange('remove', 'after');
  };

  async checkProcessedItemsAndRecord(): Promise<never> {
    throw new TypeError('Not used by the node');
  }

  async clearAllProcessedItems(): Promise<never> {
    throw new TypeError('Not used by the node');
  }

  async getProcessedDataCount(
    ...[scope, contextData]: Parameters<IDataDeduplicator['getProcessedDataCount']>
  ): Promise<number> {
    await setImmediate();
    return this.rows.get(rowKey(scope, contextData))?.length ?? 0;
  }
}

function rowKey(
  ...[scope, { workflow, node }]: [Parameters<Check>[1], Parameters<Check>[2]]
): string {
  return `${workflow.id}/${scope === 'node' ? `n:${node?.id}` : ''}`;
}
