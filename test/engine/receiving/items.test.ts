import * as fc from 'fast-check';
import { normaliseRecord } from '../../../dist/nodes/SmsMessagingService/receiving/items';
import type { Gateway } from '../../sandbox/gateway';
import type { Harness } from '../harness';
import { jsonValue, withFields } from '../harness/arbitraries';
import { gatewayPerTest } from '../harness/gateway';
import { REPORTS_ONLY } from '../harness/pulls';

/** What a delivery report or a reply becomes in the output. */

let gateway: Gateway;
let createPoller: Harness['createPoller'];

gatewayPerTest((world) => {
  ({ gateway, createPoller } = world);
});

const REPORT = { batch_id: 'b', phone_number: '13800138000', status: 'DELIVRD' };

test.each([
  [1767225600, '2026-01-01T00:00:00.000Z'],
  [1767225600123, '2026-01-01T00:00:00.123Z'],
  ['1767225600', '2026-01-01T00:00:00.000Z'],
  ['soon', undefined],
  [null, undefined],
])('time_iso is the time %p in ISO 8601', async (time, timeIso) => {
  gateway.fault({ kind: 'wrongShape', body: { code: 0, data: [{ ...REPORT, time }] } });
  const poller = createPoller(REPORTS_ONLY);
  await poller.tick();
  expect(poller.executions.flat()).toMatchObject([{ time }]);
  expect(poller.executions.flat()[0]?.time_iso).toBe(timeIso);
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

test('a reply has its phone number as phone_number, as a report does', async () => {
  gateway.queueReplies(1);
  const poller = createPoller({ events: ['reply'] });
  await poller.tick();
  const [reply] = poller.executions.flat();
  expect(reply?.phone_number).toBe(reply?.mobile);
  expect(reply?.phone_number).toMatch(/^1\d{10}$/);
});

describe('a pulled record', () => {
  test.each(['deliveryReport', 'reply'] as const)('%s: no field is lost', (event) => {
    fc.assert(
      fc.property(withFields(['time', 'mobile', 'phone_number', 'batch_id']), (record) => {
        const { mobile } = record;
        const isNumber = typeof mobile === 'number' || typeof mobile === 'string';
        expect(normaliseRecord(event, record)).toEqual({
          ...record,
          ...(isNumber ? { mobile: String(mobile) } : {}),
          ...(isNumber && !('phone_number' in record) ? { phone_number: String(mobile) } : {}),
          event,
          ...('time_iso' in normaliseRecord(event, record) ? { time_iso: expect.anything() } : {}),
        });
      }),
    );
  });

  test('that is not an object is kept as value', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.integer(), fc.array(jsonValue), fc.constant(null)),
        (value) => {
          expect(normaliseRecord('reply', value)).toEqual({ event: 'reply', value });
        },
      ),
    );
  });
});
