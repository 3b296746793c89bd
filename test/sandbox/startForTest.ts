import type { Gateway, GatewayOptions } from './gateway';
import { startGateway } from './gateway';

const running: Gateway[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map(async (gateway) => gateway.close()));
});

/** Starts a gateway, and closes it after the running test. Only for test files, because it uses jest. */
export async function startForTest(options: GatewayOptions = {}): Promise<Gateway> {
  const gateway = await startGateway(options);
  running.push(gateway);
  return gateway;
}
