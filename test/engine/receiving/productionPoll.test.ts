import { sleep } from 'n8n-workflow';
import { createOtherHarness } from '../harness';
import { useGatewayPerTest } from '../harness/gateway';
import { setForward } from '../harness/pauses';
import { countDistinct, REPORTS_ONLY } from '../harness/pulls';
import { descriptionOf } from '../harness/sends';

/** How much is pulled while n8n has not confirmed what it got. */

const { gateway, createPoller } = useGatewayPerTest();

const startOtherProcess = async () => await createOtherHarness(gateway.credential());

describe('a poll', () => {
  describe('whose executions are refused late', () => {
    /** Well after the two seconds that the trigger waits. */
    const LATE_MS = 6_000;

    const refusing = (isDown: () => boolean) => async () => {
      if (!isDown()) return;
      await sleep(LATE_MS);
      throw new Error('The database is down');
    };

    const untilRefused = async () => await sleep(2 * LATE_MS);

    test('pulls nothing more until n8n takes the left-overs, reports it, and loses nothing', async () => {
      gateway.queueReports(900);
      let isDown = true;
      const poller = createPoller(
        { ...REPORTS_ONLY, options: { pullSize: 10 } },
        { onExecution: refusing(() => isDown) },
      );
      for (let polls = 0; polls < 3; polls++) {
        await poller.tick();
        await untilRefused();
      }
      // The refused page, and the pages that were pulled before the refusal.
      expect(900 - gateway.state.reportsLeft).toBeLessThanOrEqual(40);
      expect(poller.executions.flat()).toEqual([]);
      expect(poller.errors.length).toBeGreaterThanOrEqual(3);
      for (const error of poller.errors) {
        expect(error.message).toContain('n8n did not start the workflow');
        expect(descriptionOf(error)).toContain('The delivery reports (10) are kept');
      }
      expect(JSON.stringify(poller.saved).length).toBeLessThan(24_000);

      isDown = false;
      await poller.tick();
      expect(poller.executions.flat()).toHaveLength(900);
      expect(countDistinct(poller.executions.flat())).toBe(900);
      await poller.tick();
      expect(poller.executions.flat()).toHaveLength(900);
    });

    test('has saved the left-overs when n8n stops then', async () => {
      gateway.queueReports(10);
      const poller = createPoller(
        { ...REPORTS_ONLY, options: { pullSize: 10, itemsPerExecution: 1 } },
        { onExecution: refusing(() => true) },
      );
      await poller.tick();
      await untilRefused();
      await poller.deactivate();
      // Ten executions were refused, and there is one error.
      expect(poller.errors.map(({ message }) => message)).toEqual([
        'n8n did not start the workflow: The database is down',
      ]);
      expect(descriptionOf(poller.errors[0])).toContain('The delivery reports (10) are kept');
      const restarted = (await startOtherProcess()).createPoller(REPORTS_ONLY, {
        restarted: poller.saved,
      });
      await restarted.tick();
      expect(restarted.executions.flat()).toHaveLength(10);
    });
  });

  test('saves a refused page once, for any number of its executions', async () => {
    gateway.queueReports(100);
    const handedOver: number[] = [];
    const poller = createPoller(
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

  test('does not count a record as seen that n8n never got', async () => {
    gateway.queueReports(20);
    const parameters = { ...REPORTS_ONLY, options: { pullSize: 10 } };
    let isDown = true;
    let handOvers = 0;
    const poller = createPoller(parameters, {
      onExecution: async () => {
        await sleep(isDown ? 6_000 : 0);
        return isDown ? 'no run' : undefined;
      },
      // n8n is killed when the second left-over page is handed over.
      onEmit: () => (isDown || ++handOvers === 1 ? 'usual' : 'gone'),
    });
    await poller.tick();
    await sleep(12_000);
    isDown = false;
    await poller.tick();
    expect(poller.executions).toHaveLength(1);

    const restarted = (await startOtherProcess()).createPoller(parameters, {
      restarted: poller.saved,
    });
    await restarted.tick();
    const items = [...poller.executions, ...restarted.executions].flat();
    expect(items).toHaveLength(20);
    expect(countDistinct(items)).toBe(20);
  });

  test('continues while executions take long, with at most ten unconfirmed pages at a time', async () => {
    gateway.queueReports(25);
    const poller = createPoller(
      { ...REPORTS_ONLY, options: { pullSize: 1 } },
      { onExecution: () => new Promise(() => undefined) },
    );
    await poller.tick();
    expect(gateway.state.reportsLeft).toBe(15);
    expect(gateway.maxInFlight).toBe(1);
    // Set back by an hour: the clock that a user can set does not count.
    const wall = jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000);
    for (const left of [5, 0]) {
      setForward(60_000);
      await poller.tick();
      expect(gateway.state.reportsLeft).toBe(left);
    }
    wall.mockRestore();
    expect(poller.errors).toEqual([]);
  });
});
