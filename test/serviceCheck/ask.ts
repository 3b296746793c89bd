import { setTimeout } from 'node:timers/promises';

import { Agent, request as send } from 'undici';
import type { Dispatcher } from 'undici';

import { endpointUrl } from '../../nodes/SmsMessagingService/service/connection';
import type { Connection } from '../../nodes/SmsMessagingService/service/connection';
import { signRequest } from '../../nodes/SmsMessagingService/service/signedRequest';
import { check } from './load';
import type { CheckAnswer, CheckRequest } from './load';

export interface AskOptions {
  /** Between two requests. */
  pauseMs?: number;
  /** For each request, to the end of its answer. */
  timeoutMs?: number;
  /** Gets what comes of a pull at once, piece by piece: the service does not give it out again. */
  keep?: (bytes: Uint8Array) => void;
}

/** A service that does not answer so many requests in a row gets no more of them. */
const MOST_SILENT = 3;

/** An answer is read up to here. A list of 100 records is far smaller. */
const dispatcher = new Agent({ maxResponseSize: 64 * 1024 * 1024 });

/** Makes the requests one after the other. */
export async function ask(
  connection: Connection,
  requests: readonly CheckRequest[],
  { pauseMs = 100, timeoutMs = 10_000, keep }: AskOptions = {},
): Promise<CheckAnswer[]> {
  const answers: CheckAnswer[] = [];
  let silent = 0;
  for (const request of requests) {
    if (silent >= MOST_SILENT) {
      answers.push({ ...request, failure: check.failureOf('NOT_ASKED') });
      continue;
    }
    if (answers.length > 0) await setTimeout(pauseMs);
    const isPull = request.path.endsWith('/pull');
    const answer = await askOne(connection, request, timeoutMs, isPull ? keep : undefined);
    silent = 'failure' in answer ? silent + 1 : 0;
    answers.push(answer);
  }
  return answers;
}

/** @throws what `keep` throws: what cannot be kept must not be pulled */
async function askOne(
  connection: Connection,
  request: CheckRequest,
  timeoutMs: number,
  keep: AskOptions['keep'],
): Promise<CheckAnswer> {
  const url = endpointUrl(connection, request.path);
  keep?.(Buffer.from(`POST ${request.path}\n`));
  let response: Dispatcher.ResponseData;
  try {
    response = await send(url, {
      method: 'POST',
      ...contentOf(connection, request, url),
      signal: AbortSignal.timeout(timeoutMs),
      dispatcher,
    });
  } catch (error) {
    return { ...request, failure: failureOf(error) };
  }
  keep?.(Buffer.from(`HTTP ${response.statusCode}\n`));
  const { text, failure } = await read(response, keep);
  keep?.(Buffer.from('\n'));
  if (failure !== undefined) return { ...request, failure };
  const { statusCode: status, headers } = response;
  return { ...request, status, location: String(headers.location ?? ''), text };
}

function contentOf(connection: Connection, { body, signed }: CheckRequest, url: string) {
  // The answer is read as it comes.
  const plain = { 'Content-Type': 'application/json', 'Accept-Encoding': 'identity' };
  if (!signed) return { body, headers: plain };
  const request = signRequest(connection, { method: 'POST', url, body, headers: plain });
  return { body: request.body as Buffer, headers: request.headers as Record<string, string> };
}

/** Reads an answer. Where it breaks off, the pieces before are kept. */
async function read(
  { body }: Dispatcher.ResponseData,
  keep: AskOptions['keep'],
): Promise<{ text: string; failure?: string }> {
  const pieces: Uint8Array[] = [];
  let failure: string | undefined;
  async function* arriving(): AsyncGenerator<Uint8Array> {
    try {
      yield* body as AsyncIterable<Uint8Array>;
    } catch (error) {
      failure = failureOf(error);
    }
  }
  for await (const piece of arriving()) {
    keep?.(piece);
    pieces.push(piece);
  }
  return { text: Buffer.concat(pieces).toString('utf8'), failure };
}

interface Cause {
  name?: string;
  code?: string;
  cause?: Cause;
  /** One for each address that was tried. */
  errors?: Cause[];
}

/** Reads the names and codes of an error and of its causes. */
function failureOf(error: unknown): string {
  const words: unknown[] = [];
  for (let next = error as Cause | undefined; next; next = next.cause) {
    words.push(next.name, next.code, ...(next.errors ?? []).map(({ code }) => code));
  }
  return check.failureOf(words.join(' '));
}
