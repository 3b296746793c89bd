import { dueOf, figuresIn } from './figures';
import { isOpen, type Campaign } from '../common/messages/campaigns';
import type { Kept } from './cells';
import { given, langOf, type Lang, type Request } from '../../../builder/code/lang';
import { reloadOf, type Reload } from '../../../builder/code/look';
import type { Item, N8n } from '../../../builder/code/n8n';

/** A campaign, and the list. */
const SECONDS = { one: 10, list: 30 };

/** What is written when a look begins may not be in its counts. */
const SLACK_MS = 10_000;

const NEVER = '9999-01-01T00:00:00.000Z';

/** Which rows are wanted as a file. */
export type List = 'invalid' | 'failed' | '';

/** What the page is about. Without a campaign, it is the list of all. */
export interface Asked {
  campaign?: Campaign;
  /** The campaign whose rows are read: on the list, the next one to be counted. */
  reads?: Campaign;
  /** What is kept of its counts, and from when on rows have changed since. */
  kept?: Kept;
  since: string;
  /** When this look begins, in milliseconds. */
  at: number;
  /** Whether it is about a draft: what a start would do. */
  isDraft: boolean;
  list: List;
  lang: Lang;
  keepsLang: boolean;
  /** The result of a message to oneself, and its row in the outbox. */
  test: string;
  row: string;
  /** A button has changed nothing, because the campaign was not as its page had shown it. */
  isOutdated: boolean;
  /** Whether the page warns of what it means to send the unknown rows again, and lets it be done. */
  warns: boolean;
  reload: Reload;
}

/** Reads the address of the page. A load wants its campaign counted, without a page. */
export default function whatIsAsked({ $ }: N8n): Item<Asked>[] {
  const request = $('Page is opened').isExecuted
    ? $('Page is opened').first<Request>().json
    : { query: { campaign: String($('Asked to count').first<{ id: number }>().json.id) } };
  const id = given(request.query, 'campaign');
  const list = given(request.query, 'list');
  const campaigns = $('Campaigns')
    .all<Campaign>()
    .map(({ json }) => json)
    .filter((campaign) => campaign.id);
  const campaign = campaigns.find((each) => String(each.id) === id);
  const reads = campaign ?? dueOf(campaigns);
  const kept = reads && figuresIn(reads)?.kept;
  return [
    {
      json: {
        campaign,
        reads,
        kept,
        since: kept ? new Date(kept.at - SLACK_MS).toISOString() : NEVER,
        at: Date.now(),
        isDraft: campaign?.state != null && isOpen(campaign),
        list: list === 'invalid' || list === 'failed' ? list : '',
        lang: langOf(request),
        keepsLang: given(request.query, 'lang') !== '',
        test: given(request.query, 'test'),
        row: given(request.query, 'row'),
        isOutdated: given(request.query, 'changed') !== '',
        warns: given(request.query, 'ask') === 'unknown',
        reload: reloadOf(request, campaign ? SECONDS.one : SECONDS.list),
      },
    },
  ];
}
