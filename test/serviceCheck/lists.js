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
    why: 'The node cannot offer this list. Enter the ID that the operator shows.',
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
