import { EVENTS } from '../../../nodes/SmsMessagingService/receiving/events';
import { normaliseRecord } from '../../../nodes/SmsMessagingService/receiving/items';
import { RecordMemory } from '../../../nodes/SmsMessagingService/receiving/recordMemory';
import { createHarness, TRIGGER } from '../../engine/harness';
import { REPORTS, REPORTS_ONLY } from '../../engine/harness/pulls';
import type { Probes, Scene } from './scene';
import { bodiesOf, defaultOf, numbersFrom, outputOf } from './scene';

const PULL = { resource: 'deliveryReport', operation: 'pull' };
const REPORT = { batch_id: 'b', phone_number: '13800138000', status: 'DELIVRD' };

/** One poll of a trigger for delivery reports: the records that it hands over. */
async function poll(scene: Scene) {
  const poller = scene.createPoller(REPORTS_ONLY);
  await poller.tick();
  await poller.deactivate();
  return poller.executions.flat();
}

const timeIsoOf = (time: unknown) =>
  normaliseRecord(EVENTS.deliveryReport, { time } as never).time_iso;

/** The guesses about pulls, and about the records that they bring. */
export const PULLS: Probes = {
  'Whether a pull takes records out of the queue': async (scene) => {
    scene.gateway.queueReports(3);
    scene.gateway.fault({ kind: 'notConsuming', path: REPORTS, times: 4 });
    const poller = scene.createPoller(REPORTS_ONLY);
    await poller.tick();
    await poller.tick();
    await poller.deactivate();
    return poller.executions.flat().length === 3 ? '3 of 3' : 'another number';
  },

  'Records that are the same': () => {
    const memory = new RecordMemory();
    const record = (number: number) => ({ number });
    const mark = (page: unknown[]) => {
      const sighting = memory.look(page);
      memory.mark(sighting);
      return sighting.fresh.length;
    };
    const fresh = [mark([record(0), record(0)]), mark([record(0)])];
    for (const page of numbersFrom(1, 50))
      mark(numbersFrom(page * 100, page * 100 + 99).map(record));
    const all = numbersFrom(100, 5099).map(record);
    const remembered = all.length - memory.look(all).fresh.length;
    return [fresh.join(', '), `${remembered} records`];
  },

  'Highest count': async (scene) => {
    scene.gateway.fault({ kind: 'businessCode', code: 9000, path: REPORTS, times: Infinity });
    await poll(scene);
    const byTrigger = bodiesOf(scene).map(({ count }) => count);
    await outputOf(scene, PULL);
    const byHand = bodiesOf(scene).slice(byTrigger.length);
    return [byTrigger.join(', '), byHand.map(({ count }) => count).join(', ')];
  },

  'Whether a short page is the last': async (scene) => {
    await poll(scene);
    const empty = scene.gateway.requests.length;
    scene.gateway.queueReports(3);
    await poll(scene);
    return [empty, scene.gateway.requests.length - empty].map(
      (requests) => `${requests} request${requests === 1 ? '' : 's'}`,
    );
  },

  'How often and how much may be pulled': async (scene) => {
    scene.gateway.fault({ kind: 'slow', delayMs: 100, times: Infinity });
    const poller = scene.createPoller({});
    await poller.tick();
    await poller.deactivate();
    const atATime = scene.gateway.maxInFlight;
    scene.gateway.reset();
    scene.gateway.queueReports(10_200);
    const taken = (await poll(scene)).length;
    return [
      ...new Set([defaultOf(scene, 'Max Records per Poll'), `${taken}`]),
      `${atATime} at a time`,
    ];
  },

  'Shape of the answer to a pull': async (scene) => {
    const shapes: Record<string, unknown> = {
      data: { code: 0, data: [REPORT] },
      'data.list': { code: 0, data: { list: [REPORT] } },
      records: { code: 0, records: [REPORT] },
      '[]': [REPORT],
      '[[]]': [[REPORT]],
      'data as text': { code: 0, data: JSON.stringify([REPORT]) },
      unknown: { code: 0, data: [[1, 2]], result: 'a' },
      'other fields': { code: 0, data: { rows: [{ x: 1 }] } },
    };
    const events: Record<string, string[]> = {};
    for (const [name, body] of Object.entries(shapes)) {
      scene.gateway.fault({ kind: 'wrongShape', body });
      const [item] = await poll(scene);
      (events[item?.status === 'DELIVRD' ? 'read' : String(item?.event)] ??= []).push(name);
    }
    const { read = [], unreadable = [] } = events;
    return [read.join(', '), unreadable.length > 0 ? 'unreadable' : 'lost'];
  },

  'Pulls without records': async (scene) => {
    const bodies = [
      { code: 0 },
      { code: 0, data: null },
      { code: 0, data: '' },
      { code: 0, data: {} },
    ];
    const empty: string[] = [];
    for (const body of bodies) {
      scene.gateway.fault({ kind: 'wrongShape', body });
      if ((await poll(scene)).length === 0) empty.push(JSON.stringify(body));
    }
    return empty;
  },

  'Code of an empty queue': async (scene) => {
    const code = '1004';
    scene.gateway.fault({ kind: 'businessCode', code: 1004, times: Infinity });
    const credential = { ...scene.credential, customResultCodes: true, emptyCodes: code };
    const listed = await createHarness(credential);
    const { error, json } = await listed.execute(PULL);
    const words = [];
    for (const msg of ['暂无数据', 'no records', 'E1004']) {
      scene.gateway.reset();
      scene.gateway.fault({ kind: 'businessCode', code: 1004, msg, times: Infinity });
      if (!(await scene.execute(PULL)).error) words.push(msg);
    }
    return [...words, code, error ? 'an error' : `${json.length} records`];
  },

  'Unit and form of time': () => {
    const second = timeIsoOf(1767225600);
    const times = [
      1767225600000,
      '1767225600',
      '2026-01-01T00:00:00Z',
      '2026-01-01 08:00:00 +0800',
    ];
    const alike = times.filter((time) => timeIsoOf(time) === second);
    const powers = numbersFrom(1, 20).map((power) => 10 ** power);
    const known = powers.filter((time) => timeIsoOf(time) !== undefined);
    const none = [2601010800].filter((time) => timeIsoOf(time) === undefined);
    return [
      String(second),
      ...alike.map(String),
      ...known.map((time) => time.toExponential()),
      ...none.map(String),
    ];
  },

  'Time without a zone': async (scene) => {
    const time = '2026-01-01 08:00:00';
    scene.gateway.fault({ kind: 'wrongShape', body: { code: 0, data: [{ ...REPORT, time }] } });
    const [item] = await poll(scene);
    return item && !('time_iso' in item) ? String(item.time) : 'time_iso';
  },

  'Phone number of a reply': async (scene) => {
    scene.gateway.fault({ kind: 'wrongShape', body: { code: 0, data: [{ mobile: 13800138000 }] } });
    const [item] = await outputOf(scene, { resource: 'reply', operation: 'pull' });
    const { mobile, phone_number } = item ?? {};
    return JSON.stringify({ mobile, phone_number });
  },

  "Values of a report's status": async (scene) => {
    const data = ['UNDELIV', '', 'anything'].map((status) => ({ ...REPORT, status }));
    scene.gateway.fault({ kind: 'wrongShape', body: { code: 0, data } });
    const json = await outputOf(scene, PULL);
    return JSON.stringify(json.map(({ status }) => status));
  },

  Push: ({ getNodeType }) => {
    const description = getNodeType(TRIGGER).description;
    return ['polling', 'webhooks'].filter((name) => name in description).join(', ');
  },

  'Two triggers for one account': async (scene) => {
    const first = scene.createPoller(REPORTS_ONLY, { workflowName: 'First' });
    await first.activate();
    const second = scene.createPoller(REPORTS_ONLY);
    const message = await second.activate().then(
      () => 'published',
      (error: Error) => error.message,
    );
    await Promise.all([first.deactivate(), second.deactivate()]);
    return message.replace(/^.*" /, '');
  },
};
