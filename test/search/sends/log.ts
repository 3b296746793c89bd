import type { RecordedRequest } from '../../sandbox/gateway';
import { meaningOf } from './meaning';
import type { Codes, Meaning } from './meaning';
import { messageName } from './scenario';
import { SEND } from './services';

/** What the gateway's log says of messages. A message is a number and the code in its text. */

export const isSend = ({ path }: RecordedRequest) => path === SEND;

interface Body {
  messages?: { phone_number: string; params: { code: string } }[];
}

/** The messages in a request, accepted or not. */
export function messagesIn({ rawBody }: RecordedRequest): string[] {
  // A cancelled request may arrive without its body.
  const { messages = [] } = rawBody.endsWith('}') ? (JSON.parse(rawBody) as Body) : {};
  return messages.map(({ phone_number: number, params }) => messageName(number, params.code));
}

/** A send, and what its answer means. */
export interface Send {
  messages: string[];
  meaning: Meaning;
}

export function sendsIn(requests: RecordedRequest[], codes: Codes): Send[] {
  return requests.filter(isSend).map((request) => {
    const messages = messagesIn(request);
    return { messages, meaning: meaningOf(request, messages.length, codes) };
  });
}

/** How often each is there. */
export function countEach(messages: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const message of messages) counts.set(message, (counts.get(message) ?? 0) + 1);
  return counts;
}
