// Whether the service answers, where its paths are, and whether it accepts key and signature.

function connectionOf(all) {
  const about = 'Answers';
  const answered = all.filter(({ outcome }) => outcome !== 'silent').length;
  const found = `${answered} of ${all.length} requests were answered`;
  const trouble = all.filter((each) => isPassing(each) || isNoJson(each)).map(describe);
  if (trouble.length === 0) return [{ about, found, verdict: WORKS }];
  const settings = FAILURES.filter((each) => each.setting && stopsAll(each, all)).map(
    ({ setting, advice = COMPARE }) => ({ setting, where: 'Credential', why: advice }),
  );
  const verdict = settings.length > 0 ? TO_SET : ASK;
  return [{ about, found: `${found}; ${tally(trouble)}`, verdict, settings }];
}

const COMPARE = 'Compare it with what your SMS provider gave you: scheme, host and port.';

/** Whether nothing was answered with key and signature, for this reason. */
function stopsAll({ name }, all) {
  const failures = all.filter(({ signed }) => signed).map(({ failure }) => failure);
  return failures.includes(name) && failures.every((each) => each === name || each === NOT_ASKED);
}

/** The signed answers whose paths the specification shows. */
function documented(all) {
  return all.filter((each) => each.signed && each.path !== SIGNATURE_LIST && !isPull(each));
}

function isPull({ path }) {
  return path.endsWith('/pull');
}

function addressOf(all) {
  const about = 'Base URL';
  const isThere = ({ outcome }) => ['success', 'refused', 'unclear'].includes(outcome);
  if (documented(all).some(isThere)) {
    return [{ about, found: 'the service answers at its paths', verdict: WORKS }];
  }
  const lost = documented(all).filter(isElsewhere);
  if (lost.length === 0) return [{ about, found: 'no answer that tells', verdict: UNKNOWN }];
  const why = lost.some(leadsToPrefix)
    ? 'The service redirects to the same paths with a prefix in front: add that prefix.'
    : 'The paths of the service are not there. A path prefix may be missing, or the host may be another one.';
  const settings = [{ setting: 'Base URL', where: 'Credential', why }];
  return [{ about, found: tally(lost.map(describe)), verdict: TO_SET, settings }];
}

function isElsewhere(answer) {
  return ['unknown path', 'redirected'].includes(answer.outcome) || isWebPage(answer);
}

function isWebPage({ outcome, text }) {
  return outcome === 'unreadable' && /^\s*</.test(text);
}

/** Whether an answer is nothing that can be read, nor the web page of another service. */
function isNoJson(answer) {
  return answer.outcome === 'unreadable' && !isWebPage(answer);
}

/** Whether a redirect leads to the same path behind a longer prefix. */
function leadsToPrefix({ outcome, location, path }) {
  if (outcome !== 'redirected' || typeof location !== 'string') return false;
  const target = location.replace(/^https?:\/\/[^/]*/i, '').replace(/[?#].*$/, '');
  return target.endsWith(path) && target.length > path.length;
}

function hasAccess(all) {
  return all.some(({ signed, outcome }) => signed && outcome === 'success');
}

function accessOf(all) {
  const about = 'Key and signature';
  const unsigned = all.find(({ path, signed }) => !signed && path === BALANCE);
  if (hasAccess(all)) {
    if (unsigned.outcome !== 'success') return [{ about, found: 'accepted', verdict: WORKS }];
    return [{ about, found: 'accepted, but not needed either', verdict: ASK }];
  }
  const refused = documented(all).filter(({ outcome }) => ['refused', 'unclear'].includes(outcome));
  const said = tally(refused.map(describe));
  if (refused.length === 0) {
    return [{ about, found: 'nothing was refused for them', verdict: UNKNOWN }];
  }
  if (refused.some(holdsData)) {
    const found = `${said}, and yet with what was asked for`;
    const settings = refused.some(({ code }) => code !== undefined) ? [SUCCESS_CODES] : [];
    return [{ about, found, verdict: settings.length > 0 ? TO_SET : ASK, settings }];
  }
  const isSameWithoutKey = refused.some((each) => describe(each) === describe(unsigned));
  const texts = isSameWithoutKey ? [SAME_WITHOUT_KEY] : [];
  return [{ about, found: `refused: ${said}`, verdict: TO_SET, settings: ACCESS, texts }];
}

/** Whether an answer gives what was asked for, whatever its code says. */
function holdsData({ said }) {
  return findListEnvelope(said)?.records.length > 0 || balanceIn(said) !== undefined;
}

const SUCCESS_CODES = {
  setting: 'Success Codes',
  where: 'Credential, under Custom Result Codes',
  why: "The service seems to mark a success with another code than 0. If your provider's manual says so, enter that code.",
};

const SAME_WITHOUT_KEY =
  'A request without key and signature gets the same answer. So the service may refuse for another reason, for instance the address that you ask from.';

const ACCESS = [
  ['API Key', 'Copy it again from what your SMS provider gave you.'],
  ['API Secret', 'Copy it again too.'],
  [
    'Request Signing Template',
    "Switch on Custom Request Signing to see it. Compare with your provider's manual what is signed, and in which order. The page docs/signing.md of this package has examples.",
  ],
  ['Request Signing Algorithm', 'HMAC-SHA-256 if the manual says HMAC, otherwise SHA-256.'],
].map(([setting, why]) => ({ setting, where: 'Credential', why }));

function balanceOf(all) {
  const about = 'Balance';
  const answer = all.find(({ path, signed }) => signed && path === BALANCE);
  if (answer.outcome !== 'success') return [{ about, found: describe(answer), verdict: ASK }];
  const isNumber = /^-?\d+(?:\.\d+)?$/.test(plain(balanceIn(answer.said)));
  if (!isNumber) return [{ about, found: 'no number under balance', verdict: ASK }];
  return [{ about, found: 'a number', verdict: WORKS }];
}

function balanceIn(said) {
  return isObject(said?.data) && 'balance' in said.data ? said.data.balance : said?.balance;
}
