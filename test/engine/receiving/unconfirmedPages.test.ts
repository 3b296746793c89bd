import { setTimeout as sleep } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import { startGateway } from '../../sandbox/gateway';
import type { Gateway, GatewayOptions } from '../../sandbox/gateway';
import { createHarness, createOtherHarness } from '../harness';
import type { Harness } from '../harness';

/** What is pulled while n8n has not confirmed what it got. Time is compressed: it is all about waiting. */

const COMPRESSION = 20;

let gateway: Gateway;
let harness: Harness;

async function start(options: GatewayOptions = {}) {
  gateway = await startGateway(options);
  harness = await createHarness(gateway.credential() as never);
}

/** The trigger waits in steps of this. */
const STEP_MS = 50;

/** In the same steps, so that a busy machine, on which short timers run long, slows both alike. */
async function wait(milliseconds: number): Promise<void> {
  for (let left = milliseconds; left > 0; left -= STEP_MS) {
    await sleep(Math.min(left, STEP_MS) / COMPRESSION);
  }
}

beforeEach(async () => {
  await start();
  Object.defineProperty(jest.requireActual('n8n-workflow'), 'sleep', { value: wait });
});

afterEach(async () => {
  expect(gateway.violations).toEqual([]);
  await gateway.close();
});

const startOtherProcess = async () => await createOtherHarness(gateway.credential() as never);

const REPORTS_ONLY = { events: ['deliveryReport'] };

const identity = ({ batch_id }: IDataObject) => batch_id;

describe('a poll', () => {
  describe('of which executions are refused late', () => {
    /** Well after the two seconds that the trigger waits. */
    const LATE_MS = 6_000;

    const refusing = (isDown: () => boolean) => async () => {
      if (!isDown()) return;
      await wait(LATE_MS);
      throw new Error('The database is down');
    };

    const untilRefused = async () => await wait(2 * LATE_MS);

    test('pulls nothing more until they are taken, says so, and loses nothing', async () => {
      gateway.queueReports(900);
      let isDown = true;
      const poller = harness.createPoller(
        { pullSize: 10, ...REPORTS_ONLY },
        { onExecution: refusing(() => isDown) },
      );
      for (let polls = 0; polls < 3; polls++) {
        await poller.tick();
        await untilRefused();
      }
      // The page that was refused, and those that were pulled before that was known.
      expect(900 - gateway.state.reportsLeft).toBeLessThanOrEqual(40);
      expect(poller.executions.flat()).toEqual([]);
      expect(poller.errors.length).toBeGreaterThanOrEqual(3);
      for (const { message } of poller.errors)
        expect(message).toContain('n8n did not start the workflow with 10 delivery reports');
      expect(JSON.stringify(poller.saved).length).toBeLessThan(24_000);

      isDown = false;
      await poller.tick();
      expect(poller.executions.flat()).toHaveLength(900);
      expect(new Set(poller.executions.flat().map(identity)).size).toBe(900);
      await poller.tick();
      expect(poller.executions.flat()).toHaveLength(900);
    });

    test('has saved them when it stops then', async () => {
      gateway.queueReports(10);
      const poller = harness.createPoller(
        { pullSize: 10, ...REPORTS_ONLY, options: { itemsPerExecution: 1 } },
        { onExecution: refusing(() => true) },
      );
      await poller.tick();
      await untilRefused();
      await poller.deactivate();
      // Ten executions were refused, and are told of once.
      expect(poller.errors.map(({ message }) => message)).toEqual([
        'n8n did not start the workflow with 10 delivery reports: The database is down',
      ]);
      const restarted = (await startOtherProcess()).createPoller(REPORTS_ONLY, {
        restarted: poller.saved,
      });
      await restarted.tick();
      expect(restarted.executions.flat()).toHaveLength(10);
    });
  });

  test('saves a refused page once, however many executions it was for', async () => {
    gateway.queueReports(100);
    const handedOver: number[] = [];
    const poller = harness.createPoller(
      { ...REPORTS_ONLY, options: { itemsPerExecution: 1 } },
      {
        onEmit: (items) => {
          handedOver.push(items.length);
          return 'usual';
        },
        onExecution: () => 'no run',
      },
    );
    await poller.tick();
    expect(handedOver).toEqual([...Array(100).fill(1), 0]);
  });

  test('counts no record as seen that n8n never got', async () => {
    gateway.queueReports(20);
    const parameters = { pullSize: 10, ...REPORTS_ONLY };
    let isDown = true;
    let handOvers = 0;
    const poller = harness.createPoller(parameters, {
      onExecution: async () => {
        await wait(isDown ? 6_000 : 0);
        return isDown ? 'no run' : undefined;
      },
      // Killed when it hands over the second page that it has kept.
      onEmit: () => (isDown || ++handOvers === 1 ? 'usual' : 'gone'),
    });
    await poller.tick();
    await wait(12_000);
    isDown = false;
    await poller.tick();
    expect(poller.executions).toHaveLength(1);

    const restarted = (await startOtherProcess()).createPoller(parameters, {
      restarted: poller.saved,
    });
    await restarted.tick();
    const items = [...poller.executions, ...restarted.executions].flat();
    expect(items).toHaveLength(20);
    expect(new Set(items.map(identity)).size).toBe(20);
  });

  test('goes on while an execution takes long, ten pages at a time', async () => {
    gateway.queueReports(25);
    const poller = harness.createPoller(
      { pullSize: 1, ...REPORTS_ONLY },
      { onExecution: () => new Promise(() => undefined) },
    );
    await poller.tick();
    expect(gateway.state.reportsLeft).toBe(15);
    expect(gateway.maxInFlight).toBe(1);
    const clock = jest.spyOn(Date, 'now');
    for (const left of [5, 0]) {
      const minutes = left === 5 ? 1 : 2;
      const real = performance.timeOrigin + performance.now();
      clock.mockImplementation(() => Math.floor(real + minutes * 60_000));
      await poller.tick();
      expect(gateway.state.reportsLeft).toBe(left);
    }
    clock.mockRestore();
    expect(poller.errors).toEqual([]);
  });
});
