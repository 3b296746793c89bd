// What an answer is. The functions `readAnswer`, `findListEnvelope` and others are those of the nodes.
//
// An answer may hold anything: names, phone numbers, keys. What is said of it here is only HTTP statuses,
// codes that are numbers, counts, and names of fields that look like names.

const NOT_ASKED = 'not asked, after three requests without an answer';

/** Why there is no answer, by what Node.js, undici and n8n say, and what to set where that stops everything. */
const FAILURES = [
  { name: NOT_ASKED, pattern: /NOT_ASKED/ },
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
  },
  {
    name: 'no credential that can be used',
    pattern: /The credential|any credentials set|Credential.*(?:not found|does not exist)/i,
    setting: 'SMS Messaging Service API',
    advice: 'Select your credential in the node that signs, and open it: n8n says what it lacks.',
  },
  {
    name: 'no connection',
    pattern:
      /ENOTFOUND|EAI_AGAIN|incorrect host|DNS server|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|refused the connection|is unreachable|Invalid URL/,
    setting: 'Base URL',
  },
  {
    name: 'no certificate that is trusted',
    pattern: /CERT_|_CERT|_SIGNATURE|ERR_TLS|ERR_SSL|EPROTO|SSL Issue/,
    setting: 'Base URL',
  },
  {
    name: 'no answer in time',
    pattern: /ETIMEDOUT|ECONNABORTED|TIMEOUT|Timeout|timed out|was aborted/,
  },
];

/** Why there is no answer. `error` is any text with the error's code or message. */
function failureOf(error) {
  return FAILURES.find(({ pattern }) => pattern.test(error))?.name ?? 'a broken connection';
}

/** In the nodes it hides the credential's secrets. No answer is shown here. */
const asItIs = (value) => value;
const NO_MASK = { mayBeIn: () => false, hide: asItIs, hideWords: asItIs, hideData: asItIs };

/**
 * What an answer is to the nodes. `answer` is its request with `status`, `text` and `location`, or with
 * `failure`. Added are `said`, the JSON in it; `code`; `isTaken`, whether the nodes use it;
 * `isRefusedContent`; `isEmpty`, whether it says that there is nothing; and `outcome`: silent, success, refused, unknown path, redirected, failed,
 * unreadable or unclear.
 */
function interpret(answer) {
  const { path, status, failure, location, text } = answer;
  if (failure !== undefined) return { ...answer, outcome: 'silent', isTaken: false };
  const raw = { statusCode: status, headers: { location }, body: String(text ?? '') };
  const exchange = readAnswer(raw, path, NO_MASK);
  const said = typeof exchange.body === 'object' ? exchange.body : undefined;
  const isTaken = exchange.kind === 'answered';
  return {
    ...answer,
    said,
    code: readStatement(said).code,
    isTaken,
    isRefusedContent: !isTaken && refusesContent(exchange),
    isEmpty: exchange.isEmpty === true && holdsNothing(said),
    outcome: outcomeOf(exchange.kind, status, said),
  };
}

function outcomeOf(kind, status, said) {
  if (kind === 'answered') return provesSuccess(said) ? 'success' : 'unclear';
  if (kind === 'throttled' || status === 408 || status >= 500) return 'failed';
  if (status >= 300 && status < 400) return 'redirected';
  if (status === 404 || status === 405) return 'unknown path';
  if (kind === 'refused') return 'refused';
  return said === undefined ? 'unreadable' : 'unclear';
}

/** Words without a code may be a refusal, unless there are records beside them. */
function provesSuccess(said) {
  return !isDoubtful(said) || findListEnvelope(said) !== undefined;
}

/** Whether an answer says nothing of its request: the next time it may be another one. */
function isPassing({ outcome }) {
  return outcome === 'silent' || outcome === 'failed';
}

/** What the service said, without its words: "HTTP 200, code 1002". */
function describe(answer) {
  const { outcome, failure, status } = answer;
  if (outcome === 'silent') return failure;
  if (outcome === 'unreadable') return `HTTP ${status} without JSON`;
  const end = outcome === 'unclear' ? ', neither a success nor a refusal' : '';
  return `HTTP ${status}${describeCode(answer)}${end}`;
}

function describeCode({ code }) {
  if (code === undefined) return '';
  return /^-?\d{1,9}$/.test(String(code)) ? `, code ${code}` : ', a code that is no number';
}

/** A name of a field, if it is one. A key of an object may as well be somebody's phone number. */
function isName(name) {
  return name.length <= 40 && /^[A-Za-z_]+(?:\d{1,3}[A-Za-z_]*)?$/.test(name);
}

function shownNames(names) {
  const shown = names.filter(isName).slice(0, 30);
  const hidden = names.length - shown.length;
  return [...shown, ...(hidden > 0 ? [`others: ${hidden}`] : [])].join(', ');
}

/** How many records there are, and how they differ from the fields that are shown of them. */
function describeRecords(records, fields, optional = []) {
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const also = names.filter((name) => ![...fields, ...optional].includes(name));
  const missing = fields.filter((name) => records.some((record) => !Object.hasOwn(record, name)));
  const parts = [many(records.length, 'record')];
  if (also.length > 0) parts.push(`also with ${shownNames(also)}`);
  if (missing.length > 0) parts.push(`not all with ${missing.join(', ')}`);
  return parts.length > 1 ? parts.join('; ') : `${parts[0]}, as documented`;
}

/** A single value as text. Anything else is empty: an object may have a field `toString`. */
function plain(value) {
  return typeof value === 'object' ? '' : String(value);
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
