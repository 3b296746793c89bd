/** First in, first out, with pages taken from the head in time proportional to the page. */
export class Queue<T> implements Iterable<T> {
  private items: T[] = [];
  private head = 0;

  get length(): number {
    return this.items.length - this.head;
  }

  push(item: T): void {
    this.items.push(item);
  }

  /** The first `count` items, which stay in the queue. */
  peek(count: number): T[] {
    return this.items.slice(this.head, this.head + count);
  }

  /** The first `count` items, which leave the queue. */
  take(count: number): T[] {
    const page = this.peek(count);
    this.head += page.length;
    // Dropping the consumed half at once keeps memory bounded and the cost per record constant.
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
