import { startGateway } from '../sandbox/gateway';
import type { Gateway } from '../sandbox/gateway';
import { serve } from './child';

/** The sandbox in a process of its own, so that its CPU is not counted as a contestant's. */

export type Credential = Record<string, unknown>;

export interface GatewayQuestion {
  /** Which of the gateways: the one that answers after so many milliseconds. */
  latencyMs: number;
  /** Puts it back to the start, with so many delivery reports queued. */
  reset?: { reports: number };
}

export interface GatewayAnswer {
  credential: Credential;
  requests: number;
  maxInFlight: number;
  /** Phone numbers that a message was accepted for, and those of them that got more than one. */
  reached: number;
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
