/**
 * What is asked of an SMS service at first contact, and what its answers mean: `plan` and `report`.
 *
 * The same text runs in `npm run check-service` and in the Code nodes of examples/service-check.json. So
 * it imports nothing and exports nothing; `load.ts` hands its functions to TypeScript.
 *
 * An answer may hold anything: names, phone numbers, keys. A report holds nothing of it but HTTP statuses,
 * codes that are numbers, counts, kinds of values, and names of fields that look like names.
 */

// --- What is known of the service: docs/interface.md ---

/** A list and the picker that shows it. `optional`: fields that a record may lack. */
const LISTS = [
  {
    name: 'Qualifications',
    picker: 'Qualification',
    path: '/openapi/cert/info',
    fields: {
      ...kindOfAll('number', 'id certificate_type use'),
      ...kindOfAll('text', 'name company_name unified_social_credit_code certificate_file'),
      ...kindOfAll('text', 'legal_person legal_person_certificate legal_mobile created_at'),
      ...kindOfAll('text', 'legal_person_identity_card_front legal_person_identity_card_verso'),
      ...kindOfAll('text', 'operator operator_certificate operator_mobile'),
      ...kindOfAll('text', 'operator_identity_card_front operator_identity_card_verso'),
      ...kindOfAll('list', 'authorization_file company_authorization_file more_data'),
    },
    optional: [],
  },
  {
    name: 'Templates',
    picker: 'Template',
    path: '/openapi/template/info',
    fields: {
      ...kindOfAll('number', 'id param_count audit_status type sign_id lead_id'),
      ...kindOfAll('text', 'name content remark'),
      ...kindOfAll('boolean', 'status'),
    },
    optional: [],
  },
  {
    name: 'Leads',
    picker: 'Lead',
    path: '/openapi/lead/info',
    fields: {
      ...kindOfAll('number', 'id is_financial_lending report_type sign_id'),
      ...kindOfAll(
        'text',
        'url url_ext domain phone_1 phone_2 customer_call_url template sign_name',
      ),
      ...kindOfAll('object', 'report_info'),
    },
    optional: [],
  },
  {
    name: 'Signatures',
    picker: 'Signature',
    path: '/openapi/sign/info',
    fields: {
      ...kindOfAll('number', 'id certification_id signature_id type use'),
      ...kindOfAll('text', 'name apply_comment brings_data customer_call_url'),
      ...kindOfAll('list', 'more_data'),
    },
    // Only these three fields are shown in an answer, and not in that of a list.
    optional: 'signature_id type use apply_comment brings_data customer_call_url more_data'.split(
      ' ',
    ),
  },
];

const PULLS = [
  {
    name: 'Pulled delivery report',
    path: '/sendsms/report/pull',
    fields: {
      ...kindOfAll('number', 'time split_count'),
      ...kindOfAll('text', 'batch_id status status_desc phone_number phone_data user_data'),
    },
    optional: [],
  },
  {
    name: 'Pulled reply',
    path: '/sendsms/mo/pull',
    fields: {
      ...kindOfAll('number', 'time mobile'),
      ...kindOfAll('text', 'batch_id sms_content ext_no content'),
    },
    optional: [],
  },
];

/** Paths that the specification does not show, and the operations of the node that use them. */
const INFERRED = [
  { path: '/openapi/cert/create', operations: 'Qualification: Create' },
  { path: '/openapi/cert/update', operations: 'Qualification: Update' },
  { path: '/openapi/sign/info', operations: 'Signature: Get, Get Many' },
  { path: '/openapi/sign/update', operations: 'Signature: Update' },
  { path: '/openapi/sign/delete', operations: 'Signature: Delete' },
  { path: '/openapi/template/create', operations: 'Template: Create' },
  { path: '/openapi/template/update', operations: 'Template: Update' },
  { path: '/openapi/lead/delete', operations: 'Lead: Delete' },
];

const BALANCE = '/sendsms/balance';
const NO_SUCH_PATH = '/openapi/sms-service-check/no-such-path';
const SIGNATURE_LIST = '/openapi/sign/info';

function kindOfAll(kind, names) {
  return Object.fromEntries(names.split(' ').map((name) => [name, kind]));
}

// --- What is asked ---

const FIRST_HUNDRED = { page: 1, page_size: 100 };
const FIRST_TWO = { page: 1, page_size: 2 };
const NEXT_TWO = { page: 2, page_size: 2 };
const PAGE_ZERO = { page: 0, page_size: 2 };

/**
 * The requests, each a POST. None changes anything: the signed ones read, and an unsigned one belongs to
 * no account. Only a pull takes something, and so it has to be asked for.
 *
 * @param {{ pull?: boolean }} options
 * @returns {{ path: string, body: string, signed: boolean }[]} the signed ones first
 */
function plan({ pull = false } = {}) {
  const signed = (path, fields) => ({ path, body: JSON.stringify(fields), signed: true });
  const pages = [FIRST_HUNDRED, FIRST_TWO, NEXT_TWO, PAGE_ZERO];
  const probes = [BALANCE, NO_SUCH_PATH, ...INFERRED.map(({ path }) => path)];
  return [
    signed(BALANCE, {}),
    ...LISTS.flatMap(({ path }) => pages.map((page) => signed(path, page))),
    ...(pull ? PULLS.map(({ path }) => signed(path, { count: 1 })) : []),
    ...probes.map((path) => ({ path, body: '{}', signed: false })),
  ];
}

// --- What was answered ---

const NOT_ASKED = 'not asked, after three requests without an answer';

/** Why there is no answer, by what Node.js, undici and n8n say; and what to do about it where nothing is answered. */
const FAILURES = [
  {
    name: NOT_ASKED,
    pattern: /NOT_ASKED/,
  },
  {
    name: 'plain http, which the credential does not allow',
    pattern: /uses plain http/,
    setting: 'Allow HTTP',
    advice: 'Use https in Base URL. Allow HTTP is for a service in your own network.',
  },
  {
    name: "another host than the credential's",
    pattern: /but the credential is for/,
    setting: 'Base URL',
    advice: "Enter the credential's Base URL.",
  },
  {
    name: 'no credential that can be used',
    pattern: /The credential|any credentials set|Credential.*(?:not found|does not exist)/i,
    setting: 'SMS Messaging Service API',
    advice: 'Select your credential in the node that signs, and open it: n8n says what it lacks.',
  },
  {
    name: 'not a web address',
    pattern: /Invalid URL|not a web address|ERR_INVALID_URL/,
    setting: 'Base URL',
    advice: 'It starts with https:// and names a host.',
  },
  {
    name: 'no such host',
    pattern: /ENOTFOUND|EAI_AGAIN|incorrect host|DNS server/,
    setting: 'Base URL',
    advice: 'No host has this name. Compare it with what the operator gave you.',
  },
  {
    name: 'no connection',
    pattern: /ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|refused the connection|is unreachable/,
    setting: 'Base URL',
    advice: 'Nothing listens there. Compare host and port with what the operator gave you.',
  },
  {
    name: 'no certificate that is trusted',
    pattern: /CERT_|_CERT|_SIGNATURE|ERR_TLS|ERR_SSL|EPROTO|SSL Issue/,
    setting: 'Base URL',
    advice:
      'No trusted https is spoken there. Compare host and port with what the operator gave you.',
  },
  {
    name: 'no answer in time',
    pattern: /ETIMEDOUT|ECONNABORTED|TIMEOUT|Timeout|timed out|was aborted/,
  },
  {
    name: 'an answer that is too long',
    pattern: /ResponseExceededMaxSize/,
  },
];

/** Why there is no answer. `error` is any text with the error's code or message. */
function failureOf(error) {
  return FAILURES.find(({ pattern }) => pattern.test(error))?.name ?? 'a broken connection';
}

/**
 * What an answer is. `answer` is its request with `status`, `text` and `location`, or with `failure`.
 * `outcome` is one of: silent, success, refused, unknown path, redirected, throttled, failed, unreadable.
 */
function readAnswer(answer) {
  if (answer.failure !== undefined) return { ...answer, outcome: 'silent' };
  const text = String(answer.text ?? '').trim();
  const said = parseJson(text);
  const code = codeOf(firstObject(said) ?? {});
  return { ...answer, said, code, ...outcomeOf(answer.status, said, code, text) };
}

/** Outcomes that say nothing of the request: the next time it may get another one. */
const TRANSIENT = ['silent', 'failed', 'throttled'];

function outcomeOf(status, said, code, text) {
  if (isZero(code)) return { outcome: 'success' };
  if (status >= 300 && status < 400) return { outcome: 'redirected' };
  if (status === 404 || status === 405) return { outcome: 'unknown path' };
  if (status === 429) return { outcome: 'throttled' };
  if (status >= 500) return { outcome: 'failed' };
  if (status >= 400) return { outcome: 'refused' };
  if (said === undefined) return { outcome: 'unreadable', instead: whatInsteadOfJson(text) };
  return { outcome: code === undefined ? 'success' : 'refused' };
}

function codeOf({ code }) {
  if (code === null) return undefined;
  return typeof code === 'object' ? 'an object or a list' : code;
}

const WEB_PAGE = 'a web page';

function whatInsteadOfJson(text) {
  if (text === '') return 'an empty body';
  if (text.startsWith('<')) return WEB_PAGE;
  return /^[{[]/.test(text) ? 'JSON that is cut off or broken' : 'text that is no JSON';
}

/** An object or array from JSON. Undefined for anything else. */
function parseJson(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** An object, or the first one in arrays: a refusal may stand in an array in an array. */
function firstObject(value) {
  let inner = value;
  while (Array.isArray(inner)) inner = inner[0];
  return isObject(inner) ? inner : undefined;
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isZero(code) {
  return code === 0 || (typeof code === 'string' && /^\s*0+\s*$/.test(code));
}

/** A whole number, or a text of one. */
function numberOf(value) {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

/** What the service said, without its words: "HTTP 200, code 1002". */
function describe({ outcome, failure, status, instead, code }) {
  if (outcome === 'silent') return failure;
  if (instead !== undefined) return `HTTP ${status} with ${instead}`;
  return code === undefined ? `HTTP ${status}` : `HTTP ${status}, ${describeCode(code)}`;
}

function describeCode(code) {
  return /^-?\d{1,9}$/.test(String(code)) ? `code ${String(code)}` : 'a code that is no number';
}

// --- Lists in answers ---

/**
 * The page in an answer: where its records stand, and what it says of itself. Undefined where nothing is
 * recognised as a list.
 */
function readPage({ said }) {
  const found = findEntries(said);
  if (found === undefined) return undefined;
  const { shape, entries, page } = found;
  const records = entries.filter(isObject);
  if (entries.length > 0 && records.length === 0) return undefined;
  return { shape, entries, records, total: page.total, pageSize: numberOf(page.page_size) };
}

/** @returns where the records stand, as words; what stands there; and the object with the page's numbers */
function findEntries(said) {
  if (Array.isArray(said)) return findNested(said, 'in nested arrays') ?? noEntries(said, {});
  if (!isObject(said)) return undefined;
  const own = findInPage(said, '');
  if (own) return own;
  const { data } = said;
  if (isObject(data)) return findInPage(data, 'data.') ?? findOther(data, 'data.');
  if (Array.isArray(data)) {
    const shape = 'directly under data';
    return findNested(data, 'in nested arrays under data') ?? { shape, entries: data, page: said };
  }
  const isEmpty = isZero(said.code) && (data ?? null) === null;
  return findOther(said, '') ?? (isEmpty ? noEntries([], said) : undefined);
}

function noEntries(array, page) {
  const isEmpty = array.flat(2).length === 0;
  return isEmpty ? { shape: 'left out where there are none', entries: [], page } : undefined;
}

/** A page as the specification shows it: the records are its `list`. */
function findInPage(page, before) {
  if (!Array.isArray(page.list) && page.list !== null) return undefined;
  return { shape: `under ${before}list`, entries: page.list ?? [], page };
}

/** A page whose records have a name of this service. */
function findOther(page, before) {
  const arrays = Object.keys(page).filter((key) => Array.isArray(page[key]));
  const [name] = arrays;
  if (arrays.length !== 1 || !page[name].every(isObject)) return undefined;
  return { shape: `under ${before}${shownName(name)}`, entries: page[name], page };
}

function findNested(array, shape) {
  const pages = array.flat(2).filter((entry) => isObject(entry) && findInPage(entry, ''));
  if (pages.length === 0) return undefined;
  return {
    shape,
    entries: pages.flatMap(({ list }) => list ?? []),
    page: pages.length === 1 ? pages[0] : {},
  };
}

/**
 * What makes a record itself. Not its ID alone: JavaScript does not keep the last digits of a long one.
 * Not all of it: links in it may be signed anew in each answer.
 */
function identityOf(record) {
  const { id, name, url } = record;
  return JSON.stringify(id === undefined ? record : [id, name, url]);
}

/** A name of a field, if it is one. A key of an object may as well be somebody's phone number. */
function shownName(name) {
  return isName(name) ? name : 'a name that is no identifier';
}

function isName(name) {
  return name.length <= 40 && /^[A-Za-z_]+(?:\d{1,3}[A-Za-z_]*)?$/.test(name);
}

function kindOf(value) {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'string') return 'text';
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? LONG_NUMBER : typeof value;
}

/** One of which JavaScript does not keep all digits. */
const LONG_NUMBER = 'number beyond 2⁵³';

// --- The report ---

/** What a row says: nothing to do, something to set, somebody to ask, or nothing. */
const WORKS = 'works';
const TO_SET = 'to set';
const ASK = 'ask the operator';
const UNKNOWN = 'cannot be told';

/**
 * What the answers mean for the nodes.
 *
 * @param {object[]} answers the requests of `plan`, each with `status`, `text` and `location`, or `failure`
 * @param {string} kept where the answers to pulls are kept, as the end of a sentence
 * @returns `summary`, one sentence; `rows` of `about`, `found` and `verdict`; `settings` of `setting`,
 * `where` and `why`; `texts`, what else to know
 */
function report(answers, kept = '') {
  const all = answers.map(readAnswer);
  const findings = sectionsFor(all).flatMap((section) => attempt(section, all));
  const rows = findings.map(({ about, found, verdict }) => ({ about, found, verdict }));
  const settings = findings.flatMap((finding) => finding.settings ?? []);
  const texts = findings.flatMap((finding) => finding.texts ?? []);
  const hasPulled = all.some((each) => isPull(each) && each.failure !== NOT_ASKED);
  const pulled = hasPulled
    ? [`The service does not give out again what was pulled. Its answers are kept ${kept}.`]
    : [];
  return {
    summary: summaryOf(rows, settings),
    rows,
    settings,
    texts: [...texts, ...pulled, LEFT_OUT],
  };
}

/** Without access, the answers say nothing about lists. */
function sectionsFor(all) {
  const basics = [connectionOf, addressOf, accessOf];
  if (!hasAccess(all)) return [...basics, listsWithoutAccess, inferredPaths];
  const lists = LISTS.map((list) => (answered) => listOf(list, answered));
  const pulls = PULLS.map((pull) => (answered) => pullOf(pull, answered));
  return [...basics, resultCode, balanceOf, ...lists, templateMarks, inferredPaths, ...pulls];
}

/** An answer may be stranger than anybody thought. Then the other sections still say what they saw. */
function attempt(section, all) {
  try {
    return section(all);
  } catch {
    return [{ about: 'An answer', found: 'too strange to be read', verdict: ASK }];
  }
}

function summaryOf(rows, settings) {
  const isOpen = rows.some(({ verdict }) => verdict === ASK);
  const asks = isOpen ? ' Ask your operator about the rows that say so.' : '';
  return (
    (settings.length === 0 ? 'Nothing to set.' : `${many(settings.length, 'thing')} to set.`) + asks
  );
}

const LEFT_OUT =
  'Not asked, because it would send, change or take something: how many messages a request may hold (Batch Size), how many records a pull gives (Pull Size, Count), whether a signature needs the Authorization Token, and which fields changes take (Extra Fields (JSON)). Ask your operator.';

function isPull({ path }) {
  return path.endsWith('/pull');
}

function hasAccess(all) {
  return all.some(({ signed, outcome }) => signed && outcome === 'success');
}

/** The signed answers whose paths the specification shows. */
function documented(all) {
  return all.filter(({ path, signed }) => signed && path !== SIGNATURE_LIST && !isPull({ path }));
}

function many(count, noun) {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Each different text once, with how often it occurs: "HTTP 404 (3), HTTP 500". */
function tally(texts) {
  return [...new Set(texts)]
    .map((text) => [text, texts.filter((other) => other === text).length])
    .map(([text, count]) => (count === 1 ? text : `${text} (${count})`))
    .join(', ');
}

// --- Sections: address and access ---

function connectionOf(all) {
  const about = 'Answers';
  const answered = all.filter(({ outcome }) => outcome !== 'silent').length;
  const found = `${answered} of ${all.length} requests were answered`;
  const trouble = tally(all.filter(({ outcome }) => TRANSIENT.includes(outcome)).map(describe));
  if (trouble === '') return [{ about, found, verdict: WORKS }];
  const settings = FAILURES.filter((each) => each.setting && stopsAll(each, all)).map(
    ({ setting, advice }) => ({ setting, where: 'Credential', why: advice }),
  );
  const verdict = settings.length > 0 ? TO_SET : ASK;
  return [{ about, found: `${found}; ${trouble}`, verdict, settings }];
}

/** Whether nothing was answered with key and signature, for this reason. */
function stopsAll({ name }, all) {
  const failures = all.filter(({ signed }) => signed).map(({ failure }) => failure);
  return failures.includes(name) && failures.every((each) => each === name || each === NOT_ASKED);
}

function addressOf(all) {
  const about = 'Base URL';
  if (documented(all).some(({ outcome }) => outcome === 'success' || outcome === 'refused')) {
    return [{ about, found: 'the service answers at its paths', verdict: WORKS }];
  }
  const lost = documented(all).filter(isElsewhere);
  if (lost.length === 0) return [{ about, found: 'no answer that tells', verdict: UNKNOWN }];
  const why = lost.some(leadsToPrefix)
    ? 'The service redirects to the same paths with a prefix in front: add that prefix.'
    : 'The paths of the service are not there. A path prefix may be missing, or the host may be another one.';
  const setting = { setting: 'Base URL', where: 'Credential', why };
  return [{ about, found: tally(lost.map(describe)), verdict: TO_SET, settings: [setting] }];
}

function isElsewhere({ outcome, instead }) {
  return outcome === 'unknown path' || outcome === 'redirected' || instead === WEB_PAGE;
}

/** Whether a redirect leads to the same path behind a longer prefix. */
function leadsToPrefix({ outcome, location, path }) {
  if (outcome !== 'redirected' || typeof location !== 'string') return false;
  const target = location.replace(/^https?:\/\/[^/]*/i, '').replace(/[?#].*$/, '');
  return target.endsWith(path) && target.length > path.length;
}

function accessOf(all) {
  const about = 'Key and signature';
  const unsigned = all.find(({ path, signed }) => !signed && path === BALANCE);
  if (hasAccess(all)) {
    const isOpen = unsigned.outcome === 'success';
    if (isOpen) return [{ about, found: 'accepted, but not needed either', verdict: ASK }];
    return [{ about, found: 'accepted', verdict: WORKS }];
  }
  const refused = documented(all).filter(({ outcome }) => outcome === 'refused');
  if (refused.length === 0) return [{ about, ...unreadable(documented(all)) }];
  if (refused.some(holdsData)) {
    const found = `${tally(refused.map(describe))}, and yet with what was asked for`;
    return [{ about, found, verdict: ASK, texts: [ONLY_ZERO] }];
  }
  const said = new Set(refused.map(describe));
  const alike = said.size === 1 ? 'all refused alike' : 'all refused';
  const found = `${alike}: ${tally(refused.map(describe))}`;
  const texts = said.has(describe(unsigned))
    ? [
        'A request without key and signature gets the same answer. So the service may refuse for another reason, for instance the address that you ask from.',
      ]
    : [];
  return [{ about, found, verdict: TO_SET, settings: ACCESS_SETTINGS, texts }];
}

/** Whether an answer gives what was asked for, whatever its code says. */
function holdsData(answer) {
  const hasRecords = (readPage(answer)?.records.length ?? 0) > 0;
  return hasRecords || firstObject(answer.said)?.balance !== undefined;
}

const ONLY_ZERO =
  'The service seems to mark a success with another code than 0. To the nodes, each of them is a refusal.';

/** What to say where nothing was accepted and nothing refused. */
function unreadable(answers) {
  const strange = answers.filter(({ instead }) => instead !== undefined && instead !== WEB_PAGE);
  if (strange.length === 0) return { found: 'nothing was refused for them', verdict: UNKNOWN };
  return { found: tally(strange.map(describe)), verdict: ASK };
}

const ACCESS_SETTINGS = [
  {
    setting: 'API Key',
    where: 'Credential',
    why: 'Copy it again from what the operator gave you.',
  },
  { setting: 'API Secret', where: 'Credential', why: 'Copy it again too.' },
  {
    setting: 'Signature Payload',
    where: 'Credential',
    why: "Compare with the operator's manual what is signed, and in which order. Under “How requests are signed” the README has examples.",
  },
  {
    setting: 'Signature Algorithm',
    where: 'Credential',
    why: 'HMAC-SHA-256 if the manual says HMAC, otherwise SHA-256.',
  },
];

function listsWithoutAccess() {
  const found = 'ask again when key and signature are accepted';
  return [{ about: 'Lists and templates', found, verdict: UNKNOWN }];
}

function resultCode(all) {
  const successes = all.filter(({ outcome }) => outcome === 'success');
  const codes = successes.map(({ code }) => (code === undefined ? 'absent' : kindOf(code)));
  const statuses = successes.map(({ status }) => `HTTP ${status}`);
  return [
    { about: 'Successes', found: `${tally(statuses)}; code: ${tally(codes)}`, verdict: WORKS },
  ];
}

function balanceOf(all) {
  const about = 'Balance';
  const answer = all.find(({ path, signed }) => signed && path === BALANCE);
  if (answer.outcome !== 'success') return [{ about, found: describe(answer), verdict: ASK }];
  const outer = firstObject(answer.said) ?? {};
  const inner = firstObject(outer.data) ?? {};
  const where = 'balance' in outer ? '' : ' under data';
  const value = outer.balance ?? inner.balance;
  if (value === undefined) return [{ about, found: 'no field balance', verdict: ASK }];
  return [{ about, found: `${kindOf(value)}${where}`, verdict: WORKS }];
}

// --- Sections: lists ---

/** What the four answers for a list say of it. */
function listOf(list, all) {
  const answers = answersFor(list, all);
  const readable = Object.values(answers).filter(({ page }) => page);
  if (readable.length === 0) return [unreadableList(list, Object.values(answers))];
  const records = distinct(readable.flatMap(({ page }) => page.records));
  if (records.length === 0) {
    const found = `${shapeOf(readable)}; the account has none to look at`;
    return [{ about: list.name, found, verdict: UNKNOWN }];
  }
  return [
    { about: list.name, found: shapeOf(readable), verdict: WORKS },
    pagingOf(list, answers, records),
    fieldsOf(list, records),
  ];
}

function answersFor({ path }, all) {
  const answerTo = (fields) => {
    const body = JSON.stringify(fields);
    const answer = all.find((each) => each.signed && each.path === path && each.body === body);
    return { ...answer, page: answer.outcome === 'success' ? readPage(answer) : undefined };
  };
  return {
    hundred: answerTo(FIRST_HUNDRED),
    two: answerTo(FIRST_TWO),
    next: answerTo(NEXT_TWO),
    zero: answerTo(PAGE_ZERO),
  };
}

function distinct(records) {
  return [...new Map(records.map((record) => [identityOf(record), record])).values()];
}

function unreadableList({ name, picker }, answers) {
  const found = tally(answers.map(fateOf));
  const isPassing = answers.every(({ outcome }) => TRANSIENT.includes(outcome));
  if (isPassing) return { about: name, found, verdict: ASK };
  return { about: name, found, verdict: TO_SET, settings: [byId(picker)] };
}

function fateOf(answer) {
  return answer.outcome === 'success' ? 'no list is recognised' : describe(answer);
}

function byId(picker) {
  return {
    setting: 'By ID',
    where: `Field ${picker}`,
    why: 'The node cannot offer this list. Enter the ID that the operator shows.',
  };
}

function shapeOf(readable) {
  const full = readable.filter(({ page }) => page.entries.length > 0);
  const shapes = (full.length > 0 ? full : readable).map(({ page }) => page.shape);
  const strange = full.map(({ page }) => page.entries.length - page.records.length);
  const where = `records are ${[...new Set(shapes)].join(' or ')}`;
  const most = Math.max(0, ...strange);
  return most === 0 ? where : `${where}; entries that are no records: ${most}`;
}

/** Page size, first page and total of a list. */
function pagingOf({ name }, answers, records) {
  const start = firstPageOf(answers);
  const reachesNext = records.length > (start === 0 ? 4 : 2);
  const isNextLost = start !== undefined && reachesNext && !answers.next.page;
  const found = [
    sizeOf(answers, start),
    start === undefined ? 'it cannot be told where pages start' : `pages count from ${start}`,
    totalOf(answers, records, start),
    ...(isNextLost ? [`page 2 is missing (${fateOf(answers.next)})`] : []),
  ];
  const verdict = isNextLost || isSizeLost(answers) ? ASK : WORKS;
  return { about: `${name}: pages`, found: found.join('; '), verdict };
}

/** 0 or 1. Undefined where the answers do not tell. */
function firstPageOf({ hundred, two, zero }) {
  const idsOf = ({ page }) => (page?.records ?? []).map(identityOf);
  const onZero = idsOf(zero);
  const onFirst = new Set([...idsOf(hundred), ...idsOf(two)]);
  if (onZero.length === 0) return onFirst.size > 0 ? 1 : undefined;
  if (!hundred.page && !two.page) return undefined;
  return onZero.some((id) => onFirst.has(id)) ? 1 : 0;
}

/** How many records come when 100 are asked for. */
function sizeOf({ hundred, two }, start) {
  if (!hundred.page) {
    return `page_size 100 is not taken (${fateOf(hundred)})${two.page ? ', but 2 is' : ''}`;
  }
  const { entries, pageSize, total } = hundred.page;
  if (entries.length > 100 || (two.page?.entries.length ?? 0) > 2) return 'page_size is ignored';
  if (pageSize > 0 && pageSize < 100) return `page_size 100 is cut to ${pageSize}`;
  if (pageSize === 100 || entries.length === 100) return 'page_size 100 is kept';
  const isShort = start === 1 && entries.length > 0 && numberOf(total) > entries.length;
  return isShort
    ? `page_size 100 gives ${entries.length}`
    : 'too few records to see a limit of page_size';
}

/** Whether pages of 100 are refused in a way that does not lead the node to ask for smaller ones. */
function isSizeLost({ hundred, two }) {
  const { page, outcome, status } = hundred;
  const isHalved = outcome === 'refused' && (status < 300 || status === 400 || status === 422);
  return !page && !(isHalved && two.page);
}

function totalOf(answers, records, start) {
  const pages = Object.values(answers).flatMap(({ page }) => page ?? []);
  const totals = [
    ...new Set(pages.map(({ total }) => total).filter((total) => total !== undefined)),
  ];
  if (totals.length === 0) return 'total is not stated';
  if (totals.length > 1) return 'total differs from page to page';
  const total = numberOf(totals[0]);
  if (total === undefined) return 'total is no number';
  if (total < records.length) return 'total is too low';
  const { entries = [], pageSize = 100 } = answers.hundred.page ?? {};
  const isWhole = start === 1 && answers.hundred.page && entries.length < Math.min(pageSize, 100);
  return isWhole && total > entries.length ? 'total is higher than what comes' : 'total fits';
}

function fieldsOf(list, records) {
  const about = `${list.name}: fields`;
  const found = `${many(records.length, 'record')}: ${describeFields(list, records)}`;
  const canBeChosen = records.every(({ id }) =>
    ['number', 'text', LONG_NUMBER].includes(kindOf(id)),
  );
  if (canBeChosen) return { about, found, verdict: WORKS };
  return { about, found, verdict: TO_SET, settings: [byId(list.picker)] };
}

/** How records differ from the tables in docs/interface.md. */
function describeFields({ fields, optional }, records) {
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const known = Object.keys(fields);
  const lacking = (name) => records.filter((record) => !Object.hasOwn(record, name)).length;
  const missing = known.filter((name) => !optional.includes(name) && lacking(name) > 0);
  const long = names.filter((name) => kindsOf(name, records).includes(LONG_NUMBER));
  const parts = [
    ['also ', shownNames(names.filter((name) => !known.includes(name)))],
    ['missing ', missing.map((name) => inSome(name, lacking(name), records)).join(', ')],
    ['other kinds: ', known.flatMap((name) => otherKinds(name, fields[name], records)).join(', ')],
    ['beyond 2⁵³: ', shownNames(long)],
  ];
  const said = parts.filter(([, names]) => names !== '').map(([intro, names]) => intro + names);
  return said.length === 0 ? 'as documented' : said.join('; ');
}

function shownNames(names) {
  const shown = names.filter(isName);
  const hidden = names.length - shown.length;
  const rest = hidden === 0 ? [] : [`names that are no identifiers: ${hidden}`];
  return [
    ...shown.slice(0, 30),
    ...(shown.length > 30 ? [`${shown.length - 30} more`] : []),
    ...rest,
  ].join(', ');
}

function kindsOf(name, records) {
  return records
    .filter((record) => Object.hasOwn(record, name))
    .map((record) => kindOf(record[name]));
}

function otherKinds(name, expected, records) {
  const others = kindsOf(name, records).filter((kind) => kind !== expected && kind !== LONG_NUMBER);
  return [...new Set(others)].map((kind) =>
    inSome(`${name} ${kind}`, others.filter((other) => other === kind).length, records),
  );
}

function inSome(what, count, records) {
  return count === records.length ? what : `${what} (in ${count} of ${records.length})`;
}

// --- Section: marks of parameters in templates ---

const NAME = '([^\\s"{}#$]+)';

/** The marks that the node recognises, in the order in which it prefers them. */
const MARKS = [
  { looks: '${name}', pattern: `\\$\\{\\s*${NAME}\\s*\\}` },
  { looks: '{{name}}', pattern: `\\{\\{\\s*${NAME}\\s*\\}\\}` },
  { looks: '{name}', pattern: `\\{\\s*${NAME}\\s*\\}` },
  { looks: '#name#', pattern: `#${NAME}#` },
];

const OTHER_MARKS = [
  { looks: '{$name}', pattern: /\{\$[\p{L}_][\p{L}\p{N}_]{0,39}\}/u },
  { looks: '%name%', pattern: /%[\p{L}_][\p{L}\p{N}_]{0,39}%/u },
  { looks: '@name@', pattern: /@[\p{L}_][\p{L}\p{N}_]{0,39}@/u },
  { looks: '$name$', pattern: /\$[\p{L}_][\p{L}\p{N}_]{0,39}\$/u },
  { looks: '[name]', pattern: /\[[\p{L}_][\p{L}\p{N}_]{0,39}\]/u },
  { looks: '<name>', pattern: /<[\p{L}_][\p{L}\p{N}_]{0,39}>/u },
];

/**
 * The marks in a template, and whether the node finds as many parameters as the service states. The node
 * takes one kind of mark, or all together, and counts each name once, or each mark.
 */
function readMarks(text, paramCount) {
  const pattern = new RegExp(MARKS.map((mark) => mark.pattern).join('|'), 'g');
  const marks = [...text.matchAll(pattern)].map(([, ...names]) => {
    const index = names.findIndex((name) => name !== undefined);
    return { ...MARKS[index], name: names[index] };
  });
  const readings = [
    ...MARKS.map(({ looks }) => marks.filter((mark) => mark.looks === looks)),
    marks,
  ];
  const fits = readings.some(
    (reading) =>
      reading.length === paramCount || new Set(reading.map(({ name }) => name)).size === paramCount,
  );
  const agrees = paramCount === undefined || fits;
  const others = agrees ? [] : OTHER_MARKS.filter((mark) => mark.pattern.test(text));
  return { agrees, looks: [...new Set([...marks, ...others].map(({ looks }) => looks))] };
}

function templateMarks(all) {
  const about = 'Template parameters';
  const templates = recordsOf('Templates', all);
  if (templates.length === 0)
    return [{ about, found: 'no templates to look at', verdict: UNKNOWN }];
  const read = templates.map(({ content, param_count }) =>
    readMarks(typeof content === 'string' ? content : '', numberOf(param_count)),
  );
  const looks = tallyIn(
    'template',
    read.flatMap((each) => each.looks),
  );
  const unstated = templates.filter(
    ({ param_count }) => numberOf(param_count) === undefined,
  ).length;
  const wrong = read.filter(({ agrees }) => !agrees).length;
  const stated = read.length - unstated;
  const fitting = `their number is param_count in ${stated - wrong} of ${stated}`;
  const found = `${looks || 'no marks'}; ${stated === 0 ? 'param_count is not stated' : fitting}`;
  if (wrong === 0) return [{ about, found, verdict: WORKS }];
  const setting = {
    setting: 'Specify Parameters: As JSON',
    where: 'Message: Send Template SMS',
    why: `The node does not find the parameters of ${many(wrong, 'template')}. The form says so when you choose one of them.`,
  };
  return [{ about, found, verdict: TO_SET, settings: [setting] }];
}

function recordsOf(name, all) {
  const list = LISTS.find((each) => each.name === name);
  const answers = Object.values(answersFor(list, all));
  return distinct(answers.flatMap(({ page }) => page?.records ?? []));
}

/** "%name% in 2 templates, #name# in 1 template" */
function tallyIn(noun, texts) {
  return [...new Set(texts)]
    .map((text) => `${text} in ${many(texts.filter((other) => other === text).length, noun)}`)
    .join(', ');
}

// --- Section: paths that are inferred ---

function inferredPaths(all) {
  const about = 'Paths known by name only';
  const told = INFERRED.map(({ path, operations }) => ({ operations, exists: exists(path, all) }));
  const [existing, missing, open] = [true, false, undefined].map((answer) =>
    told.filter((each) => each.exists === answer),
  );
  if (open.length === told.length && !hasAccess(all)) return [];
  const found = [
    `${existing.length} of ${told.length} exist`,
    ...(missing.length > 0 ? [`${missing.length} do not`] : []),
    ...(open.length > 0 ? [`${open.length} cannot be told`] : []),
  ].join(', ');
  const texts = open.length > 0 ? [COMPARE_PATHS] : [];
  if (missing.length === 0) {
    return [{ about, found, verdict: open.length > 0 ? UNKNOWN : WORKS, texts }];
  }
  return [{ about, found, verdict: TO_SET, settings: [endpointPath(missing)], texts }];
}

/** True or false; undefined where it cannot be told. */
function exists(path, all) {
  return (path === SIGNATURE_LIST ? listExists(all) : undefined) ?? isLikeExisting(path, all);
}

function listExists(all) {
  const signed = all.filter((each) => each.signed && each.path === SIGNATURE_LIST);
  if (signed.some((each) => each.outcome === 'success')) return true;
  const isNowhere = hasAccess(all) && signed.every(({ outcome }) => outcome === 'unknown path');
  return isNowhere ? false : undefined;
}

/**
 * Whether a path answers a request without key as one does that surely exists, or as one that surely does
 * not.
 */
function isLikeExisting(path, all) {
  const [here, there, nowhere] = [path, BALANCE, NO_SUCH_PATH].map((each) =>
    likeness(all.find((answer) => !answer.signed && answer.path === each)),
  );
  if ([here, there, nowhere].includes(undefined) || there === nowhere) return undefined;
  if (here === there) return true;
  return here === nowhere ? false : undefined;
}

const COMPARE_PATHS =
  'Compare the paths of the operations that are marked as inferred with the manual. Where one differs, set Endpoint Path under Options.';

/** What two answers have in common that mean the same. Undefined where an answer says nothing. */
function likeness({ outcome, status, code, instead, said }) {
  if (TRANSIENT.includes(outcome)) return undefined;
  const names = Object.keys(firstObject(said) ?? {}).sort();
  return JSON.stringify([status, code, instead, names]);
}

function endpointPath(missing) {
  return {
    setting: 'Endpoint Path',
    where: `Options of ${missing.map(({ operations }) => operations).join('; ')}`,
    why: "These paths do not exist here. Enter those of the operator's manual, and with Extra Fields (JSON) the request fields that differ.",
  };
}

// --- Section: pulls ---

function pullOf(pull, all) {
  const answer = all.find(({ path }) => path === pull.path);
  if (answer === undefined) return [];
  const about = pull.name;
  if (answer.outcome !== 'success') return [{ about, found: describe(answer), verdict: ASK }];
  const page = readPage(answer);
  if (page === undefined) return [{ about, found: 'no records are recognised', verdict: ASK }];
  if (page.records.length === 0) return [{ about, found: 'nothing was waiting', verdict: WORKS }];
  const times = tally(page.records.map(({ time }) => timeKind(time)));
  const found = `records are ${page.shape}: ${describeFields(pull, page.records)}; time is ${times}`;
  return [{ about, found, verdict: WORKS }];
}

const MILLISECONDS_FROM = 100_000_000_000;

function timeKind(time) {
  const number = numberOf(time);
  if (number === undefined)
    return kindOf(time) === 'text' && /^\d{4}-\d\d-\d\d/.test(time) ? 'a date' : kindOf(time);
  const unit = number < MILLISECONDS_FROM ? 'seconds' : 'milliseconds';
  return typeof time === 'string' ? `${unit} as text` : unit;
}

// --- In n8n ---

/** The report of the answers that HTTP Request nodes gave to the requests, and a web page of it. */
function reportInN8n(requests, answers, executionId) {
  const result = report(
    requests.map(({ json }, index) => ({ ...json, ...answerInN8n(answers[index]?.json ?? {}) })),
    `in execution ${executionId} of this workflow, in the output of “Ask with key and signature”`,
  );
  return { ...result, page: pageOf(result) };
}

function answerInN8n({ statusCode, headers, data, error }) {
  if (statusCode === undefined) return { failure: failureOf(wordsOf(error)) };
  return { status: statusCode, location: headers?.location, text: data };
}

/** The code and the messages of an error, as n8n's node gives it out. */
function wordsOf(error) {
  const { code, message, messages, cause } = isObject(error) ? error : { message: error };
  return [code, message, messages, cause?.code, cause?.message].flat().join(' ');
}

/** A report as a web page: the inner part of it, for n8n puts its own around it. */
function pageOf({ summary, rows, settings, texts }) {
  const items = settings.map(
    ({ setting, where, why }) =>
      `<li><b>${escaped(setting)}</b> <i>${escaped(where)}</i><br>${escaped(why)}</li>`,
  );
  const cells = rows.map(
    ({ about, found, verdict }) =>
      `<tr><th>${escaped(about)}</th><td><b class="${verdict.split(' ')[0]}">${verdict}</b></td><td>${escaped(found)}</td></tr>`,
  );
  return [
    `<style>${STYLE}</style><main><h1>Check of the SMS service</h1><p class="summary">${summary}</p>`,
    items.length > 0 ? `<h2>What to set</h2><ol>${items.join('')}</ol>` : '',
    `<h2>What was seen</h2><table>${cells.join('')}</table>`,
    `<h2>What else to know</h2>${texts.map((text) => `<p>${escaped(text)}</p>`).join('')}</main>`,
  ].join('');
}

function escaped(text) {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

const STYLE = `
:root { color-scheme: light dark; }
body { background: Canvas; color: CanvasText; font: 15px/1.5 'Open Sans', system-ui, sans-serif; }
main { width: 100%; max-width: 960px; margin: 0 auto; padding: 24px 16px; }
h1 { font-size: 22px; } h2 { font-size: 16px; margin: 24px 0 8px; }
.summary { font-size: 17px; } p { margin: 6px 0; } ol { padding-left: 24px; } li { margin: 8px 0; }
i { opacity: 0.75; } li i { margin-left: 8px; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 6px 12px 6px 0; border-top: 1px solid #8884; overflow-wrap: anywhere; }
th { font-weight: 600; width: 24%; } td:nth-child(2) { width: 18%; }
td b { border-radius: 4px; padding: 1px 8px; white-space: nowrap; font-weight: 600; background: #8883; }
.works { background: #2a93; } .to { background: #e703; } .ask { background: #d433; }
@media (max-width: 640px) {
  tr, td { display: block; border: 0; padding: 2px 0; }
  tr { border-top: 1px solid #8884; padding: 8px 0; }
  th, td:nth-child(2) { display: inline-block; width: auto; border: 0; padding: 0 8px 0 0; }
}
`;
