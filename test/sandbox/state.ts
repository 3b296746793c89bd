import { CODES, Refusal } from './codes';
import { Queue } from './queue';
import type { DeliveryReport, Lead, Qualification, Reply, Signature, Template } from './records';
import * as seed from './seeds';
import { outcomeFor, partsOf } from './text';

export interface StateOptions {
  balance: number;
  reportDelayMs: number;
  /** Fill up to so many records of a kind. */
  records: Partial<Record<RecordKind, number>>;
}

/** One line on a virtual phone: a message it received, or a reply it sent. */
export interface PhoneEntry {
  direction: 'received' | 'sent';
  content: string;
  time: number;
  batch_id: string;
  /** Of a received message: the status that its delivery report carries. */
  status?: string;
  status_desc?: string;
}

const RECORD_KINDS = ['qualifications', 'signatures', 'templates', 'leads'] as const;

export type RecordKind = (typeof RECORD_KINDS)[number];

const FIRST_ID: Record<RecordKind, number> = {
  qualifications: 101,
  signatures: 201,
  templates: 301,
  leads: 401,
};

const MADE_UP: Record<RecordKind, (id: number) => unknown> = {
  qualifications: (id) =>
    seed.qualification(id, { name: `资质 ${id}`, company_name: `示例公司 ${id}` }),
  signatures: (id) => seed.signature(id, { name: `签名 ${id}`, certification_id: 101 }),
  templates: (id) => seed.template(id, { name: `模板 ${id}`, content: '编号${code}的通知' }),
  leads: (id) =>
    seed.lead(id, { sign_id: 201, sign_name: '青禾科技', url: `https://lead-${id}.example/` }),
};

export interface OutgoingMessage {
  phone_number: string;
  text: string;
  phone_data?: string;
}

/** Everything the stand-in of the platform knows. Tests may read and change all of it. */
export class SandboxState {
  balance = 0;
  readonly qualifications = new Map<number, Qualification>();
  readonly signatures = new Map<number, Signature>();
  readonly templates = new Map<number, Template>();
  readonly leads = new Map<number, Lead>();
  /** Delivery reports that a pull can get (§4.4); those of a delayed delivery join when due. */
  readonly reports = new Queue<DeliveryReport>();
  /** Replies that a pull can get (§4.5). */
  readonly replies = new Queue<Reply>();
  /** What each number received and replied; the number heard of last comes last. */
  readonly messages = new Map<string, PhoneEntry[]>();
  /** Accepted messages per number: the truth about what was paid for. */
  readonly accepted = new Map<string, number>();
  sent = 0;

  private readonly onTheWay = new Queue<{ due: number; report: DeliveryReport }>();
  private batches = 0;
  private synthetic = 0;

  constructor(private readonly options: StateOptions) {
    this.reset();
  }

  /** Back to the seeds, with nothing sent. */
  reset(): void {
    const start = seed.seeds();
    this.balance = this.options.balance;
    fill(this.qualifications, start.qualifications);
    fill(this.signatures, start.signatures);
    fill(this.templates, start.templates);
    fill(this.leads, start.leads);
    this.reports.clear();
    this.replies.clear();
    this.onTheWay.clear();
    this.messages.clear();
    this.accepted.clear();
    this.sent = 0;
    this.synthetic = 0;
    for (const kind of RECORD_KINDS) this.seed(kind, this.options.records[kind] ?? 0);
  }

  /** Adds made-up records until there are `total` of the kind. */
  seed(kind: RecordKind, total: number): void {
    const records = this[kind] as Map<number, unknown>;
    for (let id = this.nextId(kind); records.size < total; id++) records.set(id, MADE_UP[kind](id));
  }

  nextId(kind: RecordKind): number {
    let highest = FIRST_ID[kind] - 1;
    for (const id of this[kind].keys()) highest = Math.max(highest, id);
    return highest + 1;
  }

  /**
   * Accepts a batch (§2.1): charges it, puts the messages on the phones and their delivery reports
   * on the way. Each recipient costs as many units as its text has parts.
   */
  send(messages: readonly OutgoingMessage[], userData = ''): { count: number; batch_id: string } {
    const cost = messages.reduce((sum, { text }) => sum + partsOf(text), 0);
    if (cost > this.balance) {
      throw new Refusal(CODES.insufficientBalance, '余额不足 (insufficient balance)');
    }
    this.balance -= cost;
    this.batches += 1;
    const now = Date.now();
    const due = now + this.options.reportDelayMs;
    const batchId = `${now}${String(this.batches).padStart(6, '0')}`;
    for (const { phone_number: number, text, phone_data: phoneData = '' } of messages) {
      const outcome = outcomeFor(number);
      this.accepted.set(number, (this.accepted.get(number) ?? 0) + 1);
      this.log(number, {
        direction: 'received',
        content: text,
        time: seconds(now),
        batch_id: batchId,
        ...outcome,
      });
      const report: DeliveryReport = {
        time: seconds(due),
        batch_id: batchId,
        ...outcome,
        phone_data: phoneData,
        phone_number: number,
        user_data: userData,
        split_count: partsOf(text),
      };
      if (due > now) this.onTheWay.push({ due, report });
      else this.reports.push(report);
    }
    this.sent += messages.length;
    return { count: messages.length, batch_id: batchId };
  }

  /** A reply of a phone (§2.3), joined to the last message the number received. */
  reply(input: { phoneNumber: string; content: string; batchId?: string }): void {
    const { phoneNumber, content, batchId } = input;
    const original = this.messages
      .get(phoneNumber)
      ?.filter((entry) => entry.direction === 'received')
      .filter((entry) => batchId === undefined || entry.batch_id === batchId)
      .at(-1);
    const reply: Reply = {
      batch_id: batchId ?? original?.batch_id ?? '',
      sms_content: original?.content ?? '',
      time: seconds(Date.now()),
      ext_no: '',
      content,
      mobile: Number(phoneNumber),
    };
    this.replies.push(reply);
    this.log(phoneNumber, {
      direction: 'sent',
      content,
      time: reply.time,
      batch_id: reply.batch_id,
    });
  }

  /** Queues delivery reports: the given ones, or that many made-up ones, all different. */
  queueReports(records: number | readonly DeliveryReport[]): void {
    for (const record of typeof records === 'number' ? this.reportsOf(records) : records) {
      this.reports.push(record);
    }
  }

  /** Queues replies: the given ones, or that many made-up ones, all different. */
  queueReplies(records: number | readonly Reply[]): void {
    for (const record of typeof records === 'number' ? this.repliesOf(records) : records) {
      this.replies.push(record);
    }
  }

  /** Moves the reports whose delivery has happened by now to where a pull finds them. */
  deliverDue(): void {
    for (let next = this.onTheWay.peek(1)[0]; next; next = this.onTheWay.peek(1)[0]) {
      if (next.due > Date.now()) return;
      this.reports.push(next.report);
      this.onTheWay.take(1);
    }
  }

  get reportsLeft(): number {
    return this.reports.length + this.onTheWay.length;
  }

  private log(phoneNumber: string, entry: PhoneEntry): void {
    const entries = this.messages.get(phoneNumber) ?? [];
    entries.push(entry);
    this.messages.delete(phoneNumber);
    this.messages.set(phoneNumber, entries);
  }

  private *reportsOf(count: number): Generator<DeliveryReport> {
    for (let index = 0; index < count; index++) {
      const serial = ++this.synthetic;
      const number = syntheticNumber(serial);
      yield {
        time: seconds(Date.now()),
        batch_id: `made-up-${serial}`,
        ...outcomeFor(number),
        phone_data: '',
        phone_number: number,
        user_data: '',
        split_count: 1,
      };
    }
  }

  private *repliesOf(count: number): Generator<Reply> {
    for (let index = 0; index < count; index++) {
      const serial = ++this.synthetic;
      yield {
        batch_id: `made-up-${serial}`,
        sms_content: '您的订单已发货。回复TD退订',
        time: seconds(Date.now()),
        ext_no: '',
        content: `回复 ${serial}`,
        mobile: Number(syntheticNumber(serial)),
      };
    }
  }
}

function fill<T extends { id: number }>(map: Map<number, T>, records: readonly T[]): void {
  map.clear();
  for (const record of records) map.set(record.id, record);
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

function syntheticNumber(serial: number): string {
  return `139${String(serial % 100_000_000).padStart(8, '0')}`;
}
