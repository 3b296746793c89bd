/** Runs tasks with the same key one after another. n8n itself runs executions and polls side by side. */
export class KeyedQueue {
  /** By key, the latest task. */
  private readonly newest = new Map<string, Promise<unknown>>();

  /**
   * Runs a task when the earlier ones with its key have ended, whether they failed or not.
   *
   * @param task is called with a function that tells whether no other task was added since
   */
  async run<T>(key: string, task: (isNewest: () => boolean) => Promise<T>): Promise<T> {
    const before = this.newest.get(key);
    const own: Promise<T> = (async () => {
      // The caller that added the earlier task handles its failure.
      await before?.catch(() => undefined);
      return await task(() => this.newest.get(key) === own);
    })();
    this.newest.set(key, own);
    try {
      return await own;
    } finally {
      if (this.newest.get(key) === own) this.newest.delete(key);
    }
  }
}

/** The turns of sends: changes of a workflow's keys, and the calls of a tool. */
export const turns = new KeyedQueue();
