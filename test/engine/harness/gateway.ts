import { startGateway } from '../../sandbox/gateway';
import type { Gateway, GatewayOptions } from '../../sandbox/gateway';
import { createHarness } from '.';
import type { Harness } from '.';

/** A sandbox gateway, and n8n with a credential for it. */
export interface World extends Harness {
  gateway: Gateway;
}

async function startWorld(options: GatewayOptions): Promise<World> {
  const gateway = await startGateway(options);
  return { gateway, ...(await createHarness(gateway.credential())) };
}

/**
 * Starts one gateway for all tests of a file. After each test the gateway must have seen no request that
 * breaks the contract, and then forgets everything.
 *
 * @param use gets the gateway and n8n before the first test
 * @param check looks at the gateway after each test, before it forgets
 */
export function shareGateway(
  use: (world: World) => void,
  {
    check = () => undefined,
    ...options
  }: GatewayOptions & { check?: (gateway: Gateway) => void } = {},
): void {
  let gateway: Gateway;

  beforeAll(async () => {
    const world = await startWorld(options);
    ({ gateway } = world);
    use(world);
  });

  afterEach(() => {
    const violations = [...gateway.violations];
    try {
      check(gateway);
    } finally {
      gateway.reset();
    }
    expect(violations).toEqual([]);
  });

  afterAll(() => gateway.close());
}

/**
 * Starts a gateway for each test of a file, for what must not meet in one account, such as triggers.
 * After each test the gateway must have seen no request that breaks the contract.
 *
 * @param use gets the gateway and n8n before each test
 * @returns starts another gateway with these options in the place of the test's first one
 */
export function gatewayPerTest(
  use: (world: World) => void,
): (options: GatewayOptions) => Promise<World> {
  let gateway: Gateway;

  const start = async (options: GatewayOptions) => {
    const world = await startWorld(options);
    ({ gateway } = world);
    use(world);
    return world;
  };

  beforeEach(async () => {
    await start({});
  });

  afterEach(async () => {
    expect(gateway.violations).toEqual([]);
    await gateway.close();
  });

  return async (options) => {
    await gateway.close();
    return await start(options);
  };
}
