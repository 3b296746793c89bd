import type { IncomingMessage, ServerResponse } from 'node:http';
import type { IDataObject } from 'n8n-workflow';
import { useService } from './gateway';

/** A service that answers as a test says, whatever it is asked. */

export interface Answer {
  status: number;
  /** The body as it is sent. */
  text: string;
}

export const json = (body: unknown, status = 200): Answer => ({
  status,
  text: JSON.stringify(body),
});

/** An answer with a code. Its words say nothing. */
export const coded = (code: unknown, more: object = {}, status = 200) =>
  json({ code, msg: 'what the service says', ...more }, status);

/** The connection breaks without an answer. */
export const RESET: Answer = { status: 0, text: '' };

/** One service for all tests of a file. */
export function useScriptedService() {
  const requests: IDataObject[] = [];
  let replyTo: (body: IDataObject) => Answer | undefined = () => undefined;
  const useN8n = useService((request, response) => {
    void bodyOf(request).then((body) => {
      requests.push(body);
      send(request, response, replyTo(body) ?? RESET);
    });
  });
  const reply = (to: typeof replyTo) => {
    replyTo = to;
    requests.length = 0;
  };
  return {
    useN8n,
    /** The bodies of the requests since the latest `reply` or `answers`. */
    requests,
    reply,
    /** Answers the next requests so. The last answer stays. */
    answers: (...script: Answer[]) => reply(() => (script.length > 1 ? script.shift() : script[0])),
  };
}

async function bodyOf(request: IncomingMessage): Promise<IDataObject> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return JSON.parse(text) as IDataObject;
}

function send({ url }: IncomingMessage, response: ServerResponse, { status, text }: Answer) {
  if (status === RESET.status) return void response.socket?.resetAndDestroy();
  // A redirect to an address with the same path. Nobody may follow it.
  const location = status >= 300 && status < 400 ? { location: `/moved${url}` } : {};
  response.writeHead(status, { 'content-type': 'application/json', ...location });
  response.end(text);
}
