import { DEFAULTS, meaningOf, statusOf } from '../../kit/engine/answerTable';
import { bytesOf } from '../../sandbox/http';
import type { RecordedRequest } from '../../sandbox/gateway';
import { messageName } from './scenario';
import { SEND } from './services';

/** What the gateway's log says of messages. A message is a number and the code in its text. */

/**
 * What the answer to a send means:
 *
 * - `accepted`: its messages were accepted;
 * - `refused`: none was, and none is sent again in this execution;
 * - `slow down`: none was, and the request may be made again;
 * - `unclear`: they may have been accepted, and are not sent again.
 */
type Meaning = 'accepted' | 'refused' | 'slow down' | 'unclear';

/** A send, and what its answer means. */
export interface Send {
  messages: string[];
  meaning: Meaning;
}

interface Body {
  messages?: { phone_number: string; params: { code: string } }[];
}

/** The sends of an execution. */
export const sendsIn = (requests: RecordedRequest[]): Send[] =>
  requests
    .filter(({ path }) => path === SEND)
    .map(({ rawBody, answer }) => {
      // A cancelled request may arrive without its body.
      const { messages = [] } = rawBody.endsWith('}') ? (JSON.parse(rawBody) as Body) : {};
      const names = messages.map((each) => messageName(each.phone_number, each.params.code));
      return { messages: names, meaning: meaningFor(answer) };
    });

function meaningFor(answer: RecordedRequest['answer']): Meaning {
  if (!answer) return 'unclear';
  const given = { status: answer.status, text: bytesOf(answer).toString() };
  const meaning = meaningOf('send', given, DEFAULTS);
  if (meaning === 'refused' || meaning === 'slow down') return meaning;
  return statusOf(given, DEFAULTS) === 'unknown' ? 'unclear' : 'accepted';
}
