/**
 * `npm run check-service`: asks an SMS service what it does where the specification leaves it open, and
 * prints what to set. It changes nothing there.
 */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { readConnection } from '../../nodes/SmsMessagingService/service/connection';
import type { Connection } from '../../nodes/SmsMessagingService/service/connection';
import { ask } from './ask';
import { check } from './load';
import { textOf } from './text';

const USAGE = `Use: npm run check-service [-- --pull <file>]

Asks an SMS service only what changes nothing and costs nothing, and says what to set in the credential
and the nodes. It prints nothing of what the service says but statuses, codes, counts and names of fields.

  --pull <file>   also pulls one delivery report and one reply. The service does not give them out again,
                  so its answers are written to this new file, as they came.
  --help          prints this

The credential, from the environment:

  SMS_BASE_URL              as Base URL in n8n
  SMS_API_KEY               as API Key
  SMS_API_SECRET            as API Secret
  SMS_SIGNATURE_PAYLOAD     as Request Signing Template; optional
  SMS_SIGNATURE_ALGORITHM   sha256 (default) or hmacSha256
  SMS_AUTHORIZATION_TOKEN   as Authorization Token; optional
  SMS_ALLOW_HTTP            true allows plain http, as Allow HTTP

Exit code: 0 when it could ask, whatever it found; 1 when something above is missing or wrong.`;

/** Ends the program with a text instead of a stack trace. */
class UsageError extends Error {}

async function main(): Promise<void> {
  const { help, pull } = readArguments();
  if (help) {
    console.log(USAGE);
    return;
  }
  const connection = readEnvironment(process.env);
  const file = pull === undefined ? undefined : openNew(pull);
  const requests = check.plan({ pull: file !== undefined });
  console.log(`Asking ${requests.length} questions ...\n`);
  const answers = await ask(connection, requests, {
    keep:
      file === undefined
        ? undefined
        : (bytes) => {
            writeSync(file, bytes);
            fsyncSync(file);
          },
  });
  if (file !== undefined) closeSync(file);
  console.log(textOf(check.report(answers, `in ${pull}`)));
}

function readArguments(): { help?: boolean; pull?: string } {
  try {
    return parseArgs({ options: { help: { type: 'boolean' }, pull: { type: 'string' } } }).values;
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${USAGE}`);
  }
}

/** The credential, checked as the nodes check it. */
function readEnvironment(environment: NodeJS.ProcessEnv): Connection {
  const text = (name: string) => environment[name]?.trim() ?? '';
  const missing = ['SMS_BASE_URL', 'SMS_API_KEY', 'SMS_API_SECRET'].filter((name) => !text(name));
  if (missing.length > 0) {
    throw new UsageError(`Not in the environment: ${missing.join(', ')}.\n\n${USAGE}`);
  }
  const signatureAlgorithm = text('SMS_SIGNATURE_ALGORITHM');
  if (!['', 'sha256', 'hmacSha256'].includes(signatureAlgorithm)) {
    throw new UsageError('SMS_SIGNATURE_ALGORITHM is neither sha256 nor hmacSha256.');
  }
  try {
    return readConnection({
      baseUrl: text('SMS_BASE_URL'),
      apiKey: text('SMS_API_KEY'),
      apiSecret: text('SMS_API_SECRET'),
      signaturePayload: environment.SMS_SIGNATURE_PAYLOAD ?? '',
      signatureAlgorithm,
      authorizationToken: text('SMS_AUTHORIZATION_TOKEN'),
      allowHttp: text('SMS_ALLOW_HTTP') === 'true',
    });
  } catch (error) {
    const { message, description } = error as Error & { description?: string };
    throw new UsageError(`${message}. ${description ?? ''}`);
  }
}

/** A file that was not there: no earlier answers are overwritten. */
function openNew(name: string): number {
  try {
    return openSync(name, 'wx', 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why =
      code === 'EEXIST' ? 'exists already; name a new one' : `cannot be written (${code})`;
    throw new UsageError(`The file of --pull ${why}. Nothing was asked.`);
  }
}

main().catch((error: unknown) => {
  if (!(error instanceof UsageError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
});
