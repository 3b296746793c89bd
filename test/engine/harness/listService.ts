import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { IDataObject } from 'n8n-workflow';
import { listen } from './listen';

/** A service with one list, which it returns for any path, honestly or not. */

/** How the service withholds a page. */
export type Refusal =
  | 'code'
  | 'another shape'
  | 'cut off'
  | 'web page'
  | 'reset'
  | 400
  | 401
  | 403
  | 404
  | 408
  | 413
  | 422
  | 429
  | 500
  | 503;

export interface ListTraits {
  /** Number of records. */
  count: number;
  /** What a record has as its ID. */
  ids: 'number' | 'text' | 'missing' | 'empty' | 'null' | '0' | 'template_id';
  /** Added to the stated total. Undefined: no total. */
  totalIsOffBy?: number;
  /** Most records of a page, whatever the size. */
  cap?: number;
  /** The `page_size` of an answer. Undefined: it states none. */
  statesSize?: 'asked' | 'given';
  /** A larger page is refused, from this page on. */
  sizeLimit?: { above: number; fromPage: number; how: Refusal };
  behindLast: 'empty' | 'repeats the last' | 'begins anew' | Refusal;
  /** Whether the first record is at the top of each page. */
  isPinned: boolean;
  /** The service never returns the record with this index, or any after it. */
  breaksAt?: { index: number; how: Refusal };
  /** Whether each page has new records. */
  isEndless: boolean;
  shape: 'bare' | 'data' | 'nested';
}

export const HONEST: ListTraits = {
  count: 250,
  ids: 'number',
  totalIsOffBy: 0,
  statesSize: 'asked',
  behindLast: 'empty',
  isPinned: false,
  isEndless: false,
  shape: 'data',
};

export interface ListService {
  baseUrl: string;
  /** The records as they are in the answers. */
  readonly records: IDataObject[];
  /** Page and size of each request. */
  readonly asked: { page: unknown; page_size: unknown }[];
  /** The pages that were withheld. */
  readonly refused: Set<unknown>;
  /** Starts again with other traits. */
  become(traits: ListTraits): void;
  close(): void;
}

export async function startListService(): Promise<ListService> {
  let traits = HONEST;
  const asked: ListService['asked'] = [];
  const refused = new Set<unknown>();
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      asked.push({ page: body.page, page_size: body.page_size });
      const given = pageOf(traits, Number(body.page ?? 1), Number(body.page_size ?? 10));
      if (Array.isArray(given)) return answer(response, 200, shaped(traits, given, body));
      refused.add(body.page);
      refuse(response, given);
    });
  });
  const baseUrl = `http://${await listen(server)}`;
  return {
    baseUrl,
    asked,
    refused,
    get records() {
      return recordsOf(traits, 0, traits.count);
    },
    become(other) {
      traits = other;
      asked.length = 0;
      refused.clear();
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<IDataObject> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return JSON.parse(text || '{}') as IDataObject;
}

/** Returns the records of a page, or why it is withheld. */
function pageOf(traits: ListTraits, page: number, size: number): IDataObject[] | Refusal {
  const { sizeLimit } = traits;
  if (sizeLimit && page >= sizeLimit.fromPage && size > sizeLimit.above) return sizeLimit.how;
  return pageAt(traits, page - 1, size);
}

/** @param index from 0 */
function pageAt(traits: ListTraits, index: number, size: number): IDataObject[] | Refusal {
  const { count, cap = Infinity, breaksAt, isEndless, isPinned } = traits;
  // A pinned record takes one place of each page.
  const pinned = isPinned ? 1 : 0;
  const step = Math.min(size, cap) - pinned;
  const start = pinned + index * step;
  const top = recordsOf(traits, 0, isEndless ? pinned : Math.min(pinned, count));
  if (isEndless) return [...top, ...recordsOf(traits, start, start + step)];
  if (breaksAt && start + step > breaksAt.index && start < count) return breaksAt.how;
  if (index > 0 && start >= count) return behindLast(traits, start, size, step);
  return [...top, ...recordsOf(traits, start, Math.min(start + step, count))];
}

function behindLast(
  traits: ListTraits,
  start: number,
  size: number,
  step: number,
): IDataObject[] | Refusal {
  const { behindLast: how, count, isPinned } = traits;
  const pages = Math.max(1, Math.ceil((count - (isPinned ? 1 : 0)) / step));
  if (how === 'empty') return [];
  if (how === 'repeats the last') return pageOf(traits, pages, size);
  if (how !== 'begins anew') return how;
  const index = Math.round(start / step);
  return pageOf(traits, (index % pages) + 1, size);
}

function recordsOf({ ids }: ListTraits, from: number, to: number): IDataObject[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, offset) => {
    const number = from + offset + 1;
    return { ...idOf(ids, number), name: `record ${number}`, sign_id: 201, status: true };
  });
}

function idOf(ids: ListTraits['ids'], number: number): IDataObject {
  switch (ids) {
    case 'number':
      return { id: number };
    case 'text':
      return { id: String(number) };
    case 'missing':
      return {};
    case 'template_id':
      return { id: null, template_id: number };
    default:
      return { id: { empty: '', null: null, '0': 0 }[ids] };
  }
}

function shaped(
  { shape, count, totalIsOffBy, cap = Infinity, statesSize }: ListTraits,
  list: IDataObject[],
  { page: number, page_size: asked }: IDataObject,
) {
  const given = Math.min(Number(asked), cap);
  const size = statesSize && { page_size: statesSize === 'asked' ? asked : given };
  const total = totalIsOffBy === undefined ? {} : { total: Math.max(0, count + totalIsOffBy) };
  const page = { list, page: number, ...size, ...total };
  if (shape === 'bare') return page;
  return shape === 'nested' ? [[page]] : { code: 0, msg: 'success', data: page };
}

function refuse(response: ServerResponse, how: Refusal): void {
  if (how === 'reset') return void response.destroy();
  if (how === 'web page') return answer(response, 200, '<html><body>Hello</body></html>');
  if (how === 'cut off') return answer(response, 200, '{"code":0,"data":{"list":[{"id":1,"na');
  if (how === 'another shape') return answer(response, 200, { code: 0, data: 'nothing here' });
  if (how === 'code') return answer(response, 200, { code: 7, msg: 'this page is not given' });
  answer(response, how, { msg: 'this page is not given' });
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
