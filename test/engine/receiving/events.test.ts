import { EVENTS, toItems } from '../../../nodes/SmsMessagingService/receiving/events';
import type { IDataObject } from 'n8n-workflow';
import type { EventName } from '../../../nodes/SmsMessagingService/receiving/events';
import { useGatewayPerTest } from '../../kit/engine/gateway';
import { REPORTS_ONLY } from '../../kit/engine/pulls';
import { MOBILE, SPELLINGS } from '../../kit/phoneCells';

/** What a delivery report or a reply becomes in the output. */

const { gateway, poll } = useGatewayPerTest();

const REPORT = { batch_id: 'b', phone_number: '13800138000', status: 'DELIVRD' };

const DAY = 86_400;
const IN_A_MONTH = Math.floor(Date.now() / 1000) + 30 * DAY;
const IN_TWO_YEARS = Math.floor(Date.now() / 1000) + 730 * DAY;

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
  [1262304000, '2010-01-01T00:00:00.000Z'],
  ['Thu, 01 Jan 2026 08:00:00 +0800', '2026-01-01T00:00:00.000Z'],
  ['1 Jan 2026 00:00 GMT', '2026-01-01T00:00:00.000Z'],
  ['Thu,  1 Jan 2026 00:00:00 UT', '2026-01-01T00:00:00.000Z'],
  ['Thu, 01 Jan 2026 08:00:00', undefined],
  // China's or America's.
  ['Thu, 01 Jan 2026 08:00:00 CST', undefined],
  ['Thu, 01 Foo 2026 08:00:00 GMT', undefined],
  ['Thu, 31 Dec 2009 23:59:59 GMT', undefined],
  [IN_A_MONTH, new Date(IN_A_MONTH * 1000).toISOString()],
  // Digits of an hour would be the year 2052, others a time long ago.
  [2601010800, undefined],
  [IN_TWO_YEARS, undefined],
  [1262303999, undefined],
  [1262303999000, undefined],
  // Digits of a month, a day and a time, such as the last second of a year, would be the year 2009.
  ['1231235959', undefined],
  [1, undefined],
  [-1, undefined],
  ['2052-06-03T18:00:00Z', undefined],
  ['1999-12-31T23:59:59Z', undefined],
  ['', undefined],
  ['soon', undefined],
  [null, undefined],
])('time_iso is the time %p in ISO 8601', async (time, timeIso) => {
  gateway.fault({ kind: 'wrongShape', body: { code: 0, data: [{ ...REPORT, time }] } });
  const poller = await poll(REPORTS_ONLY);
  expect(poller.executions.flat()).toMatchObject([{ time }]);
  expect(poller.executions.flat()[0]?.time_iso).toBe(timeIso);
});

// Guess: report-status
test.each<[EventName, given: string, texts: string]>([
  [
    'deliveryReport',
    '"batch_id":9007199254740993,"phone_number":13800138000,"user_data":0,"status":2',
    '"batch_id":"9007199254740993","phone_number":"13800138000","user_data":"0","status":"2"',
  ],
  [
    'reply',
    '"mobile":13800138000,"phone_number":2,"content":3,"sms_content":true',
    '"mobile":"13800138000","phone_number":2,"content":"3","sms_content":true',
  ],
])('%s: a number is text where the specification has a text: %s', async (event, given, texts) => {
  const others = '"split_count":2,"unknown":3,"time":1';
  gateway.fault({ kind: 'html', body: `{"code":0,"data":[{${given},${others}}]}` });
  const poller = await poll({ events: [event] });
  expect(poller.executions.flat()).toEqual([{ event, ...JSON.parse(`{${texts},${others}}`) }]);
});

test('fields event and time_iso of the service are kept', async () => {
  const own = { ...REPORT, time: 1, event: 'delivered', time_iso: 'theirs' };
  gateway.fault({ kind: 'wrongShape', body: { code: 0, data: [own] } });
  const poller = await poll(REPORTS_ONLY);
  expect(poller.executions.flat()).toEqual([
    { ...own, event: 'deliveryReport', service_event: 'delivered' },
  ]);
});

// Guess: reply-phone
test.each<[EventName, given: IDataObject, changes: IDataObject]>([
  ['reply', { mobile: 8613800138000 }, { mobile: '8613800138000', phone_number: MOBILE }],
  ['reply', { mobile: '+8613800138000' }, { phone_number: MOBILE }],
  ['reply', { mobile: MOBILE }, { phone_number: MOBILE }],
  // A number of another country, and what is none.
  ['reply', { mobile: '85261234567' }, { phone_number: '85261234567' }],
  ['reply', { mobile: '106980001' }, { phone_number: '106980001' }],
  ['reply', { mobile: '' }, { phone_number: '' }],
  ['reply', { mobile: '8613800138000', phone_number: '8613800138000' }, { phone_number: MOBILE }],
  ['reply', { mobile: MOBILE, phone_number: '8613800138000' }, read('8613800138000')],
  ['reply', { phone_number: 8613800138000 }, read(8613800138000)],
  ...SPELLINGS.flatMap(([, cells]) => cells as IDataObject[string][])
    .filter((cell) => typeof cell === 'string' && cell.trim() !== MOBILE)
    .map((cell): [EventName, IDataObject, IDataObject] => [
      'deliveryReport',
      { phone_number: cell },
      read(cell),
    ]),
  ...[MOBILE, '13800138000,13900139000', null].map(
    (phone_number): [EventName, IDataObject, IDataObject] => [
      'deliveryReport',
      { phone_number },
      {},
    ],
  ),
  ['deliveryReport', { status: 'DELIVRD' }, {}],
])('%s: of %j come %j', (event, given, changes) => {
  expect(toItems(EVENTS[event], [given])).toEqual([{ json: { event, ...given, ...changes } }]);
});

/** What is said of a number that was written otherwise. */
function read(phone_number_original: IDataObject[string]): IDataObject {
  return { phone_number: MOBILE, phone_number_original };
}

test('a record in edited static data that is not an object is kept as value', () => {
  expect(toItems(EVENTS.reply, [7])).toEqual([{ json: { event: 'reply', value: 7 } }]);
});
