import { findPlaceholders } from '../../../nodes/SmsMessagingService/service/reading/placeholders';
import { INFERRED } from '../inferred';
import type { Fields, Item, N8n } from '../n8n';
import type { PathsSeen } from './Which paths exist';

/*
 * What the nodes could do, and what their errors advise where they could not. The service may say
 * anything: names, phone numbers, keys. Of its words there are only HTTP statuses and codes in here.
 */

/** What was seen. */
export interface Row {
  about: string;
  verdict: 'works' | 'fails' | 'cannot be told';
  found: string;
}

/** What to set. */
export interface Action {
  what: string;
  /** The rows or operations that it is about. */
  where: string;
}

export interface Report {
  rows: Row[];
  actions: Action[];
  /** What else to know. */
  texts: string[];
}

/** What came of an operation. */
interface Outcome {
  about: string;
  records: Fields[];
  failure?: Failure;
}

interface Failure {
  found: string;
  advice: string;
  /** HTTP status and code. Empty where nothing was answered. */
  refusal: string;
}

/** What the nodes put out, as a report. */
export default function makeReport({ $ }: N8n): Item<Report>[] {
  const balance = outcomeOf('Balance', $('Get the balance').all());
  const lists = [
    outcomeOf('Qualifications', $('List qualifications').all()),
    outcomeOf('Templates', $('List templates').all()),
    outcomeOf('Leads', $('List leads').all()),
    outcomeOf('Signatures', $('List signatures').all()),
  ];
  const isPulled = /^Yes/.test(String($('First contact').first().json['Pull too']));
  const pulls = isPulled
    ? [
        outcomeOf('Pulled delivery report', $('Pull a delivery report').all()),
        outcomeOf('Pulled reply', $('Pull a reply').all()),
      ]
    : [];
  const paths = $('Which paths exist').first<PathsSeen>().json;
  const hasAccess = [balance, ...lists].some(({ failure }) => !failure);
  const parts = hasAccess
    ? [ofBalance(balance, paths), ...lists.map(ofList), ofParameters(lists), ...pulls.map(ofPull)]
    : [ofNoAccess(balance, paths)];
  if (hasAccess) parts.push(ofPaths(withSignatures(paths, lists)));
  if (isPulled) parts.push({ rows: [], texts: [PULLED] });
  const json = {
    rows: parts.flatMap(({ rows }) => rows),
    actions: eachOnce(parts.flatMap(({ actions = [] }) => actions)),
    texts: [...parts.flatMap(({ texts = [] }) => texts), LEFT_OUT],
  };
  return [{ json }];
}

type Part = Pick<Report, 'rows'> & Partial<Report>;

function outcomeOf(about: string, items: Item[]): Outcome {
  const records = items.map(({ json }) => json).filter((json) => Object.keys(json).length > 0);
  const failed = records.find(({ error }) => error !== undefined);
  return failed ? { about, records: [], failure: failureIn(failed) } : { about, records };
}

/** An error of a node, without what it quotes: that stands behind a colon or "code", or where a redirect leads. */
function failureIn({ message, details }: Fields): Failure {
  const { description = '', http_status: status, code } = (details ?? {}) as Fields;
  const said = String(message).replace(/(?:(?<=^The service redirects)| \(code |:).*$/s, '');
  const number = /^-?\d{1,9}$/.test(String(code)) ? String(code) : '';
  const isCodeUnknown = String(message).includes("'Custom Result Codes'");
  const advice = String(description).replace(/\s*Request ID of the service:.*$/s, '');
  return {
    found: details ? `${said}${number && `, code ${number}`}` : 'n8n could not run the node',
    advice: (isCodeUnknown ? RESULT_CODES : advice) || 'Look at the error of the node.',
    refusal: status === undefined ? '' : `${String(status)} ${number}`,
  };
}

function fails(about: string, { found, advice }: Failure): Part & Pick<Report, 'actions'> {
  return { rows: [{ about, verdict: 'fails', found }], actions: [{ what: advice, where: about }] };
}

/** What is wrong with the first request is wrong with all. */
function ofNoAccess({ failure = failureIn({}) }: Outcome, paths: PathsSeen): Part {
  const isRefused = failure.advice.includes('Custom Request Signing');
  const advice = isRefused ? ACCESS : failure.advice;
  const { rows, actions } = fails('Access', { ...failure, advice });
  return {
    rows: [...rows, unknown('Lists and templates', 'check again when this works')],
    actions,
    texts: isRefused && failure.refusal === paths.refusal ? [SAME_WITHOUT_KEY] : [],
  };
}

function ofBalance({ about, failure }: Outcome, { isOpenToAll }: PathsSeen): Part {
  if (failure) return fails(about, failure);
  const texts = isOpenToAll ? ['The service gives the balance without key and signature too.'] : [];
  return { rows: [{ about, verdict: 'works', found: 'a number' }], texts };
}

function ofList({ about, records, failure }: Outcome): Part {
  const noun = about.slice(0, -1);
  const byId = {
    what: `The node cannot offer this list. Choose By ID in the field ${noun}, and enter the ID that your SMS provider shows.`,
    where: about,
  };
  if (failure) {
    const { rows, actions } = fails(about, failure);
    return { rows, actions: [...actions, byId] };
  }
  if (records.length === 0) return { rows: [unknown(about, 'the account has none to look at')] };
  return { rows: [works(about, many(records.length, 'record'))] };
}

function ofParameters(lists: Outcome[]): Part {
  const about = 'Template parameters';
  const templates = lists.find((list) => list.about === 'Templates')?.records ?? [];
  if (templates.length === 0) return { rows: [unknown(about, 'there is no template to look at')] };
  const wrong = templates.filter((template) => !areParametersFound(template)).length;
  const found = `found in ${templates.length - wrong} of ${many(templates.length, 'template')}`;
  if (wrong === 0) return { rows: [works(about, found)] };
  const what = `The node does not find the parameters of ${many(wrong, 'template')}. Where you send one of them, set Specify Parameters to As JSON.`;
  return { rows: [{ about, verdict: 'fails', found }], actions: [{ what, where: about }] };
}

function areParametersFound({ content, param_count: stated }: Fields): boolean {
  const count = /^\d+$/.test(String(stated)) ? Number(stated) : undefined;
  return findPlaceholders(typeof content === 'string' ? content : '', count).agrees;
}

function ofPull({ about, records, failure }: Outcome): Part {
  if (failure) return fails(about, failure);
  if (records.length === 0) return { rows: [works(about, 'nothing was waiting')] };
  const isTimeless = records.some((record) => !('time_iso' in record));
  const times = isTimeless ? ', without time_iso: time has no time zone or is none' : '';
  return { rows: [works(about, many(records.length, 'record') + times)] };
}

/** The list of signatures was asked for with key and signature, which tells more. */
function withSignatures(paths: PathsSeen, lists: Outcome[]): PathsSeen {
  const { failure } = lists.find(({ about }) => about === 'Signatures') ?? {};
  if (failure && !/^40[45]/.test(failure.refusal)) return paths;
  const without = (names: string[]) => names.filter((name) => name !== SIGNATURES);
  const there = without(paths.there);
  const missing = without(paths.missing);
  (failure ? missing : there).push(SIGNATURES);
  return { ...paths, there, missing, open: without(paths.open) };
}

function ofPaths({ there, missing, open }: PathsSeen): Part {
  const about = 'Paths known by name only';
  const counts = [
    `${there.length} of ${there.length + missing.length + open.length} exist`,
    ...(missing.length > 0 ? [`${missing.length} do not`] : []),
    ...(open.length > 0 ? [`${open.length} cannot be told`] : []),
  ];
  const verdict = missing.length > 0 ? 'fails' : open.length > 0 ? 'cannot be told' : 'works';
  return {
    rows: [{ about, verdict, found: counts.join(', ') }],
    actions: missing.length > 0 ? [{ what: ENDPOINT_PATH, where: missing.join('; ') }] : [],
    texts: open.length > 0 ? [COMPARE_PATHS] : [],
  };
}

function works(about: string, found: string): Row {
  return { about, verdict: 'works', found };
}

function unknown(about: string, found: string): Row {
  return { about, verdict: 'cannot be told', found };
}

/** Each advice once, with all that it is about. */
function eachOnce(actions: Action[]): Action[] {
  const abouts = new Map<string, Set<string>>();
  for (const { what, where } of actions) {
    abouts.set(what, (abouts.get(what) ?? new Set()).add(where));
  }
  return [...abouts].map(([what, where]) => ({ what, where: [...where].join(', ') }));
}

function many(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The operations whose path is that of the list of signatures. */
const SIGNATURES = INFERRED.find(({ path }) => path === '/openapi/sign/info')?.operations ?? '';

const RESULT_CODES =
  "If your provider's manual says that the code marks a success, enter it in the credential: 'Custom Result Codes', 'Success Codes'.";

const ACCESS =
  "Your provider's manual lists what the code means. Is it about key or signature? Copy API Key and API Secret again, and compare the credential's Custom Request Signing with the manual: Request Signing Template and Request Signing Algorithm. Does it mark a success? Enter it under Custom Result Codes, Success Codes.";

const SAME_WITHOUT_KEY =
  'A request without key and signature gets the same answer. So the service may refuse for another reason, for instance the address that you ask from.';

const ENDPOINT_PATH =
  "These paths do not exist here. Under Options set Endpoint Path to the one in your provider's manual, and give the request fields that differ in Extra Fields (JSON).";

const COMPARE_PATHS =
  'Compare the paths of the operations that are marked as inferred with the manual. Where one differs, set Endpoint Path under Options.';

const PULLED =
  'The service does not give out again what was pulled. It stays in this execution of the workflow, in the output of the two nodes that pull.';

const LEFT_OUT =
  'Not asked, because it would send, change or take something: how many messages a request may hold (Batch Size), how many records a pull gives (Pull Size, Count), whether a signature needs the Authorization Token, and which fields changes take (Extra Fields (JSON)). Ask your SMS provider.';
