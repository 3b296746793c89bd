import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { PATHS } from '../../kit/engine/pulls';
import type { EventName } from '../../kit/engine/pulls';
import { deliveryReport, reply } from '../../sandbox/records';
import type { Oracle, Poll } from './oracle';
import type { Clock } from './time';

/** A service without a wire, in virtual time. Its records carry their ID as `<r1>` or `<m1>`. */

export const EVENTS = Object.keys(PATHS) as EventName[];

const EMPTY = {
  list: () => ({ code: 0, msg: 'success', data: [] }),
  nullData: () => ({ code: 0, msg: 'success', data: null }),
  textData: () => ({ code: 0, msg: 'success', data: '[]' }),
  page: () => ({ code: 0, data: { list: [], page: 1, page_size: 20, total: 0 } }),
  noData: () => ({ code: 0, msg: 'success' }),
  noCode: () => ({ data: false }),
  bareList: () => [],
  /** As the credential then says. */
  nothing: () => ({}),
  /** Two codes for two empty queues. */
  refused: (event: EventName) =>
    event === 'reply'
      ? { code: 10005, msg: '暂无上行数据' }
      : { code: 10004, msg: 'There is no data' },
};

export type EmptyName = keyof typeof EMPTY;
export const EMPTY_NAMES = Object.keys(EMPTY) as EmptyName[];

/** How many of the records of a step the workflow cannot handle at most. A poll tries ten of them again. */
const MAX_POISON = 12;

interface Shape {
  status?: number;
  body: (records: IDataObject[]) => unknown;
  /** Whether all is well: nothing is to be said but the records. */
  isFine?: boolean;
}

/** Records under names that no documentation shows. */
const foreign = (records: IDataObject[]) =>
  records.map(({ batch_id: a, status }) => ({ a, b: status ?? 'x', c: 1 }));

/** How a service may give its records. Nothing of any of these may vanish. */
export const SHAPES: Record<string, Shape> = {
  usual: { body: (data) => ({ code: 0, msg: 'success', data }), isFine: true },
  foreign: { body: (data) => ({ code: 0, data: foreign(data) }), isFine: true },
  noCode: { body: (data) => ({ data, errcode: 0 }), isFine: true },
  flat: { body: ([first]) => ({ code: 0, msg: '', ...first }) },
  flatBesideEmptyData: { body: ([first]) => ({ code: 0, data: null, ...first }) },
  flatWithoutCode: { body: ([first]) => ({ ...first }) },
  flatInArray: { body: ([first]) => [{ code: 0, msg: 'TD', id: first?.batch_id }] },
  refusedInArray: { body: ([first]) => [[{ code: 7, msg: 'TD', ...first }]] },
  bareList: { body: (data) => data },
  listUnderData: { body: (data) => ({ code: 0, msg: '', data: { list: data } }) },
  besideEmptyData: { body: (data) => ({ code: 0, data: [], list: data }) },
  text: { body: (data) => ({ code: 0, data: JSON.stringify(data) }) },
  besideRefusal: { body: (data) => ({ code: 9000, msg: 'busy', data }) },
  besideTooFast: {
    status: 429,
    body: (data) => ({ code: 4290, msg: 'too fast', data }),
    // It waits, and goes on.
    isFine: true,
  },
  foreignBesideTooFast: { status: 429, body: (data) => ({ code: 429, list: foreign(data) }) },
  besideServerError: { status: 500, body: (data) => ({ code: 500, data }) },
};

/** What goes wrong with one answer. */
export type Fault =
  | { kind: 'shape'; shape: string }
  /** The records are taken out, and nothing arrives. */
  | { kind: 'reset' | 'html' | 'emptyBody' | 'cutOff' | 'tooLate' | 'gatewayError' }
  /** Nothing is taken out. The answer is another's: it has neither a code nor data. */
  | { kind: 'silent'; text: string }
  /** Nothing is taken out. */
  | { kind: 'refused' | 'unavailable' | 'notFound' | 'tooFast' | 'neverOpened' }
  /** The latest answer again. */
  | { kind: 'repeat' };

export interface ServiceOptions {
  /** When a page that was given is gone from the queue, in milliseconds. */
  deletesAfterMs: number;
  /** The largest page of the service. */
  maxCount: number;
  /** At most one pull in this time, of both events together. */
  everyMs: number;
  tooFastAs: 'status' | 'code';
  shape: string;
  empty: EmptyName;
  latencyMs: number;
}

interface Entry {
  id: string;
  record: IDataObject;
  isGone: boolean;
}

interface Answer {
  status: number;
  text: string;
  /** It neither gives records as it should, nor says that there are none, nor that it is too fast. */
  isWrong: boolean;
  /** The entries that are in it. */
  entries: Entry[];
}

/** One account: its queues, and what goes wrong next. */
export class Service {
  faults: { event: EventName; nth: number; fault: Fault }[] = [];

  private readonly queues: Record<EventName, Entry[]> = { deliveryReport: [], reply: [] };
  private readonly given: Record<EventName, Entry[]> = { deliveryReport: [], reply: [] };
  private readonly latest: Partial<Record<EventName, Answer>> = {};
  private pulledAt = -Infinity;
  private records = 0;

  constructor(
    readonly options: ServiceOptions,
    private readonly clock: Clock,
    private readonly oracle: Oracle,
  ) {}

  left(event: EventName): Entry[] {
    this.queues[event] = this.queues[event].filter(({ isGone }) => !isGone);
    return this.queues[event];
  }

  /** Number of records in both queues. */
  get size(): number {
    return this.left('deliveryReport').length + this.left('reply').length;
  }

  /** @param poisonEvery the workflow cannot handle one in so many */
  queue(event: EventName, count: number, poisonEvery = Infinity): void {
    for (let each = 1; each <= count; each++) {
      const n = ++this.records;
      const id = `<${event === 'reply' ? 'm' : 'r'}${n}>`;
      const isPoison = each % poisonEvery === 0 && each <= MAX_POISON * poisonEvery;
      if (isPoison) this.oracle.poison.add(id);
      this.queues[event].push({ id, record: recordOf(event, id, n), isGone: false });
    }
  }

  /** The latest records come again, oldest first. */
  redeliver(event: EventName, count: number): void {
    const inQueue = new Set(this.left(event).map(({ id }) => id));
    const latest = new Map(this.given[event].map((entry) => [entry.id, entry]));
    const again = [...latest.values()].filter(({ id }) => !inQueue.has(id)).slice(-count);
    this.queues[event].push(...again.map((entry) => ({ ...entry, isGone: false })));
  }

  /** Answers a pull of n8n's, as its helper for requests would. */
  async answer(poll: Poll, { url, body, timeout = Infinity }: IHttpRequestOptions) {
    const { life } = poll.process;
    const event = EVENTS.find((name) => url.endsWith(PATHS[name])) as EventName;
    const { count } = JSON.parse(body as string) as { count: number };
    const request = this.oracle.noteRequest(poll, event, count);
    const { latencyMs } = this.options;
    await life.sleep(latencyMs / 2);
    const fault = this.nextFault(event);
    if (fault?.kind === 'neverOpened') {
      request.isWrong = true;
      this.oracle.noteArrived(request, '');
      throw broken('ECONNREFUSED', 'connect');
    }
    const { status, text, entries, isWrong } = this.process(event, count, fault);
    request.ids = entries.map(({ id }) => id);
    const delayMs = fault?.kind === 'tooLate' ? 20_000 : latencyMs / 2;
    await life.sleep(Math.min(timeout, delayMs));
    const isLost = delayMs > timeout || fault?.kind === 'reset';
    request.isWrong = isLost || isWrong;
    this.oracle.noteArrived(request, isLost ? '' : text);
    if (isLost) throw broken(delayMs > timeout ? 'ECONNABORTED' : 'ECONNRESET');
    return { statusCode: status, headers: { 'content-type': 'application/json' }, body: text };
  }

  private nextFault(event: EventName): Fault | undefined {
    const due = this.faults.filter((each) => each.event === event);
    for (const each of due) each.nth -= 1;
    const first = due.find(({ nth }) => nth <= 0);
    this.faults = this.faults.filter((each) => each !== first);
    return first?.fault;
  }

  private process(event: EventName, count: number, fault?: Fault): Answer {
    const { deletesAfterMs, maxCount, shape, empty, everyMs, tooFastAs } = this.options;
    const isTooFast = fault?.kind === 'tooFast' || this.clock.now - this.pulledAt < everyMs;
    if (isTooFast) return { ...TOO_FAST[tooFastAs], entries: [], isWrong: false };
    if (fault?.kind === 'silent') {
      const { text } = fault;
      return { status: 200, text, entries: [], isWrong: !this.isNothing(text) };
    }
    const refusal = REFUSALS[fault?.kind ?? ''];
    if (refusal) return { ...refusal, entries: [], isWrong: true };
    this.pulledAt = this.clock.now;
    const { latest } = this;
    if (fault?.kind === 'repeat' && latest[event]) return latest[event];
    const entries = this.left(event).slice(0, Math.min(count, maxCount));
    this.given[event].push(...entries);
    if (deletesAfterMs === 0) for (const entry of entries) entry.isGone = true;
    else this.clock.at(deletesAfterMs, () => entries.forEach((entry) => (entry.isGone = true)));
    const records = entries.map(({ record }) => record);
    const given = SHAPES[fault?.kind === 'shape' ? fault.shape : shape] as Shape;
    const { status = 200, body, isFine = false } = given;
    const text = (value: unknown) => JSON.stringify(value).replace(MARKED, '$1');
    const answer =
      records.length > 0
        ? { status, text: text(body(records)), entries, isWrong: !isFine }
        : { status: 200, text: text(EMPTY[empty](event)), entries, isWrong: false };
    if (!fault) latest[event] = answer;
    const left = SPOILT[fault?.kind ?? '']?.(answer.text);
    if (!left) return answer;
    const spoilt = { ...answer, ...left };
    // Without a field, it may be how a service says that nothing is there, or, with HTTP 429, "too fast".
    const saysTooFast = spoilt.status === 429 && !spoilt.text.includes('{');
    return { ...spoilt, isWrong: !saysTooFast && !this.isNothing(spoilt.text) };
  }

  /** Whether an answer without any field says that nothing is there, because the credential says so. */
  private isNothing(text: string): boolean {
    return this.options.empty === 'nothing' && ['', '{}'].includes(text);
  }
}

const refusalOf = (status: number, code: number, msg: string) => ({
  status,
  text: JSON.stringify({ code, msg }),
});

const TOO_FAST = {
  status: refusalOf(429, 4290, 'slow down'),
  code: refusalOf(200, 10007, '提交过快'),
};

const REFUSALS: Record<string, Pick<Answer, 'status' | 'text'>> = {
  refused: refusalOf(200, 9000, '系统拒绝'),
  notFound: refusalOf(404, 404, 'no such address'),
  unavailable: refusalOf(503, 503, 'maintenance'),
};

/** What arrives of an answer's text: nothing, not all, or something else. */
const SPOILT: Record<string, (text: string) => Partial<Answer>> = {
  html: () => ({ text: '<html><body>Please log in</body></html>' }),
  emptyBody: () => ({ text: '' }),
  gatewayError: () => ({ status: 502, text: '<h1>Bad Gateway</h1>' }),
  cutOff: (text) => ({ text: text.slice(0, Math.floor(text.length / 2)) }),
};

function broken(code: string, syscall?: string): Error {
  return Object.assign(new Error(`broken: ${code}`), { code, syscall });
}

/** A number that JavaScript can hold, but not tell from its neighbours. */
export const SERIAL = '46325770266034860';

/** In JSON it is a number. */
const MARKED = /"#(\d+)#"/g;

function recordOf(event: EventName, id: string, n: number): IDataObject {
  const phone = 13_000_000_000 + n;
  const record =
    event === 'reply'
      ? reply({ batch_id: id, time: 1_767_225_660, mobile: phone })
      : deliveryReport({ batch_id: id, time: 1_767_225_600, phone_number: String(phone) });
  return { ...record, serial: `#${SERIAL}#` };
}
