import { CODES, Refusal } from './codes';
import { Queue } from './queue';
import type { DeliveryReport, Reply } from './records';
import type { Lead, Qualification, Signature, Template } from './seeds';
import * as seed from './seeds';
import { outcomeFor, partsOf } from './text';

/** See the options of the same names in `GatewayOptions`. */
export interface StateOptions {
  balance: number;
  reportDelayMs: number;
  records: Partial<Record<ManagedList, number>>;
}

/** One entry of a virtual phone: a message that it received, or a reply that it sent. */
export interface PhoneEntry {
  direction: 'received' | 'sent';
  content: string;
  /** Unix seconds. */
  time: number;
  batch_id: string;
  /** Received messages only: the status in the delivery report. */
  status?: string;
  status_desc?: string;
}

const MANAGED_LISTS = ['qualifications', 'signatures', 'templates', 'leads'] as const;

export type ManagedList = (typeof MANAGED_LISTS)[number];

const FIRST_ID: Record<ManagedList, number> = {
  qualifications: 101,
  signatures: 201,
  templates: 301,
  leads: 401,
};

const MADE_UP: Record<ManagedList, (id: number) => unknown> = {
  qualifications: (id) =>
    seed.qualification(id, { name: `资质 ${id}`, company_name: `示例公司 ${id}` }),
  signatures: (id) => seed.signature(id, { name: `签名 ${id}`, certification_id: 101 }),
  templates: (id) => seed.template(id, { name: `模板 ${id}`, content: '编号${code}的通知' }),
  leads: (id) =>
    seed.lead(id, { sign_id: 201, sign_name: '青禾科技', url: `https://lead-${id}.example/` }),
};

/** One message of a send: the phone number and the complete text. */
export interface OutgoingMessage {
  phone_number: string;
  text: string;
  phone_data?: string;
}

/** All data of the sandbox. Tests may read and change all of it. */
export class SandboxState {
  balance = 0;
  readonly qualifications = new Map<number, Qualification>();
  readonly signatures = new Map<number, Signature>();
  readonly templates = new Map<number, Template>();
  readonly leads = new Map<number, Lead>();
  /** Delivery reports that can be pulled. `deliverDue` adds the delayed ones. */
  readonly reports = new Queue<DeliveryReport>();
  /** Replies that can be pulled. */
  readonly replies = new Queue<Reply>();
  /** Phone number → its entries, oldest first. The number with the newest entry is the last. */
  readonly messages = new Map<string, PhoneEntry[]>();
  /** Phone number → number of accepted messages, which are charged. */
  readonly accepted = new Map<string, number>();
  /** Number of accepted messages. */
  sent = 0;

  private readonly onTheWay = new Queue<{ due: number; report: DeliveryReport }>();
  private batches = 0;
  private synthetic = 0;

  constructor(private readonly options: StateOptions) {
    this.reset();
  }

  /** Restores the seeds and the balance, and removes all messages. */
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
    for (const kind of MANAGED_LISTS) this.seed(kind, this.options.records[kind] ?? 0);
  }

  /** Adds made-up records until `total` records of the kind exist. */
  seed(kind: ManagedList, total: number): void {
    const records = this[kind] as Map<number, unknown>;
    for (let id = this.nextId(kind); records.size < total; id++) records.set(id, MADE_UP[kind](id));
  }

  /** Returns an ID that no record of the kind has. */
  nextId(kind: ManagedList): number {
    let highest = FIRST_ID[kind] - 1;
    for (const id of this[kind].keys()) highest = Math.max(highest, id);
    return highest + 1;
  }

  /**
   * Accepts a batch: charges it, delivers the messages to the virtual phones, and creates the
   * delivery reports. Each message costs one unit per part of its text.
   *
   * @throws Refusal if the balance is too low
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

  /** Queues a reply from a phone to the last message that it received, or received from a batch. */
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

  /** Queues these delivery reports, or this many made-up ones, all different. */
  queueReports(records: number | readonly DeliveryReport[]): void {
    for (const record of typeof records === 'number' ? this.reportsOf(records) : records) {
      this.reports.push(record);
    }
  }

  /** Queues these replies, or this many made-up ones, all different. */
  queueReplies(records: number | readonly Reply[]): void {
    for (const record of typeof records === 'number' ? this.repliesOf(records) : records) {
      this.replies.push(record);
    }
  }

  /** Makes the delayed reports that are due available to pulls. */
  deliverDue(): void {
    for (let next = this.onTheWay.peek(1)[0]; next; next = this.onTheWay.peek(1)[0]) {
      if (next.due > Date.now()) return;
      this.reports.push(next.report);
      this.onTheWay.take(1);
    }
  }

  /** Number of delivery reports that are not pulled yet, with the delayed ones. */
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
