/** What *sms.campaign_page* gives. */
import type { Campaign } from '../common/messages/campaigns';
import type { Why } from '../common/messages/reasons';
import type { State } from '../common/messages/states';
import { thresholdsIn, type Thresholds } from '../common/messages/thresholds';
import { unsentOf, type Alike, type Line } from '../common/messages/unsent';
import type { Fields, N8n } from '../../../builder/code/n8n';
import type { Pace } from './plan';
import type { Asked } from './what-is-asked';

/** Rows that are alike. */
export interface Cell extends Omit<Alike, keyof Why>, Why {
  status: string;
  state: State;
  /** Whether the service has named a batch. */
  taken: boolean;
  /** When the latest of them became what it is. */
  changed: string | null;
}

/** A campaign with its figures. */
export interface Known extends Campaign {
  people: number;
  sent: number;
  /** Not delivered. */
  failed: number;
  pending: number;
  /** How many messages a minute. */
  pace: number;
  /** When the first and the last of them were sent. */
  first: string | null;
  last: string | null;
  cells: Cell[];
  unsent: Line[];
}

/** What a start would send. */
export interface Plan {
  people: number;
  optedOut: number;
  /** Those whose message lacks nothing. */
  ready: number;
  segments: number | null;
  /** How many people have nothing in a parameter of the template. */
  blank: { name: string; rows: number }[];
}

interface Given {
  campaign: Known;
  list: Known[] | null;
  all_of_them: number;
  token: string;
  rule: Pace & Record<'later' | 'today', number | null>;
  /** What the service said last, as a row of sms.service. */
  balance: Fields | null;
  thresholds: Fields[] | null;
  plan: Plan;
  samples: { id: number; phone_number: string; parameters: string }[] | null;
  is_template_gone: boolean | null;
  is_template_changed: boolean | null;
}

export interface Shown extends Omit<Given, 'rule' | 'thresholds' | 'list'> {
  list: Known[];
  rule: Pace;
  thresholds: Thresholds;
  asked: Asked;
  now: N8n['$now'];
}

/** What there is to show. */
export function shownIn({ $, $now }: Pick<N8n, '$' | '$now'>): Shown {
  const given = $('What there is').first<Given>().json;
  const thresholds = thresholdsIn((given.thresholds ?? []).map((json) => ({ json })));
  const { later, today } = given.rule;
  const withUnsent = (known: Known) => ({ ...known, unsent: unsentOf(known.cells, thresholds) });
  return {
    ...given,
    campaign: given.campaign && withUnsent(given.campaign),
    list: (given.list ?? []).map(withUnsent),
    rule: { ...given.rule, later: later ?? Infinity, today: today ?? Infinity },
    thresholds,
    asked: $('What is asked').first<Asked>().json,
    now: $now,
  };
}

/** The rows that the file of failed ones has. */
export const NOT_SENT = ['failed', 'refused', 'rejected', 'unknown'];

/** How many rows of these statuses there are. */
export function rowsIn(cells: Cell[], ...statuses: string[]): number {
  const found = cells.filter(({ status }) => statuses.includes(status));
  return found.reduce((sum, { rows }) => sum + rows, 0);
}
