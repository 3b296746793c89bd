import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { PATHS } from '../../engine/harness/pulls';
import type { EventName } from '../../engine/harness/pulls';
import type { Oracle, Poll } from './oracle';
import type { Clock } from './time';

/** A service without a wire, in virtual time. Its records carry their ID as `<r1>` or `<m1>`. */

export const EVENTS = Object.keys(PATHS) as EventName[];

const EMPTY = {
  list: () => ({ code: 0, msg: 'success', data: [] }),
  nullData: () => ({ code: 0, msg: 'success', data: null }),
  nullList: () => ({ code: 0, data: { list: null } }),
  onlyNullList: () => ({ code: 0, list: null }),
  /** Two codes for two empty queues. */
  refused: (event: EventName) =>
    event === 'reply'
      ? { code: 10005, msg: '暂无上行数据' }
      : { code: 10004, msg: 'There is no data' },
};

export type EmptyName = keyof typeof EMPTY;
export const EMPTY_NAMES = Object.keys(EMPTY) as EmptyName[];

interface Shape {
  /** Whether its records are read, and no fault is found. */
  isUsual?: boolean;
  status?: number;
  body: (records: IDataObject[]) => unknown;
}

/** Records under names that no documentation shows. */
const foreign = (records: IDataObject[]) =>
  records.map(({ batch_id: a, status }) => ({ a, b: status ?? 'x', c: 1 }));

const row = ({ batch_id: id }: IDataObject) => [id, 13800138000, 'DELIVRD'];

const mapOf = (records: IDataObject[]) =>
  Object.fromEntries(records.map(({ batch_id: id }) => [id, 'DELIVRD']));

/** How a service may give its records. Nothing of any of these may vanish. */
export const SHAPES: Record<string, Shape> = {
  usual: { isUsual: true, body: (data) => ({ code: 0, msg: 'success', data }) },
  listUnderData: { body: (data) => ({ code: 0, msg: '', data: { list: data } }) },
  bare: { body: (data) => data },
  records: { body: (data) => ({ code: 0, result: { records: data } }) },
  besideEmptyData: { body: (data) => ({ code: 0, data: [], list: data }) },
  mapUnderData: {
    body: (data) => ({ code: '0', data: Object.fromEntries(data.map((each, n) => [n, each])) }),
  },
  text: { body: (data) => ({ code: 0, data: JSON.stringify(data) }) },
  texts: { body: (data) => ({ code: 0, data: data.map((each) => JSON.stringify(each)) }) },
  nested: { body: (data) => ({ code: 0, data: [data, []] }) },
  successOf200: { body: (data) => ({ code: 200, msg: 'success', data }) },
  successOf1: { body: (data) => ({ code: 1, msg: '', data }) },
  foreignOf200: { body: (data) => ({ code: 200, msg: 'OK', data: foreign(data) }) },
  foreign: { body: (data) => ({ code: 0, data: foreign(data) }) },
  foreignBesideEmptyData: { body: (data) => ({ code: 0, data: [], items: foreign(data) }) },
  rows: { body: (data) => ({ code: 0, data: data.map(row) }) },
  rowsBesideEmptyData: { body: (data) => ({ code: 0, data: [], rows: data.map(row) }) },
  map: { body: (data) => ({ code: 0, data: mapOf(data) }) },
  mapBesideEmptyData: { body: (data) => ({ code: 0, data: [], map: mapOf(data) }) },
  besideRefusal: { body: (data) => ({ code: 9000, msg: 'busy', data }) },
  foreignBesideRefusal: { body: (data) => ({ code: 9000, msg: '系统繁忙', data: foreign(data) }) },
  besideTooFast: { status: 429, body: (data) => ({ code: 4290, msg: 'too fast', data }) },
  foreignBesideTooFast: { status: 429, body: (data) => ({ code: 429, list: foreign(data) }) },
  besideBadRequest: { status: 400, body: (data) => ({ code: 400, data }) },
  besideServerError: { status: 500, body: (data) => ({ code: 500, data }) },
};

/** What goes wrong with one answer. */
export type Fault =
  | { kind: 'shape'; shape: string }
  /** The records are taken out, and nothing arrives. */
  | { kind: 'reset' | 'html' | 'emptyBody' | 'cutOff' | 'tooLate' | 'gatewayError' }
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

/** One account: its queues, and what goes wrong next. */
class Account {
  readonly queues: Record<EventName, Entry[]> = { deliveryReport: [], reply: [] };
  readonly given: Record<EventName, Entry[]> = { deliveryReport: [], reply: [] };
  readonly latest: Partial<Record<EventName, unknown>> = {};
  faults: { event: EventName; nth: number; fault: Fault }[] = [];
  pulledAt = -Infinity;

  faultOf(event: EventName): Fault | undefined {
    const due = this.faults.filter((each) => each.event === event);
    for (const each of due) each.nth -= 1;
    const first = due.find(({ nth }) => nth <= 0);
    this.faults = this.faults.filter((each) => each !== first);
    return first?.fault;
  }

  left(event: EventName): Entry[] {
    const left = this.queues[event].filter(({ isGone }) => !isGone);
    this.queues[event] = left;
    return left;
  }
}

interface Answer {
  status: number;
  text: string;
  /** The entries that are in it. */
  entries: Entry[];
  isUsual: boolean;
}

export class Service {
  private readonly accounts = new Map<string, Account>();
  private records = 0;

  constructor(
    readonly options: ServiceOptions,
    private readonly clock: Clock,
    private readonly oracle: Oracle,
  ) {}

  account(key: string): Account {
    const account = this.accounts.get(key) ?? new Account();
    this.accounts.set(key, account);
    return account;
  }

  /** The IDs in a queue. */
  left(key: string, event: EventName): string[] {
    return this.account(key)
      .left(event)
      .map(({ id }) => id);
  }

  /** Number of records in all queues. */
  get size(): number {
    const lengths = [...this.accounts.values()].flatMap((account) =>
      (['deliveryReport', 'reply'] as const).map((event) => account.left(event).length),
    );
    return lengths.reduce((sum, length) => sum + length, 0);
  }

  queue(key: string, event: EventName, count: number): void {
    const queue = this.account(key).queues[event];
    for (let each = 0; each < count; each++) {
      const n = ++this.records;
      const id = `<${event === 'reply' ? 'm' : 'r'}${n}>`;
      queue.push({ id, record: recordOf(event, id, n), isGone: false });
    }
  }

  /** The latest records come again, oldest first. */
  redeliver(key: string, event: EventName, count: number): void {
    const account = this.account(key);
    const inQueue = new Set(account.left(event).map(({ id }) => id));
    const latest = new Map(account.given[event].map((entry) => [entry.id, entry]));
    const again = [...latest.values()].filter(({ id }) => !inQueue.has(id)).slice(-count);
    account.queues[event].push(...again.map((entry) => ({ ...entry, isGone: false })));
  }

  /** From now on nothing goes wrong beyond what this service always does. */
  beSound(): void {
    for (const account of this.accounts.values()) account.faults = [];
  }

  /** Answers a pull of n8n's, as its helper for requests would. */
  async answer(poll: Poll, { url, body, timeout = Infinity }: IHttpRequestOptions, key: string) {
    const { life } = poll.process;
    const event = EVENTS.find((name) => url.endsWith(PATHS[name])) as EventName;
    const { count } = JSON.parse(body as string) as { count: number };
    const request = this.oracle.noteRequest(poll, key, event, count);
    const { latencyMs } = this.options;
    await life.sleep(latencyMs / 2);
    const account = this.account(key);
    const fault = account.faultOf(event);
    if (fault?.kind === 'neverOpened') {
      this.oracle.noteArrived(request, '', false);
      throw broken('ECONNREFUSED', 'connect');
    }
    const { status, text, entries, isUsual } = this.process(account, event, count, fault);
    this.oracle.noteGiven(
      request,
      entries.map(({ id }) => id),
    );
    const delayMs = fault?.kind === 'tooLate' ? 20_000 : latencyMs / 2;
    await life.sleep(Math.min(timeout, delayMs));
    const isLost = delayMs > timeout || fault?.kind === 'reset';
    this.oracle.noteArrived(request, isLost ? '' : text, isUsual && !isLost);
    if (isLost) throw broken(delayMs > timeout ? 'ECONNABORTED' : 'ECONNRESET');
    return { statusCode: status, headers: { 'content-type': 'application/json' }, body: text };
  }

  private process(account: Account, event: EventName, count: number, fault?: Fault): Answer {
    const refusal = this.refusalOf(account, fault);
    if (refusal) return { ...refusal, entries: [], isUsual: false };
    account.pulledAt = this.clock.now;
    if (fault?.kind === 'repeat' && account.latest[event] !== undefined)
      return account.latest[event] as Answer;
    const { deletesAfterMs, maxCount, shape, empty } = this.options;
    const entries = account.left(event).slice(0, Math.min(count, maxCount));
    account.given[event].push(...entries);
    if (deletesAfterMs === 0) for (const entry of entries) entry.isGone = true;
    else this.clock.at(deletesAfterMs, () => entries.forEach((entry) => (entry.isGone = true)));
    const name = fault?.kind === 'shape' && entries.length > 0 ? fault.shape : shape;
    const { status = 200, isUsual = false, body } = SHAPES[name] as Shape;
    const records = entries.map(({ record }) => record);
    const value = records.length > 0 ? body(records) : EMPTY[empty](event);
    const answer: Answer = {
      status: records.length > 0 ? status : 200,
      text: JSON.stringify(value),
      entries,
      isUsual: isUsual || records.length === 0,
    };
    const spoilt = { ...answer, ...spoil(answer, fault) };
    if (!fault) account.latest[event] = answer;
    return spoilt;
  }

  private refusalOf(account: Account, fault?: Fault): Pick<Answer, 'status' | 'text'> | undefined {
    const json = (status: number, code: number, msg: string) => ({
      status,
      text: JSON.stringify({ code, msg }),
    });
    const { everyMs, tooFastAs } = this.options;
    if (fault?.kind === 'tooFast' || this.clock.now - account.pulledAt < everyMs) {
      return tooFastAs === 'status' ? json(429, 4290, 'slow down') : json(200, 10007, '提交过快');
    }
    if (fault?.kind === 'refused') return json(200, 9000, '系统拒绝');
    if (fault?.kind === 'notFound') return json(404, 404, 'no such address');
    if (fault?.kind === 'unavailable') return json(503, 503, 'maintenance');
    return undefined;
  }
}

/** An answer of which nothing, or not all, arrives. */
function spoil({ text }: Answer, fault?: Fault): Partial<Answer> {
  switch (fault?.kind) {
    case 'html':
      return { text: '<html><body>Please log in</body></html>', isUsual: false };
    case 'emptyBody':
      return { text: '', isUsual: false };
    case 'gatewayError':
      return { status: 502, text: '<h1>Bad Gateway</h1>', isUsual: false };
    case 'cutOff':
      return { text: text.slice(0, Math.floor(text.length / 2)), isUsual: false };
    default:
      return {};
  }
}

function broken(code: string, syscall?: string): Error {
  return Object.assign(new Error(`broken: ${code}`), { code, syscall });
}

function recordOf(event: EventName, id: string, n: number): IDataObject {
  const phone = String(13_000_000_000 + n);
  if (event === 'reply')
    return {
      batch_id: id,
      sms_content: 'Hi',
      time: 1_767_225_660,
      ext_no: '1',
      content: 'STOP',
      mobile: phone,
    };
  return {
    time: 1_767_225_600,
    batch_id: id,
    status: 'DELIVRD',
    status_desc: 'OK',
    phone_data: '',
    phone_number: phone,
    user_data: '',
    split_count: 1,
  };
}
