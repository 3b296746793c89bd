import { startGateway } from '../sandbox/gateway';
import type { Gateway } from '../sandbox/gateway';
import { serve } from '../kit/n8n/child';

/* Runs the sandbox gateways in a process of their own, so that their work is not measured. */

/** Data of the n8n credential. */
export type Credential = Record<'baseUrl' | 'apiKey' | 'apiSecret', string>;

/** Asks what a gateway has counted. */
export interface GatewayQuestion {
  /** Milliseconds that the gateway delays its answers. There is one gateway for each value. */
  latencyMs: number;
  /** Resets the gateway first, and queues this number of delivery reports. */
  reset?: { reports: number };
}

/** What the gateway has counted since its last reset. */
export interface GatewayAnswer {
  credential: Credential;
  /** Number of phone numbers with at least one accepted message, and with more than one. */
  reached: number;
  repeated: number;
  reportsLeft: number;
}

const gateways = new Map<number, Promise<Gateway>>();

void serve<null, GatewayQuestion, GatewayAnswer>(async () => async ({ latencyMs, reset }) => {
  const known = gateways.get(latencyMs);
  const started = known ?? startGateway({ latencyMs, recordRequests: false, validate: false });
  gateways.set(latencyMs, started);
  const gateway = await started;
  if (reset) {
    gateway.reset();
    gateway.queueReports(reset.reports);
    global.gc?.();
  }
  const deliveries = [...gateway.deliveries().values()];
  return {
    credential: gateway.credential() as Credential,
    reached: deliveries.length,
    repeated: deliveries.filter((count) => count > 1).length,
    reportsLeft: gateway.state.reportsLeft,
  };
});
