import { dueOf, figuresIn } from './figures';
import { isOpen, type Campaign } from '../common/messages/campaigns';
import { rowsOf } from '../common/records/days';
import { given, languageOf, type Request } from '../../../builder/code/lang';
import { reloadOf } from '../../../builder/code/look';
import type { N8n } from '../../../builder/code/n8n';

/** A campaign, and the list. */
const SECONDS = { one: 10, list: 30 };

/** What is written when a look begins may not be in its counts. */
const SLACK_MS = 10_000;

const NEVER = '9999-01-01T00:00:00.000Z';

/** What the page is about. */
export type Asked = ReturnType<typeof whatIsAsked>;

/** Reads the address of the page. A load wants its campaign counted, without a page. */
export default function whatIsAsked({ $ }: N8n) {
  const request = $('Page is opened').isExecuted
    ? $('Page is opened').first<Request>().json
    : { query: { campaign: String($('Asked to count').first<{ id: number }>().json.id) } };
  const id = given(request.query, 'campaign');
  const list = given(request.query, 'list');
  const campaigns = rowsOf<Campaign>($('Campaigns').all());
  const campaign = campaigns.find((each) => String(each.id) === id);
  const reads = campaign ?? dueOf(campaigns);
  const counts = reads && figuresIn(reads)?.kept;
  return {
    // Without a campaign, it is the list of all.
    campaign,
    // The campaign whose rows are read: on the list, the next one to be counted.
    reads,
    // What is kept of its counts, and from when on rows have changed since.
    counts,
    since: counts ? new Date(counts.at - SLACK_MS).toISOString() : NEVER,
    // When this look begins, in milliseconds.
    at: Date.now(),
    // Whether it is about a draft: what a start would do.
    isDraft: campaign?.state != null && isOpen(campaign),
    // Which rows are wanted as a file.
    list: list === 'invalid' || list === 'failed' ? list : '',
    ...languageOf(request),
    // The result of a message to oneself, and its row in the outbox.
    ...{ test: given(request.query, 'test'), row: given(request.query, 'row') },
    // A button has changed nothing, because the campaign was not as its page had shown it.
    isOutdated: given(request.query, 'changed') !== '',
    // Whether the page warns of what it means to send the unknown rows again, and lets it be done.
    warns: given(request.query, 'ask') === 'unknown',
    reload: reloadOf(request, campaign ? SECONDS.one : SECONDS.list),
  };
}
