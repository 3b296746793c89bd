import { given, languageOf, type Request } from '../../../builder/code/lang';
import { reloadOf } from '../../../builder/code/look';
import type { N8n } from '../../../builder/code/n8n';

/** A campaign, and the list. */
const SECONDS = { one: 10, list: 30 };

/** What the page is about. */
export type Asked = ReturnType<typeof whatIsAsked>;

export default function whatIsAsked({ $ }: N8n) {
  const request = $('Page is opened').first<Request>().json;
  // Without a campaign, it is the list of all.
  const id = Number(/^\d{1,9}$/.exec(given(request.query, 'campaign'))?.[0] ?? 0);
  const list = given(request.query, 'list');
  return {
    id,
    // Which rows are wanted as a file.
    list: list === 'invalid' || list === 'failed' ? list : '',
    ...languageOf(request),
    // The result of a message to oneself, and its row in the outbox.
    ...{ test: given(request.query, 'test'), row: given(request.query, 'row') },
    // What the page asks before it is done: to send the `unknown` rows again, or the `start`.
    ask: given(request.query, 'ask'),
    reload: reloadOf(request, id > 0 ? SECONDS.one : SECONDS.list),
  };
}
