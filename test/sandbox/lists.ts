import { randomUUID } from 'node:crypto';
import type { Paged } from './records';

/**
 * How a page is wrapped in an answer. The specification shows all three shapes:
 * `nested`: `[[page]]`, as in Query templates and Query reported links.
 * `envelope`: `{ code, msg, data: page, … }`, as in Query qualifications.
 * `bare`: the page itself, as in Edit lead.
 * `specification`: each operation has its specified shape.
 */
export type ListShape = 'specification' | 'bare' | 'envelope' | 'nested';

/** The fields of a request that select a page. Pages count from 1. */
export interface PageRequest {
  page?: number;
  page_size?: number;
}

const DEFAULT_PAGE_SIZE = 10;

/** Returns one page of the records. `maxPageSize` limits the requested page size. */
export function pageOf<T>(
  records: readonly T[],
  asked: PageRequest,
  maxPageSize: number,
): Paged<T> {
  const page = asked.page ?? 1;
  const size = Math.min(asked.page_size ?? DEFAULT_PAGE_SIZE, maxPageSize);
  return {
    list: records.slice((page - 1) * size, page * size),
    page,
    page_size: size,
    total: records.length,
  };
}

/** Returns the page in a list shape. */
export function shaped(shape: Exclude<ListShape, 'specification'>, paged: Paged): unknown {
  if (shape === 'bare') return paged;
  if (shape === 'nested') return [[paged]];
  return {
    code: 0,
    msg: 'success',
    data: paged,
    tp: Math.floor(Date.now() / 1000),
    request_id: randomUUID(),
  };
}
