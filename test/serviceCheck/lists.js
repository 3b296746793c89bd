// The lists to choose from.

/** What the answers for a list say of it. */
function listOf(list, all) {
  const answers = pagesOf(list, all);
  const hasRecords = recordsOf(answers).length > 0;
  const finding = hasRecords ? judgeRecords(list, answers) : judgeEmpty(Object.values(answers));
  const settings = finding.verdict === TO_SET ? [byId(list.picker)] : [];
  return [{ about: list.name, ...finding, settings }];
}

function judgeEmpty(answers) {
  if (answers.some(({ page }) => page)) {
    return { found: 'the account has none to look at', verdict: UNKNOWN };
  }
  return { found: tally(answers.map(fateOf)), verdict: answers.every(isPassing) ? ASK : TO_SET };
}

function judgeRecords({ fields, optional }, answers) {
  const records = recordsOf(answers);
  const found = [
    describeRecords(records, fields, optional),
    `at ${placeOf(Object.values(answers))}`,
    totalOf(answers),
    ...sizeOf(answers),
    ...(countsFromZero(answers) ? ['pages count from 0'] : []),
    ...(isCutShort(answers) ? ['a long list is not read to its end'] : []),
  ].join('; ');
  if (isCutShort(answers)) return { found, verdict: ASK };
  return { found, verdict: records.every(hasId) ? WORKS : TO_SET };
}

/** The three answers for a list, each with the `page` that the nodes find in it. */
function pagesOf({ path }, all) {
  const [hundred, six, zero] = [HUNDRED, SIX, PAGE_ZERO].map((fields) => {
    const body = JSON.stringify(fields);
    const answer = all.find((each) => each.signed && each.path === path && each.body === body);
    return { ...answer, page: answer.isTaken ? findListEnvelope(answer.said) : undefined };
  });
  return { hundred, six, zero };
}

/** The records of a list, each once. */
function recordsOf(answers) {
  const records = Object.values(answers).flatMap(({ page }) => page?.records ?? []);
  return [...new Map(records.map((record) => [identityOf(record), record])).values()];
}

function identityOf(record) {
  return JSON.stringify(record.id ?? record);
}

/** Where in an answer the records stand: `data.list`, or `[][].list`. */
function placeOf(answers) {
  const { said } = answers.find(({ page }) => page?.records.length > 0);
  return pathToRecords(said) || 'the top';
}

function pathToRecords(value, place = '') {
  if (Array.isArray(value)) {
    const isNested = Array.isArray(value[0]) || (isObject(value[0]) && 'list' in value[0]);
    return isNested ? pathToRecords(value[0], `${place}[]`) : place;
  }
  const names = Object.keys(value).filter((name) => typeof value[name] === 'object' && value[name]);
  const name = ['list', 'data'].find((each) => names.includes(each)) ?? names[0];
  if (name === undefined) return place;
  const shown = isName(name) ? name : 'another name';
  return pathToRecords(value[name], place ? `${place}.${shown}` : shown);
}

/** Whether the list states how many records it has, and that many came. */
function totalOf(answers) {
  const totals = Object.values(answers).flatMap(({ page }) => page?.total ?? []);
  if (totals.length === 0) return 'no total';
  const [total] = totals;
  const count = recordsOf(answers).length;
  const { page } = answers.hundred;
  const isLast = page && page.records.length < Math.min(100, page.pageSize || 100);
  const isAll = isLast && !countsFromZero(answers);
  const fits = isAll ? total === count : total >= count;
  return fits && new Set(totals).size === 1 ? 'total fits' : 'total does not fit';
}

/** Whether the node can offer a record. */
function hasId({ id }) {
  return typeof id === 'number' || (typeof id === 'string' && id !== '');
}

function fateOf(answer) {
  return answer.outcome === 'success' ? 'no list is recognised' : describe(answer);
}

function byId(picker) {
  return {
    setting: 'By ID',
    where: `Field ${picker}`,
    why: 'The node cannot offer this list. Enter the ID that your SMS provider shows.',
  };
}

/** What is not usual about the size of pages. */
function sizeOf({ hundred, six }) {
  const { page } = hundred;
  if (!page) {
    return [`page_size 100 is not taken (${fateOf(hundred)})${six.page ? ', but 6 is' : ''}`];
  }
  if (page.records.length > 100) return ['page_size is ignored'];
  return page.pageSize > 0 && page.pageSize < 100 ? [`page_size is cut to ${page.pageSize}`] : [];
}

function countsFromZero({ hundred, six, zero }) {
  if (!zero.page || !(hundred.page || six.page)) return false;
  const first = new Set(recordsOf({ hundred, six }).map(identityOf));
  return (
    zero.page.records.length > 0 && !recordsOf({ zero }).some((each) => first.has(identityOf(each)))
  );
}

/** Whether the nodes cannot read the whole list: they ask for smaller pages only where the size is refused. */
function isCutShort({ hundred, six }) {
  return !hundred.page && !(hundred.isRefusedContent && six.page);
}
