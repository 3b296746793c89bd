/** A queue: first in, first out. The time to take a page depends on the page, not on the queue. */
export class Queue<T> implements Iterable<T> {
  private items: T[] = [];
  private head = 0;

  get length(): number {
    return this.items.length - this.head;
  }

  push(item: T): void {
    this.items.push(item);
  }

  /** Returns the first `count` items and leaves them in the queue. */
  peek(count: number): T[] {
    return this.items.slice(this.head, this.head + count);
  }

  /** Removes the first `count` items and returns them. */
  take(count: number): T[] {
    const page = this.peek(count);
    this.head += page.length;
    // Frees the taken items only when they are the larger half, so that the cost per item is constant.
    if (this.head > 1000 && this.head * 2 > this.items.length) {
      this.items = this.items.slice(this.head);
      this.head = 0;
    }
    return page;
  }

  clear(): void {
    this.items = [];
    this.head = 0;
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let index = this.head; index < this.items.length; index++) yield this.items[index] as T;
  }
}
