import * as fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { EVENTS, toItems } from '../../../nodes/SmsMessagingService/receiving/events';
import type { EventName } from '../../../nodes/SmsMessagingService/receiving/events';
import { jsonValue, withFields } from '../harness/arbitraries';
import { useGatewayPerTest } from '../harness/gateway';
import { REPORTS_ONLY } from '../harness/pulls';

/** What a delivery report or a reply becomes in the output. */

const { gateway, createPoller } = useGatewayPerTest();

const REPORT = { batch_id: 'b', phone_number: '13800138000', status: 'DELIVRD' };

const DAY = 86_400;
const IN_A_MONTH = Math.floor(Date.now() / 1000) + 30 * DAY;
const IN_TWO_YEARS = Math.floor(Date.now() / 1000) + 730 * DAY;

// Guess: time
test.each([
  [1767225600, '2026-01-01T00:00:00.000Z'],
  [1767225600123, '2026-01-01T00:00:00.123Z'],
  ['1767225600', '2026-01-01T00:00:00.000Z'],
  ['2026-01-01T08:00:00+08:00', '2026-01-01T00:00:00.000Z'],
  ['2026-01-01 08:00:00.5 +0800', '2026-01-01T00:00:00.500Z'],
  ['2026-01-01T00:00Z', '2026-01-01T00:00:00.000Z'],
  // Guess: time-zone
  // A date without its time zone may be the time of any place.
  ['2026-01-01 08:00:00', undefined],
  ['2026-13-41T08:00:00Z', undefined],
  // Digits of a date, and microseconds, are no seconds.
  ['20260101080000', undefined],
  [1767225600123456, undefined],
  [946684800, '2000-01-01T00:00:00.000Z'],
  [IN_A_MONTH, new Date(IN_A_MONTH * 1000).toISOString()],
  [IN_A_MONTH * 1000, new Date(IN_A_MONTH * 1000).toISOString()],
  // Digits of an hour would be the year 2052, others a time long ago.
  [2601010800, undefined],
  ['2601010800', undefined],
  [IN_TWO_YEARS, undefined],
  [IN_TWO_YEARS * 1000, undefined],
  [946684799, undefined],
  [1, undefined],
  [-1, undefined],
  ['2052-06-03T18:00:00Z', undefined],
  ['1999-12-31T23:59:59Z', undefined],
  ['', undefined],
  ['soon', undefined],
  [null, undefined],
])('time_iso is the time %p in ISO 8601', async (time, timeIso) => {
  gateway.fault({ kind: 'wrongShape', body: { code: 0, data: [{ ...REPORT, time }] } });
  const poller = createPoller(REPORTS_ONLY);
  await poller.tick();
  expect(poller.executions.flat()).toMatchObject([{ time }]);
  expect(poller.executions.flat()[0]?.time_iso).toBe(timeIso);
});

// Guess: answer-types
test('a text of the specification that comes as a number is text, with all its digits', async () => {
  const json =
    '{"code":0,"data":[{"batch_id":9007199254740993,"phone_number":13800138000,"user_data":0,"split_count":2,"time":1}]}';
  gateway.fault({ kind: 'html', body: json });
  const poller = createPoller(REPORTS_ONLY);
  await poller.tick();
  expect(poller.executions.flat()).toMatchObject([
    {
      batch_id: '9007199254740993',
      phone_number: '13800138000',
      user_data: '0',
      split_count: 2,
      time: 1,
    },
  ]);
});

test('fields event and time_iso of the service are kept', async () => {
  const own = { ...REPORT, time: 1, event: 'delivered', time_iso: 'theirs' };
  gateway.fault({ kind: 'wrongShape', body: { code: 0, data: [own] } });
  const poller = createPoller(REPORTS_ONLY);
  await poller.tick();
  expect(poller.executions.flat()).toEqual([
    { ...own, event: 'deliveryReport', service_event: 'delivered' },
  ]);
});

// Guess: reply-phone
test('a reply has its phone number as phone_number, as a report does', async () => {
  gateway.queueReplies(1);
  const poller = createPoller({ events: ['reply'] });
  await poller.tick();
  const [reply] = poller.executions.flat();
  expect(reply?.phone_number).toBe(reply?.mobile);
  expect(reply?.phone_number).toMatch(/^1\d{10}$/);
});

/** Fields that are made text where they are numbers. */
const TEXTS = {
  deliveryReport: ['mobile', 'batch_id', 'phone_number', 'phone_data', 'user_data', 'status'],
  reply: ['mobile', 'batch_id', 'content', 'ext_no', 'sms_content'],
};

const itemOf = (event: EventName, record: unknown) =>
  toItems(EVENTS[event], [record])[0]?.json ?? {};

/** The fields with these names that are numbers, as text. */
function textsOf(record: IDataObject, names: string[]): IDataObject {
  const numbers = names.filter((name) => typeof record[name] === 'number');
  return Object.fromEntries(numbers.map((name) => [name, String(record[name])]));
}

describe('a pulled record', () => {
  // Guess: report-status
  test.each(['deliveryReport', 'reply'] as const)('%s: no field is lost', (event) => {
    fc.assert(
      fc.property(withFields(['time', 'mobile', 'phone_number', 'batch_id']), (record) => {
        const { mobile } = record;
        const hasMobile = typeof mobile === 'number' || typeof mobile === 'string';
        const item = itemOf(event, record);
        expect(item).toEqual({
          ...record,
          ...textsOf(record, TEXTS[event]),
          ...(hasMobile && !('phone_number' in record) ? { phone_number: String(mobile) } : {}),
          event,
          ...('time_iso' in item ? { time_iso: expect.anything() } : {}),
        });
      }),
    );
  });

  test('that is not an object is kept as value', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.integer(), fc.array(jsonValue), fc.constant(null)),
        (value) => {
          expect(itemOf('reply', value)).toEqual({ event: 'reply', value });
        },
      ),
    );
  });
});
