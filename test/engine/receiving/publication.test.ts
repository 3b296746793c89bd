import type { NodeOperationError, WorkflowActivateMode } from 'n8n-workflow';
import type { Fault } from '../../sandbox/gateway';
import { useGatewayPerTest } from '../../kit/engine/gateway';
import type { Poller, PollerOptions } from '../../kit/engine/poller';
import { REPLIES, REPORTS_ONLY } from '../../kit/engine/pulls';
import { since } from '../../kit/engine/since';

/** The first poll of a trigger: what fails there, and when the trigger stays registered all the same. */

const { gateway, createPoller, publish } = useGatewayPerTest();

test.each<[Fault, RegExp]>([
  // Its code may have to be listed, or the page be smaller.
  [
    { kind: 'businessCode', code: 1002, msg: '暂无配置通道' },
    /: 暂无配置通道 \(code 1002\).*'Empty Codes'.* lower 'Pull Size'/,
  ],
  [{ kind: 'status', status: 401 }, /HTTP 401/],
  [{ kind: 'status', status: 403 }, /HTTP 403/],
])('%j is an error at publication', async (fault, message) => {
  gateway.fault({ ...fault, times: Infinity });
  await expect(publish({})).rejects.toThrow(message);
});

test.each<[WorkflowActivateMode, string, Fault, errors: number, records: number]>([
  ['activate', 'out of reach', { kind: 'resetBeforeAccept', times: 2 }, 1, 3],
  ['activate', 'out of order', { kind: 'status', status: 503, times: 2 }, 1, 3],
  ['activate', 'busy for a moment', { kind: 'tooManyRequests', times: 2 }, 0, 3],
  ['activate', 'busy all the time', { kind: 'tooManyRequests', times: Infinity }, 0, 0],
  // Nobody can publish again there.
  ['init', 'out of reach', { kind: 'resetBeforeAccept', times: 2 }, 1, 3],
  ['leadershipChange', 'out of order', { kind: 'status', status: 503, times: 2 }, 1, 3],
  ['leadershipChange', 'refusing', { kind: 'businessCode', code: 1002, times: 2 }, 1, 3],
])(
  'at activation "%s" the trigger stays registered when the service is %s, and the next poll works',
  async (activation, _, fault, errors, records) => {
    gateway.queueReports(3);
    gateway.fault(fault);
    const poller = await publish({}, { activation });
    expect(poller.errors).toHaveLength(errors);
    await poller.tick();
    expect([poller.executions.flat().length, poller.errors.length]).toEqual([records, errors]);
  },
);

since('2.38').test(
  'a later poll that fails throws, so that the back-off of n8n applies',
  async () => {
    gateway.fault({ kind: 'status', status: 503, times: 6 });
    const options = { workflowId: 'on-the-scheduler' } as const;
    const poller = createPoller({}, { ...options, budgetMs: 36_000 });
    await expect(poller.activate()).rejects.toThrow('HTTP 503');
    const other = await publish({}, options);
    await expect(other.activate()).rejects.toThrow();
  },
);

describe('while the service refuses the replies', () => {
  beforeEach(() => {
    const refusal = { kind: 'businessCode', code: 9, msg: 'closed', times: Infinity } as const;
    gateway.fault({ ...refusal, path: REPLIES });
  });

  since('2.38').test('the reports keep their rhythm: the poll does not throw', async () => {
    const poller = await publish({}, { budgetMs: 36_000 });
    gateway.queueReports(3);
    await poller.activate();
    expect(poller.executions.flat()).toHaveLength(3);
    expect(poller.errors.map(({ message }) => message)).toEqual(
      Array(2).fill('The service rejected the request: closed (code 9), while pulling replies'),
    );
  });

  test('a publication that has handed over reports succeeds', async () => {
    gateway.queueReports(3);
    const poller = await publish({});
    expect(poller.executions.flat()).toHaveLength(3);
    expect(poller.errors).toHaveLength(1);
  });

  test('a publication without any record fails: the publisher can mend it', async () => {
    const poller = createPoller({}, { activation: 'update' });
    await expect(poller.activate()).rejects.toThrow('closed (code 9)');
  });
});

/** What a publisher must mend: nobody can publish with it, unless a trigger of the workflow is alive. */
describe('a publication with something to mend', () => {
  let workflowId: string;
  let workflows = 0;
  beforeEach(() => {
    workflowId = `alive-${++workflows}`;
  });
  const refuse = () => gateway.fault({ kind: 'businessCode', code: 1, times: Infinity });

  /** What a failed execution says: what is wrong, and what is polled now. */
  const textOf = ({ errors }: Poller) =>
    errors.map((error) => `${error.message}\n${(error as NodeOperationError).description}`);
  const GOES_ON =
    /The trigger stays registered with these settings, and its next poll tries again\.$/;

  async function closed(options: PollerOptions = {}): Promise<void> {
    const poller = await publish({}, { workflowId, ...options });
    await poller.deactivate();
  }

  const isAlive = async (poller: Poller) => {
    expect(textOf(poller)).toEqual([expect.stringMatching(GOES_ON)]);
    expect(textOf(poller)[0]).toContain('code 1');
    gateway.clearFaults();
    gateway.queueReports(3);
    await poller.tick();
    expect(poller.executions.flat()).toHaveLength(3);
    expect(poller.errors).toHaveLength(1);
  };

  test.each<[string, before: () => Promise<unknown>, after: PollerOptions, isFaulty?: boolean]>([
    ['of a live trigger that is renamed', closed, { node: { name: 'Inbox' } }],
    ['of a trigger that replaces a live one', closed, { node: { id: 'node-2' } }],
    ['after a change of the leader', () => closed({ activation: 'leadershipChange' }), {}],
    // As on the durable scheduler.
    [
      'after a start of n8n without a poll',
      () => createPoller({}, { workflowId, activation: 'init' }).deactivate(),
      {},
    ],
    ['after a start of n8n whose poll failed', () => closed({ activation: 'init' }), {}, true],
  ])('%s: it stays registered, and a failed execution says so', async (...row) => {
    const [, before, after, isFaulty] = row;
    if (isFaulty) refuse();
    await before();
    if (!isFaulty) refuse();
    const options = { workflowId, activation: 'update', ...after } as const;
    await isAlive(await publish({ options: { pullSize: 50 } }, options));
  });

  test('of a further trigger in a live workflow: it stays registered', async () => {
    await publish({ events: ['reply'] }, { workflowId });
    refuse();
    const added = { workflowId, node: { id: 'node-2', name: 'Reports' } };
    await isAlive(await publish(REPORTS_ONLY, added));
  });

  test('of a new workflow is refused where n8n registers the trigger twice at once', async () => {
    refuse();
    const pollers = [1, 2].map(() => createPoller({}, { workflowId }));
    const results = await Promise.allSettled(pollers.map((poller) => poller.activate()));
    expect(results.map(({ status }) => status)).toContain('rejected');
    expect(pollers.flatMap(({ errors }) => errors)).toEqual([]);
  });

  test('of a new workflow is refused, and again while nothing is mended', async () => {
    refuse();
    for (const activation of ['activate', 'update', 'update'] as const) {
      const poller = createPoller({}, { workflowId, activation });
      await expect(poller.activate()).rejects.toThrow('code 1');
      await poller.deactivate();
      expect(poller.errors).toEqual([]);
    }
    gateway.clearFaults();
    await publish({}, { workflowId, activation: 'update' });
    const other = createPoller({}, { workflowId: 'another' });
    await expect(other.activate()).rejects.toThrow('already starts');
  });

  test('of a live trigger with settings that cannot be used: each poll says so', async () => {
    await closed();
    const poller = await publish({ options: { pullSize: 0 } }, { workflowId });
    expect(textOf(poller)).toEqual([expect.stringMatching(/'Pull Size'/)]);
    expect(textOf(poller)).toEqual([expect.stringMatching(GOES_ON)]);
    await expect(poller.tick()).resolves.toBeUndefined();
    expect(poller.errors).toHaveLength(2);
  });

  describe('of a live trigger that conflicts with another workflow', () => {
    const holding = (events: string[]) => publish({ events }, { workflowName: 'Inbox' });

    test.each([
      [['reply'], 'This trigger pulls only the delivery reports meanwhile', 5],
      [['reply', 'deliveryReport'], 'This trigger pulls nothing meanwhile', 0],
    ])('%j: it stays registered, and leaves those events alone', async (events, says, records) => {
      // Alive with the event that is free, or with none of them any more.
      await publish({ events: ['deliveryReport'] }, { workflowId }).then((live) =>
        live.deactivate(),
      );
      const inbox = await holding(events);
      const poller = await publish({}, { workflowId, activation: 'update' });
      expect(textOf(poller)).toEqual([expect.stringContaining('"Inbox" already starts')]);
      expect(textOf(poller)[0]).toMatch(new RegExp(`${says}\\.$`));
      gateway.queueReports(5);
      gateway.queueReplies(5);
      await poller.tick();
      expect(poller.executions.flat()).toHaveLength(records);
      expect(poller.errors).toHaveLength(1);
      await inbox.tick();
      expect(inbox.executions.flat()).toHaveLength(10 - records);
      // The other one is gone: from the next poll on, this trigger has all of them.
      await inbox.deactivate();
      gateway.queueReplies(2);
      await poller.tick();
      expect(poller.executions.flat()).toHaveLength(records + 2);
    });

    test('is told at each publication, and then once an hour', async () => {
      await closed();
      await holding(['reply']);
      for (const time of [1, 2]) {
        const poller = await publish({}, { workflowId, activation: 'update' });
        await poller.tick(2);
        expect([time, poller.errors.length]).toEqual([time, 1]);
        await poller.deactivate();
      }
    });
  });
});
