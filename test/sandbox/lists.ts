import { randomUUID } from 'node:crypto';
import type { Paged } from './records';

/** Pages of lists, and the shapes in which the specification shows them. */

/**
 * `nested` is the shape of §4.9 and §4.11, `envelope` that of §4.7, `bare` that of §4.13 (§2.8).
 * `specification` leaves each route its own.
 */
export type ListShape = 'specification' | 'bare' | 'envelope' | 'nested';

export interface PageRequest {
  page?: number;
  page_size?: number;
}

const DEFAULT_PAGE_SIZE = 10;

/** One page of the records (§2.8). */
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

/** A page in the asked shape. */
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
