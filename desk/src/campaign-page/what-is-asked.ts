import { isOpen, type Campaign } from '../common/messages/campaigns';
import { rowsOf } from '../common/records/days';
import { given, languageOf, type Request } from '../../../builder/code/lang';
import { reloadOf } from '../../../builder/code/look';
import type { N8n } from '../../../builder/code/n8n';

/** A campaign, and the list. */
const SECONDS = { one: 10, list: 30 };

/** What the page is about. */
export type Asked = ReturnType<typeof whatIsAsked>;

/** Reads the address of the page. */
export default function whatIsAsked({ $ }: N8n) {
  const request = $('Page is opened').first<Request>().json;
  const id = given(request.query, 'campaign');
  const list = given(request.query, 'list');
  const campaigns = rowsOf<Campaign>($('Campaigns').all());
  const campaign = campaigns.find((each) => String(each.id) === id);
  return {
    // Without a campaign, it is the list of all.
    campaign,
    // Whether it is about a draft: what a start would do.
    isDraft: campaign?.state != null && isOpen(campaign),
    // Which rows are wanted as a file.
    list: list === 'invalid' || list === 'failed' ? list : '',
    ...languageOf(request),
    // The result of a message to oneself, and its row in the outbox.
    ...{ test: given(request.query, 'test'), row: given(request.query, 'row') },
    // A button has changed nothing, because the campaign was not as its page had shown it.
    isOutdated: given(request.query, 'changed') !== '',
    // What the page asks before it is done: to send the `unknown` rows again, or the `start`.
    ask: given(request.query, 'ask'),
    reload: reloadOf(request, campaign ? SECONDS.one : SECONDS.list),
  };
}
