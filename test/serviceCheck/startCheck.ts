import { readConnection } from '../../nodes/SmsMessagingService/service/connection';
import type { Gateway } from '../sandbox/gateway';
import { ask } from './ask';
import { check } from './load';
import type { Report } from './load';

/** What a test changes in a check of a gateway. */
export interface Changes {
  pull?: boolean;
  /** Fields of the credential. */
  credential?: Record<string, unknown>;
}

/** Checks a gateway as the command does, without pauses. */
export async function checkGateway(
  gateway: Gateway,
  { pull = false, credential = {} }: Changes = {},
): Promise<Report> {
  const data = { ...gateway.credential(), ...credential };
  // As a user enters line breaks.
  const signaturePayload = String(data.signaturePayload).replaceAll('\n', '\\n');
  const connection = readConnection({ ...data, signaturePayload } as never);
  const answers = await ask(connection, check.plan({ pull }), { pauseMs: 0, timeoutMs: 2_000 });
  return check.report(answers, 'in a file');
}

/** The rows of a report: what it is about → verdict and what was found. */
export function rowsOf({ rows }: Report): Record<string, string> {
  return Object.fromEntries(
    rows.map(({ about, verdict, found }) => [about, `${verdict}: ${found}`]),
  );
}
