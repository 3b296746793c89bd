import { startGateway } from '../sandbox/gateway';
import type { Gateway } from '../sandbox/gateway';
import { serve } from './child';

/* Runs the sandbox gateways in a process of their own, so that their CPU time is not measured. */

/** Data of the n8n credential. */
export type Credential = Record<string, unknown>;

/** Asks for the counters of a gateway. */
export interface GatewayQuestion {
  /** Milliseconds that the gateway delays its answers. There is one gateway for each value. */
  latencyMs: number;
  /** Resets the gateway first, and queues this number of delivery reports. */
  reset?: { reports: number };
}

/** What the gateway has counted since its last reset. */
export interface GatewayAnswer {
  credential: Credential;
  requests: number;
  maxInFlight: number;
  /** Number of phone numbers with at least one accepted message. */
  reached: number;
  /** Number of phone numbers with more than one accepted message. */
  repeated: number;
  reportsLeft: number;
}

const gateways = new Map<number, Promise<Gateway>>();

function gatewayWith(latencyMs: number): Promise<Gateway> {
  let gateway = gateways.get(latencyMs);
  if (gateway === undefined) {
    gateway = startGateway({ latencyMs, recordRequests: false, validate: false });
    gateways.set(latencyMs, gateway);
  }
  return gateway;
}

void serve<null, GatewayQuestion, GatewayAnswer>(async () => async ({ latencyMs, reset }) => {
  const gateway = await gatewayWith(latencyMs);
  if (reset) {
    gateway.reset();
    gateway.queueReports(reset.reports);
    global.gc?.();
  }
  const deliveries = [...gateway.deliveries().values()];
  return {
    credential: gateway.credential(),
    requests: gateway.requestCount,
    maxInFlight: gateway.maxInFlight,
    reached: deliveries.length,
    repeated: deliveries.filter((count) => count > 1).length,
    reportsLeft: gateway.state.reportsLeft,
  };
});
