import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { startGateway } from '../../sandbox/gateway';
import type { Gateway, GatewayOptions } from '../../sandbox/gateway';
import { createHarness } from '.';
import type { Harness } from '.';
import { listen } from './listen';

/** A sandbox gateway, and n8n with a credential for it. */
export interface World extends Harness {
  gateway: Gateway;
}

async function startWorld(options: GatewayOptions): Promise<World> {
  const gateway = await startGateway(options);
  return { gateway, ...(await createHarness(gateway.credential())) };
}

/**
 * Returns a handle for a value that exists only while a test runs, so that a file can name it at its top.
 *
 * @param get returns the current value
 */
function handleOf<T extends object>(get: () => T): T {
  return new Proxy((() => undefined) as unknown as T, {
    apply: (_, self, args: unknown[]) =>
      Reflect.apply(get() as (...args: unknown[]) => unknown, self, args),
    get: (_, name) => {
      const value: unknown = Reflect.get(get(), name);
      return typeof value === 'function' ? (value.bind(get()) as unknown) : value;
    },
    set: (_, name, value) => Reflect.set(get(), name, value),
  });
}

/** Returns a handle for each part of a world, so that a file can name the parts before the world exists. */
const partsOf = <T extends object>(get: () => T): T =>
  new Proxy({} as T, {
    get: (_, name) => handleOf(() => Reflect.get(get(), name) as object),
  });

/**
 * n8n for all tests of a file.
 *
 * @param credential returns the data of its credential; without it, no request can be made
 */
export function useHarness(
  credential: () => object | Promise<object> = () => ({ baseUrl: 'http://localhost', apiKey: 'k' }),
): Harness {
  let harness: Harness;
  beforeAll(async () => {
    harness = await createHarness({ ...(await credential()) });
  });
  return partsOf(() => harness);
}

/**
 * A service that a listener plays, for all tests of a file.
 *
 * @returns n8n with a credential for it that has these fields, too
 */
export function useService(listener: RequestListener): (fields?: object) => Harness {
  const server = createServer(listener);
  let address: Promise<string> | undefined;
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return (fields = {}) =>
    useHarness(async () => ({
      baseUrl: `http://${await (address ??= listen(server))}`,
      apiKey: 'exampletech',
      apiSecret: 'a-long-secret',
      ...fields,
    }));
}

/**
 * One gateway for all tests of a file, and n8n for it. Each test fails if the gateway has seen a request
 * that breaks the contract. After each test the gateway forgets everything.
 *
 * @param check examines the gateway after each test, before it forgets
 */
export function useGateway({
  check = () => undefined,
  ...options
}: GatewayOptions & { check?: (gateway: Gateway) => void } = {}): World {
  let world: World;

  beforeAll(async () => {
    world = await startWorld(options);
  });

  afterEach(() => {
    const { gateway } = world;
    const violations = [...gateway.violations];
    try {
      check(gateway);
    } finally {
      gateway.reset();
    }
    expect(violations).toEqual([]);
  });

  afterAll(() => world.gateway.close());

  return partsOf(() => world);
}

/**
 * A gateway for each test of a file, and n8n for it: for tests that must not share an account, such as
 * those of triggers. Each test fails if the gateway has seen a request that breaks the contract.
 * `restart` starts another gateway with these options instead of the test's first one.
 */
export function useGatewayPerTest(): World & {
  restart: (options: GatewayOptions) => Promise<World>;
} {
  let world: World;

  beforeEach(async () => {
    world = await startWorld({});
  });

  afterEach(async () => {
    expect(world.gateway.violations).toEqual([]);
    await world.gateway.close();
  });

  const restart = async (options: GatewayOptions) => {
    await world.gateway.close();
    world = await startWorld(options);
    return world;
  };
  return Object.assign(Object.create(partsOf(() => world)) as World, { restart });
}
