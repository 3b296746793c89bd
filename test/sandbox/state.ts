import { CODES, Refusal } from './codes';
import type { GatewayOptions } from './options';
import { deliveryReport, reply } from './records';
import type { DeliveryReport, Reply } from './records';
import type { Lead, Qualification, Signature, Template } from './seeds';
import * as seed from './seeds';
import { outcomeFor, partsOf } from './text';

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

const MADE_UP = {
  qualifications: (id: number): Qualification =>
    seed.qualification(id, { name: `资质 ${id}`, company_name: `示例公司 ${id}` }),
  signatures: (id: number): Signature =>
    seed.signature(id, { name: `签名 ${id}`, certification_id: 101 }),
  templates: (id: number): Template =>
    seed.template(id, { name: `模板 ${id}`, content: '编号${code}的通知' }),
  leads: (id: number): Lead =>
    seed.lead(id, { sign_id: 201, sign_name: '青禾科技', url: `https://lead-${id}.example/` }),
};

export type ManagedList = keyof typeof MADE_UP;

const MANAGED_LISTS = Object.keys(MADE_UP) as ManagedList[];

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
  readonly reports: DeliveryReport[] = [];
  /** Replies that can be pulled. */
  readonly replies: Reply[] = [];
  /** Phone number → its entries, oldest first. The number with the newest entry is the last. */
  readonly messages = new Map<string, PhoneEntry[]>();
  /** Phone number → number of accepted messages, which are charged. */
  readonly accepted = new Map<string, number>();

  private onTheWay: { due: number; report: DeliveryReport }[] = [];
  private batches = 0;
  private synthetic = 0;

  constructor(private readonly options: GatewayOptions) {
    this.reset();
  }

  /** Restores the seeds and the balance, and removes all messages. */
  reset(): void {
    this.balance = this.options.balance ?? 1_000_000;
    const seeds = seed.seeds();
    for (const kind of MANAGED_LISTS) {
      const records = this[kind] as Map<number, unknown>;
      records.clear();
      for (const record of seeds[kind]) records.set(record.id, record);
      while (records.size < (this.options.records?.[kind] ?? 0))
        this.add<unknown>(kind, MADE_UP[kind]);
    }
    this.reports.length = 0;
    this.replies.length = 0;
    this.onTheWay = [];
    this.messages.clear();
    this.accepted.clear();
    this.synthetic = 0;
  }

  /** Adds a record with an ID that no record of the kind has. */
  add<T>(kind: ManagedList, make: (id: number) => T): T {
    const records = this[kind] as Map<number, unknown>;
    const id = Math.max(0, ...records.keys()) + 1;
    const record = make(id);
    records.set(id, record);
    return record;
  }

  /**
   * Accepts a batch: charges it, delivers the messages to the virtual phones, and creates the
   * delivery reports. Each message costs one unit per part of its text.
   *
   * @throws Refusal if the balance is too low
   */
  send(messages: readonly OutgoingMessage[], user_data = ''): { count: number; batch_id: string } {
    const cost = messages.reduce((sum, { text }) => sum + partsOf(text), 0);
    if (cost > this.balance) {
      throw new Refusal(CODES.insufficientBalance, '余额不足 (insufficient balance)');
    }
    this.balance -= cost;
    this.batches += 1;
    const now = Date.now();
    const due = now + (this.options.reportDelayMs ?? 0);
    const batch_id = `${now}${String(this.batches).padStart(6, '0')}`;
    for (const { phone_number, text, phone_data = '' } of messages) {
      const outcome = outcomeFor(phone_number);
      const time = seconds(due);
      const split_count = partsOf(text);
      const ids = { batch_id, phone_number, phone_data, user_data };
      const report = deliveryReport({ ...ids, ...outcome, time, split_count });
      this.accepted.set(phone_number, (this.accepted.get(phone_number) ?? 0) + 1);
      this.log(phone_number, {
        ...{ direction: 'received', content: text, time: seconds(now) },
        ...{ batch_id, ...outcome },
      });
      if (due > now) this.onTheWay.push({ due, report });
      else this.reports.push(report);
    }
    return { count: messages.length, batch_id };
  }

  /** Queues a reply from a phone to the last message that it received. */
  reply({ phoneNumber, content }: { phoneNumber: string; content: string }): void {
    const entries = this.messages.get(phoneNumber) ?? [];
    const original = entries.filter(({ direction }) => direction === 'received').at(-1);
    const sent = reply({
      batch_id: original?.batch_id ?? '',
      sms_content: original?.content ?? '',
      content,
      mobile: Number(phoneNumber),
    });
    this.replies.push(sent);
    const { batch_id, time } = sent;
    this.log(phoneNumber, { direction: 'sent', content, time, batch_id });
  }

  /** Queues these delivery reports, or this many made-up ones, all different. */
  queueReports(records: number | readonly DeliveryReport[]): void {
    for (const record of this.given(records, madeUpReport)) this.reports.push(record);
  }

  /** Queues these replies, or this many made-up ones, all different. */
  queueReplies(records: number | readonly Reply[]): void {
    for (const record of this.given(records, madeUpReply)) this.replies.push(record);
  }

  /** Makes the delayed reports that are due available to pulls. */
  deliverDue(): void {
    const now = Date.now();
    for (const { due, report } of this.onTheWay) if (due <= now) this.reports.push(report);
    this.onTheWay = this.onTheWay.filter(({ due }) => due > now);
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

  private given<T>(records: number | readonly T[], make: (serial: number) => T): readonly T[] {
    if (typeof records !== 'number') return records;
    return Array.from({ length: records }, () => make(++this.synthetic));
  }
}

const madeUpReport = (serial: number): DeliveryReport => {
  const phone_number = syntheticNumber(serial);
  return deliveryReport({
    batch_id: `made-up-${serial}`,
    phone_number,
    ...outcomeFor(phone_number),
  });
};

const madeUpReply = (serial: number): Reply =>
  reply({
    batch_id: `made-up-${serial}`,
    content: `回复 ${serial}`,
    mobile: Number(syntheticNumber(serial)),
  });

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

function syntheticNumber(serial: number): string {
  return `139${String(serial % 100_000_000).padStart(8, '0')}`;
}
