import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { CODES } from './codes';
import type { Fault, FaultKind } from './faults';
import type { Answer } from './http';
import { bytesOf } from './http';

/** The answer if a fault keeps the platform from executing the request. */
export const NOT_PROCESSED: Answer = {
  status: 200,
  body: { code: CODES.refused, msg: '系统拒绝 (refused on demand)' },
};

/** Fault kind → how the connection ends. */
export const CONNECTION_FAULTS: Partial<
  Record<FaultKind, (response: ServerResponse, fault: Fault, answer: Answer) => void>
> = {
  hang: () => undefined,
  resetBeforeAccept: reset,
  resetAfterAccept: reset,
  truncatedJson: (response, _fault, answer) => {
    const bytes = bytesOf(answer);
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
    response.end(bytes.subarray(0, Math.floor(bytes.length / 2)));
  },
  drip,
};

/** Fault kind → the changed answer. `answer` is the platform's own. */
export const ANSWER_FAULTS: Partial<
  Record<FaultKind, (fault: Fault, answer: Answer, about: { origin: string }) => Answer>
> = {
  businessCode: (fault) => ({
    status: 200,
    body: {
      code: fault.code ?? CODES.refused,
      msg: fault.msg ?? '系统拒绝 (refused on demand)',
      request_id: randomUUID(),
    },
  }),
  status: (fault) => statusAnswer(fault, fault.status ?? 500, fault.code ?? fault.status ?? 500),
  tooManyRequests: (fault) => statusAnswer(fault, 429, fault.code ?? CODES.tooManyRequests),
  html: (fault) => ({
    status: 200,
    html: typeof fault.body === 'string' ? fault.body : '<html><body>Please log in</body></html>',
  }),
  wrongShape: ({ body }, answer) => ({
    status: 200,
    body:
      typeof body === 'function'
        ? (body as (answer: unknown) => unknown)(answer.body)
        : (body ?? { code: 0, msg: 'success', result: 'unexpected' }),
  }),
  redirect: (fault, _answer, { origin }) => ({
    status: fault.status ?? 302,
    html: '',
    headers: { location: fault.location ?? `${origin}/elsewhere` },
  }),
};

function statusAnswer(fault: Fault, status: number, code: number): Answer {
  const headers: Record<string, string> =
    fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter };
  if (typeof fault.body === 'string') return { status, html: fault.body, headers };
  return {
    status,
    body: fault.body ?? { code, msg: fault.msg ?? 'fault on demand' },
    headers,
  };
}

/** Sends the answer byte by byte, and then spaces, until the client disconnects. */
function drip(response: ServerResponse, _fault: Fault, answer: Answer): void {
  const bytes = bytesOf(answer);
  let sent = 0;
  response.writeHead(answer.status, { 'content-type': 'application/json; charset=utf-8' });
  const timer = setInterval(() => {
    response.write(sent < bytes.length ? bytes.subarray(sent, sent + 1) : ' ');
    sent += 1;
  }, 5);
  response.once('close', () => clearInterval(timer));
}

function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}
