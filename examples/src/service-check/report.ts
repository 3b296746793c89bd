import { findPlaceholders } from '../../../nodes/SmsMessagingService/service/placeholders';
import { INFERRED } from './inferred';
import { sayIn, type Lang } from '../../../builder/code/lang';
import type { Fields, Item, N8n } from '../../../builder/code/n8n';
import type { PathsSeen } from './which-paths-exist';

/*
 * What the nodes could do, and what their errors advise where they could not. The service may say anything:
 * names, phone numbers, keys. So of its words there are only HTTP statuses and codes in here.
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
  lang: Lang;
  rows: Row[];
  actions: Action[];
  /** What else to know. */
  texts: string[];
}

/** A text of the report, or several that belong together, or what a node has said. */
type Said = string | Text | readonly Text[];

interface Text {
  text: keyof typeof ZH;
  values?: Record<string, string | number | Text>;
}

/** A part of the report, before it is put into words. */
interface Part {
  rows: { about: keyof typeof ZH; verdict: Row['verdict']; found: Said }[];
  actions?: { what: Said; where: keyof typeof ZH | readonly string[] }[];
  texts?: (keyof typeof ZH)[];
}

/** The result of an operation. */
interface Outcome {
  about: keyof typeof ZH;
  records: Fields[];
  failure?: Failure;
}

interface Failure {
  found: Said;
  advice: Said;
  /** HTTP status and code. Empty where nothing was answered. */
  refusal: string;
}

/** What the nodes put out, as a report. */
export default function makeReport({ $ }: N8n): Item<Report>[] {
  const balance = outcomeOf('Balance', $('Get the balance').all());
  const lists = [
    outcomeOf('Qualifications', $('List qualifications').all()),
    outcomeOf('Templates', $('List templates').all()),
    outcomeOf('Reported Links', $('List reported links').all()),
    outcomeOf('Signatures', $('List signatures').all()),
  ];
  const paths = $('Which paths exist').first<PathsSeen>().json;
  const hasAccess = [balance, ...lists].some(({ failure }) => !failure);
  const parts = hasAccess
    ? [ofBalance(balance, paths), ...lists.map(ofList), ofParameters(lists)]
    : [ofNoAccess(balance, paths)];
  if (hasAccess) parts.push(ofPaths(withSignatures(paths, lists)));
  const isChinese = $('First contact').first().json.Language === '中文';
  return [{ json: inWords(isChinese ? 'zh' : 'en', parts) }];
}

/** Says the parts in a language. What the nodes have said stays in English, as n8n shows it. */
function inWords(lang: Lang, parts: Part[]): Report {
  const say = sayIn(lang, ZH);
  const ofText = ({ text, values = {} }: Text): string => {
    const given = Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'object' ? ofText(value) : value,
    ]);
    return say(text, Object.fromEntries(given) as Record<string, string | number>);
  };
  const of = (said: Said): string =>
    typeof said === 'string'
      ? said
      : [said]
          .flat()
          .map(ofText)
          .join(lang === 'zh' ? '，' : ', ');
  const rows = parts.flatMap((part) => part.rows);
  const actions = parts.flatMap((part) => part.actions ?? []);
  const texts = [...parts.flatMap((part) => part.texts ?? []), CODE_DEFAULTS, LEFT_OUT] as const;
  return {
    lang,
    rows: rows.map(({ about, verdict, found }) => ({
      about: say(about),
      verdict,
      found: of(found),
    })),
    actions: eachOnce(
      actions.map(({ what, where }) => ({
        what: of(what),
        where: typeof where === 'string' ? say(where) : where.join('; '),
      })),
    ),
    texts: texts.map((text) => say(text)),
  };
}

function outcomeOf(about: keyof typeof ZH, items: Item[]): Outcome {
  const records = items.map(({ json }) => json).filter((json) => Object.keys(json).length > 0);
  const failed = records.find(({ error }) => error !== undefined);
  return failed ? { about, records: [], failure: failureIn(failed) } : { about, records };
}

/** An error of a node, without what it quotes: that stands behind a colon or "code", or where a redirect leads. */
function failureIn({ error, details }: Fields): Failure {
  const { description = '', http_status: status, code } = (details ?? {}) as Fields;
  const said = String(error).replace(/(?:(?<=^The service redirects)| \(code |:).*$/s, '');
  const number = /^-?\d{1,9}$/.test(String(code)) ? String(code) : '';
  const advice = String(description).replace(/\s*Request ID of the service:.*$/s, '');
  return {
    found: details
      ? `${said}${number && `, code ${number}`}`
      : { text: 'n8n could not run the node' },
    advice:
      number && /'Success Codes'/.test(advice)
        ? { text: RESULT_CODES }
        : advice || { text: 'Look at the error of the node.' },
    refusal: status === undefined ? '' : `${String(status)} ${number}`,
  };
}

function fails(about: keyof typeof ZH, { found, advice }: Failure): Required<Omit<Part, 'texts'>> {
  return { rows: [{ about, verdict: 'fails', found }], actions: [{ what: advice, where: about }] };
}

/** What is wrong with the first request is wrong with all. */
function ofNoAccess({ failure = failureIn({}) }: Outcome, paths: PathsSeen): Part {
  const isRefused =
    typeof failure.advice !== 'string' || failure.advice.includes('Custom Request Signing');
  const advice: Said = isRefused ? { text: ACCESS } : failure.advice;
  const { rows, actions } = fails('Access', { ...failure, advice });
  return {
    rows: [...rows, unknown('Lists and templates', { text: 'check again when this works' })],
    actions,
    texts: isRefused && failure.refusal === paths.refusal ? [SAME_WITHOUT_KEY] : [],
  };
}

function ofBalance({ about, failure }: Outcome, { isOpenToAll }: PathsSeen): Part {
  if (failure) return fails(about, failure);
  return { rows: [works(about, { text: 'a number' })], texts: isOpenToAll ? [OPEN_TO_ALL] : [] };
}

function ofList({ about, records, failure }: Outcome): Part {
  const byId = {
    what: { text: BY_ID, values: { field: about.slice(0, -1) } },
    where: about,
  } as const;
  if (failure) {
    const { rows, actions } = fails(about, failure);
    return { rows, actions: [...actions, byId] };
  }
  if (records.length === 0)
    return { rows: [unknown(about, { text: 'the account has none to look at' })] };
  return { rows: [works(about, many(records.length, 'record'))] };
}

function ofParameters(lists: Outcome[]): Part {
  const about = 'Template parameters';
  const templates = lists.find((list) => list.about === 'Templates')?.records ?? [];
  if (templates.length === 0)
    return { rows: [unknown(about, { text: 'there is no template to look at' })] };
  const wrong = templates.filter((template) => !areParametersFound(template)).length;
  const found: Text = {
    text: 'found in {found} of {templates}',
    values: { found: templates.length - wrong, templates: many(templates.length, 'template') },
  };
  if (wrong === 0) return { rows: [works(about, found)] };
  const what: Text = { text: AS_JSON, values: { templates: many(wrong, 'template') } };
  return { rows: [{ about, verdict: 'fails', found }], actions: [{ what, where: about }] };
}

function areParametersFound({ content, param_count: stated }: Fields): boolean {
  const count = /^\d+$/.test(String(stated)) ? Number(stated) : undefined;
  return findPlaceholders(typeof content === 'string' ? content : '', count).agrees;
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
  const all = there.length + missing.length + open.length;
  const counts: Text[] = [
    { text: '{count} of {all} exist', values: { count: there.length, all } },
    { text: '{count} do not', values: { count: missing.length } },
    { text: '{count} cannot be told', values: { count: open.length } },
  ];
  const verdict = missing.length > 0 ? 'fails' : open.length > 0 ? 'cannot be told' : 'works';
  return {
    rows: [
      {
        about,
        verdict,
        found: counts.filter(({ values }, index) => index === 0 || values?.count !== 0),
      },
    ],
    actions: missing.length > 0 ? [{ what: { text: ENDPOINT_PATH }, where: missing }] : [],
    texts: open.length > 0 ? [COMPARE_PATHS] : [],
  };
}

function works(about: keyof typeof ZH, found: Said): Part['rows'][number] {
  return { about, verdict: 'works', found };
}

function unknown(about: keyof typeof ZH, found: Text): Part['rows'][number] {
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

function many(count: number, noun: 'record' | 'template'): Text {
  return { text: count === 1 ? `1 ${noun}` : `{count} ${noun}s`, values: { count } };
}

/** The operations whose path is that of the list of signatures. */
const SIGNATURES = INFERRED.find(({ path }) => path === '/openapi/sign/info')?.operations ?? '';

const RESULT_CODES =
  "What does the code mean in your provider's manual? Enter it in the credential under Custom Result Codes: Success Codes, Empty Codes (nothing to pull), Too Fast Codes or Unclear Codes (an internal error).";

const CODE_DEFAULTS =
  'Compare with the manual: while Custom Result Codes is off, 10004 and 10005 mean nothing to pull, 10007 and 10008 too fast (sent again, and paid again if the manual says otherwise), 100 an internal error, and any other code a refusal.';

const ACCESS =
  "What does the code mean in your provider's manual? Is it about key or signature? Copy API Key and API Secret again, and compare Custom Request Signing with the manual: Request Signing Template and Request Signing Algorithm. Does it mark a success? Enter it under Custom Result Codes, Success Codes.";

const SAME_WITHOUT_KEY =
  'A request without key and signature gets the same answer. So there may be another reason, for instance the address that you ask from.';

const ENDPOINT_PATH =
  "These paths do not exist here. Under Options set Endpoint Path to the one in your provider's manual, and give the request fields that differ in Extra Fields (JSON).";

const COMPARE_PATHS =
  'Compare the paths of the operations that are marked as inferred with the manual. Where one differs, set Endpoint Path under Options.';

const LEFT_OUT =
  'Not asked: whether delivery reports and replies are understood (execute their operation Pull with Count 1), how many messages a request may hold (Batch Size), how many records a pull or a page may have (Pull Size, Count, Page Size), whether a signature needs the Authorization Token, and which fields changes take (Extra Fields (JSON)).';

const OPEN_TO_ALL = 'The service gives the balance without key and signature too.';

const BY_ID =
  'The node cannot offer this list. Choose By ID in the field {field}, and enter the ID that your SMS provider shows.';

const AS_JSON =
  'The node does not find the parameters of {templates}. Where you send one of them, set Specify Parameters to As JSON.';

/** The texts of the report, each with its Chinese. Names of fields stay as n8n shows them. */
const ZH = {
  Balance: '余额',
  Qualifications: '资质',
  Templates: '模板',
  'Reported Links': '引流报备',
  Signatures: '签名',
  'Template parameters': '模板变量',
  'Paths known by name only': '只知名称的接口路径',
  Access: '访问',
  'Lists and templates': '列表和模板',
  'check again when this works': '先解决访问问题，再检测一次',
  'a number': '是数字',
  'the account has none to look at': '账号里没有可供检查的记录',
  'there is no template to look at': '没有可供检查的模板',
  'n8n could not run the node': 'n8n 无法运行该节点',
  'Look at the error of the node.': '请查看该节点的错误信息。',
  'found in {found} of {templates}': '{templates}中有 {found} 个能识别',
  '1 record': '1 条记录',
  '{count} records': '{count} 条记录',
  '1 template': '1 个模板',
  '{count} templates': '{count} 个模板',
  '{count} of {all} exist': '共 {all} 个，存在 {count} 个',
  '{count} do not': '{count} 个不存在',
  '{count} cannot be told': '{count} 个无法判断',
  [OPEN_TO_ALL]: '不带 key 和请求签名，服务也会返回余额。',
  [BY_ID]: '节点无法列出这些记录。请在 {field} 字段选择 By ID，填写服务商提供的 ID。',
  [AS_JSON]:
    '节点识别不出 {templates}的变量。发送这些模板时，请把 Specify Parameters 设为 As JSON。',
  [RESULT_CODES]:
    '请在服务商的文档里查这个 code 的含义，填入凭据的 Custom Result Codes：成功填 Success Codes，没有数据填 Empty Codes，请求过快填 Too Fast Codes，内部错误填 Unclear Codes。',
  [CODE_DEFAULTS]:
    '请对照文档：Custom Result Codes 关闭时，10004、10005 表示没有数据，10007、10008 表示请求过快（会再发一次，含义不同就会重复扣费），100 表示内部错误，其他都是拒绝。',
  [ACCESS]:
    '请在服务商的文档里查这个 code 的含义。与 key 或请求签名有关：重新复制 API Key 和 API Secret，并对照文档检查凭据的 Custom Request Signing（Request Signing Template 和 Request Signing Algorithm）。表示成功：填入 Custom Result Codes → Success Codes。',
  [SAME_WITHOUT_KEY]:
    '不带 key 和请求签名的请求得到同样的答复，所以拒绝的原因可能是别的，例如发起请求的 IP 地址。',
  [ENDPOINT_PATH]:
    '这些路径在此不存在。请在 Options 里把 Endpoint Path 设为服务商文档中的路径，名称不同的请求字段填入 Extra Fields (JSON)。',
  [COMPARE_PATHS]:
    '请对照文档检查标注为推断（inferred）的操作的路径。不一致时，在 Options 里设置 Endpoint Path。',
  [LEFT_OUT]:
    '以下内容没有检测：能不能读懂状态报告和上行（用操作 Pull，Count 填 1，执行一次）、一个请求最多多少条短信（Batch Size）、一次拉取或一页最多多少条记录（Pull Size、Count、Page Size）、新建签名是否需要 Authorization Token、更改操作需要哪些字段（Extra Fields (JSON)）。',
} as const;
