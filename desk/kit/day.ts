/**
 * A day of an account that sends some thousand messages: codes, order notifications and a campaign, with
 * a morning and an evening peak. It fills the data tables that the inbox and the senders fill otherwise.
 */
import type { Cells } from '../src/tables';
import { randomNumbers } from '../../test/kit/search/random';

export type SendRow = Pick<
  Cells<'sms.outbox'>,
  'phone_number' | 'class' | 'status' | 'batch_id' | 'template' | 'text' | 'parameters' | Named
>;
type Named = 'source' | 'reference' | 'sent_at';

export type EventRow = Omit<Cells<'sms.inbox'>, 'other' | 'says' | 'message'>;

export interface Day {
  sends: SendRow[];
  events: EventRow[];
}

export interface DayOptions {
  /** The end of the day. */
  now: Date;
  sends?: number;
  /** The same number gives the same day. */
  seed?: number;
  /** One hour of every usual day is bad. On a bad day, one template fails more often. On a quiet day, nothing is wrong. */
  kind?: 'usual' | 'bad' | 'quiet';
}

const HOUR = 3_600_000;

/** Messages by hour of the day, in relation to one another. */
const TRAFFIC: readonly number[] = [
  2, 1, 1, 1, 1, 3, 8, 22, 55, 70, 48, 34, 30, 26, 28, 32, 38, 46, 66, 82, 60, 34, 16, 6,
];

/** The templates of the day, as rows of sms.templates. The sandbox has the same. */
export const TEMPLATES = [
  {
    ...{ record_id: '301', name: '登录验证码' },
    content: '您的验证码是${code},${minutes}分钟内有效,请勿告诉他人。',
  },
  {
    ...{ record_id: '302', name: '发货通知' },
    content: '尊敬的${name},您的订单${order}已发货,预计${date}送达。回复TD退订',
  },
  {
    ...{ record_id: '306', name: '预约确认' },
    content: '${name}您好,您预约的时间是${date}。确认请回复1,取消请回复2。',
  },
  {
    ...{ record_id: '304', name: '会员活动' },
    content: '${name}您好,会员日全场八折,详情见 ${link}',
  },
].map((row) => ({ kind: 'template', ...row }));

const SIGNATURE = '【云岭商城】';

const KINDS = [
  { template: '301', class: 'code', source: 'Verification code', share: 0.42, batch: 1 },
  { template: '302', class: 'notice', source: 'Shipping notification', share: 0.38, batch: 24 },
  { template: '306', class: 'notice', source: 'Ask and wait', share: 0.2, batch: 6 },
] as const;

const CAMPAIGN = {
  ...{ template: '304', class: 'marketing', source: 'Campaign', hour: 10, share: 0.25 },
} as const;

/** The template that fails on a bad day. */
export const BAD_TEMPLATE = '302';

const FAILURES = [
  ['UNDELIV', '号码停机或为空号'],
  ['UNDELIV', '号码停机或为空号'],
  ['UNDELIV', '号码停机或为空号'],
  ['EXPIRED', '手机关机或不在服务区'],
  ['EXPIRED', '手机关机或不在服务区'],
  ['REJECTD', '运营商拦截'],
  ['MK:0010', '用户在黑名单中'],
] as const;

const REPLIES = [
  ...['1', '1', '1', '2', 'TD', '退订', '谢谢', '收到', '好的,谢谢!', '请问什么时候能到?'],
  ...['可以改到明天下午吗?', '地址写错了,怎么改', 'Yes', 'No', 'Thanks!', 'STOP'],
  ...['When will it arrive?', 'Please call me before you deliver', 'Wrong number', '👍'],
];

/** Makes up a day. 94 % of what is reported is delivered. */
export function makeDay(options: DayOptions): Day {
  const { now, sends: amount = 2400, seed = 7, kind: kindOfDay = 'usual' } = options;
  const random = randomNumbers(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const end = now.getTime();
  const clock = new Intl.DateTimeFormat('en-GB', {
    ...{ hour: '2-digit', hourCycle: 'h23', timeZone: 'Asia/Shanghai' },
  });
  const hourOf = (time: number) => Number(clock.format(time));
  const hours = Array.from({ length: 24 }, (_, index) => end - (index + 1) * HOUR);
  const weights = hours.map((from) => TRAFFIC[hourOf(from + HOUR / 2)] ?? 0);
  const total = weights.reduce((a, b) => a + b);
  const atRandom = () => {
    let left = random() * total;
    const hour = weights.findIndex((weight) => (left -= weight) <= 0);
    return (hours[hour] ?? end - HOUR) + random() * HOUR;
  };

  let lastBatch = 0;
  let lastPhone = 0;
  const batchId = (time: number) =>
    `${Math.floor(time / 1000)}${String((lastBatch += 1)).padStart(6, '0')}`;
  const phone = () =>
    `1${pick(['38', '39', '50', '77', '86'])}${String(10_000_000 + (lastPhone += 1) * 7919).slice(-8)}`;
  const sends: SendRow[] = [];
  const send = (
    kind: { template: string; class: string; source: string },
    time: number,
    size: number,
  ) => {
    const batch = batchId(time);
    const content = TEMPLATES.find(({ record_id }) => record_id === kind.template)?.content ?? '';
    for (let index = 0; index < size; index += 1) {
      const reference = `A-${10_000 + sends.length}`;
      const parameters: Record<string, string> = {
        ...{ order: reference, name: `Customer ${sends.length + 1}` },
        ...{ date: '6月3日10:00', link: 'https://shop.example/m' },
      };
      // The outbox keeps no codes.
      const text = content.replace(/\$\{(\w+)\}/g, (_, name: string) => parameters[name] ?? '');
      sends.push({
        batch_id: batch,
        phone_number: phone(),
        status: 'accepted',
        class: kind.class,
        template: kind.template,
        text: kind.class === 'code' ? '' : SIGNATURE + text,
        parameters: kind.class === 'code' ? '' : JSON.stringify(parameters),
        source: kind.source,
        reference: kind.class === 'code' ? '' : reference,
        sent_at: new Date(time).toISOString(),
      });
    }
  };

  const campaign = Math.round(amount * CAMPAIGN.share);
  const ten = hours.find((from) => hourOf(from) === CAMPAIGN.hour) ?? end - 4 * HOUR;
  for (let left = campaign; left > 0; left -= 200) {
    send(CAMPAIGN, ten + (campaign - left) * 2000, Math.min(left, 200));
  }
  for (const kind of KINDS) {
    let left = Math.round((amount - campaign) * kind.share);
    while (left > 0) {
      const size = Math.min(left, kind.batch === 1 ? 1 : Math.ceil(random() * 2 * kind.batch));
      send(kind, atRandom(), size);
      left -= size;
    }
  }

  const events: EventRow[] = [];
  const event = (row: Partial<EventRow> & Pick<EventRow, 'event' | 'phone_number'>, time: number) =>
    events.push({
      ...{ status: '', status_desc: '', content: '', batch_id: '', user_data: '', phone_data: '' },
      split_count: 1,
      ...row,
      time: new Date(time).toISOString(),
      run: 'made up',
    });
  for (const { batch_id, phone_number, template, sent_at } of sends) {
    const sentAt = Date.parse(sent_at);
    // Most reports come within half a minute, a few after a quarter of an hour, and some never.
    const time = sentAt + (random() < 0.97 ? 2_000 + random() * 25_000 : random() * HOUR * 0.4);
    if (random() < 0.008 || time > end) continue;
    // One hour in which a carrier had trouble.
    const isTrouble = kindOfDay === 'usual' && hourOf(sentAt) === 15;
    const isTemplate = kindOfDay === 'bad' && template === BAD_TEMPLATE;
    const isBad = random() < (isTrouble ? 0.22 : isTemplate ? 0.14 : 0.051);
    const [status, text] = isBad ? pick(FAILURES) : (['DELIVRD', '送达'] as const);
    event({ event: 'deliveryReport', batch_id, phone_number, status, status_desc: text }, time);
  }
  for (let index = 0; index < 60; index += 1) {
    const { batch_id, phone_number, sent_at } = pick(sends);
    const content = pick(REPLIES);
    const time = Date.parse(sent_at) + 60_000 + random() * HOUR;
    event(
      { event: 'reply', batch_id, phone_number, content },
      Math.min(time, end - random() * HOUR),
    );
  }
  // As the senders and the inbox would: the oldest first.
  const byTime = (a: string, b: string) => Number(a > b) - Number(a < b);
  return {
    sends: sends.sort((a, b) => byTime(a.sent_at, b.sent_at)),
    events: events.sort((a, b) => byTime(a.time, b.time)),
  };
}
