// The report: what the answers mean for the nodes.

/** What a row says: nothing to do, something to set, somebody to ask, or nothing. */
const WORKS = 'works';
const TO_SET = 'to set';
const ASK = 'ask your SMS provider';
const UNKNOWN = 'cannot be told';

/**
 * @param {object[]} answers the requests of `plan`, each with `status`, `text` and `location`, or `failure`
 * @param {string} kept where the answers to pulls are kept, as the end of a sentence
 * @returns `summary`, one sentence; `rows` of `about`, `found` and `verdict`; `settings` of `setting`,
 * `where` and `why`; `texts`, what else to know
 */
function report(answers, kept = '') {
  const all = answers.map(interpret);
  const findings = findingsIn(all);
  const rows = findings.map(({ about, found, verdict }) => ({ about, found, verdict }));
  const settings = distinct(findings.flatMap((finding) => finding.settings ?? []));
  const texts = findings.flatMap((finding) => finding.texts ?? []);
  if (all.some((each) => isPull(each) && each.failure !== NOT_ASKED)) {
    texts.push(
      `The service does not give out again what was pulled. Its answers are kept ${kept}.`,
    );
  }
  return { summary: summaryOf(rows, settings), rows, settings, texts: [...texts, LEFT_OUT] };
}

/** Without access, the answers say nothing about lists. */
function findingsIn(all) {
  const basics = [...connectionOf(all), ...addressOf(all), ...accessOf(all)];
  if (!hasAccess(all)) return [...basics, LISTS_LATER, ...inferredPaths(all)];
  return [
    ...basics,
    ...balanceOf(all),
    ...LISTS.flatMap((list) => listOf(list, all)),
    ...templateParameters(all),
    ...inferredPaths(all),
    ...PULLS.flatMap((pull) => pullOf(pull, all)),
  ];
}

const LISTS_LATER = {
  about: 'Lists and templates',
  found: 'ask again when key and signature are accepted',
  verdict: UNKNOWN,
};

/** Each setting once. */
function distinct(settings) {
  return [...new Map(settings.map((each) => [JSON.stringify(each), each])).values()];
}

function summaryOf(rows, settings) {
  const isOpen = rows.some(({ verdict }) => verdict === ASK);
  const first =
    settings.length === 0 ? 'Nothing to set.' : `${many(settings.length, 'thing')} to set.`;
  return isOpen ? `${first} Ask your SMS provider about the rows that say so.` : first;
}

const LEFT_OUT =
  'Not asked, because it would send, change or take something: how many messages a request may hold (Batch Size), how many records a pull gives (Pull Size, Count), whether a signature needs the Authorization Token, and which fields changes take (Extra Fields (JSON)). Ask your SMS provider.';
