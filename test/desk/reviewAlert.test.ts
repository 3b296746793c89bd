/** The comparison of the review alert. */
import rememberTheChanges from '../../desk/code/review-alert/Remember the changes';
import whatHasChanged from '../../desk/code/review-alert/Find what has changed';
import { items, runCode } from './node';

type Row = Record<string, unknown>;

/** The news, and what is known afterwards. */
function compare(lists: { templates?: Row[]; signatures?: Row[]; known?: Row[]; words?: string }) {
  const { templates = [{}], signatures = [{}], known = [], words } = lists;
  const memory: Row = { known };
  const news = runCode(whatHasChanged, [], {
    $getWorkflowStaticData: () => memory,
    nodes: {
      'List the templates': items(...templates),
      'List the signatures': items(...signatures),
      Settings: items({ review_words: words }),
    },
  }).map(({ json }) => json);
  return { news, memory };
}

const template = { id: 304, name: 'Sale', status: false, audit_status: 1, remark: 'my own note' };
const known = { kind: 'template', record_id: '304', name: 'Sale', enabled: 'false', review: '1' };

test('a record that was not known is remembered, and nobody is told', () => {
  const found = compare({ templates: [template], signatures: [{ id: 201, name: 'Shop' }] });
  expect(found.news).toEqual([]);
  expect(found.memory.known).toEqual([
    known,
    { kind: 'signature', record_id: '201', name: 'Shop', enabled: '', review: '' },
  ]);
});

test('a change is told in the words of the settings, with the reason and without the own note', () => {
  const changed = {
    ...template,
    status: 1,
    audit_status: 3,
    audit_remark: '链接无效',
    reject_reason: '',
  };
  const { news, memory } = compare({
    templates: [changed],
    known: [known],
    words: '1 = under review, 3=refused',
  });
  expect(news).toEqual([
    {
      change: 'changed',
      line: 'template “Sale” (ID 304): disabled → enabled, under review → refused. audit_remark: 链接无效',
      now: { ...known, enabled: '1', review: '3' },
    },
  ]);
  expect(memory.known).toEqual([known]);
  runCode(rememberTheChanges, [], {
    $getWorkflowStaticData: () => memory,
    nodes: { 'Find what has changed': items(...news) },
  });
  expect(memory.known).toEqual([{ ...known, enabled: '1', review: '3' }]);
  const [plain] = compare({ templates: [changed], known: [known] }).news;
  expect(plain?.line).toContain('review status 1 → review status 3');
});

test('what has not changed, and what is in no list, comes to nothing', () => {
  const gone = { ...known, record_id: '305' };
  const all = { news: [], memory: { known: [known, gone] } };
  expect(compare({ templates: [template], known: [known, gone] })).toEqual(all);
  expect(compare({ known: [known, gone] })).toEqual(all);
});

test('a field that the service leaves out, or adds, is no change of the review', () => {
  const same = { news: [], memory: { known: [known] } };
  expect(compare({ templates: [{ id: 304, name: 'Sale' }], known: [known] })).toEqual(same);
  expect(compare({ templates: [template], known: [{ ...known, review: '' }] })).toEqual(same);
});

test('true and 1 are the same answer', () => {
  const { news } = compare({ templates: [{ ...template, status: 0 }], known: [known] });
  expect(news).toEqual([]);
});

test('the same ID in the other list is another record', () => {
  const { memory } = compare({ signatures: [{ ...template }], known: [known] });
  expect(memory.known).toEqual([known, { ...known, kind: 'signature' }]);
});

test('a list that failed is a problem, and hides no change in the other', () => {
  const { news } = compare({
    templates: [{ error: 'Bad gateway', message: 'No answer' }],
    signatures: [{ id: 201, name: 'Shop', audit_status: 2 }],
    known: [{ kind: 'signature', record_id: '201', name: 'Shop', enabled: '', review: '1' }],
  });
  expect(news).toEqual([
    { change: 'problem', line: 'The templates could not be listed: No answer' },
    expect.objectContaining({ change: 'changed' }),
  ]);
});
