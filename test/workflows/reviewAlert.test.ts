/** The comparison of the review alert. */
import whatHasChanged from '../../examples/code/review-alert/What has changed';
import { items, runCode } from './node';

type Row = Record<string, unknown>;

function compare(lists: { templates?: Row[]; signatures?: Row[]; known?: Row[]; words?: string }) {
  const { templates = [{}], signatures = [{}], known = [{}], words } = lists;
  return runCode(whatHasChanged, items(...known), {
    nodes: {
      'List the templates': items(...templates),
      'List the signatures': items(...signatures),
      Settings: items({ review_words: words }),
    },
  }).map(({ json }) => json);
}

const template = { id: 304, name: 'Sale', status: false, audit_status: 1, remark: 'my own note' };
const known = { kind: 'template', record_id: '304', name: 'Sale', enabled: 'false', review: '1' };

test('a record that was not known is remembered, and nobody is told', () => {
  expect(compare({ templates: [template], signatures: [{ id: 201, name: 'Shop' }] })).toEqual([
    { change: 'quiet', ...known },
    { change: 'quiet', kind: 'signature', record_id: '201', name: 'Shop', enabled: '', review: '' },
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
  const [found] = compare({
    templates: [changed],
    known: [known],
    words: '1 = under review, 3=refused',
  });
  expect(found).toMatchObject({ change: 'changed', enabled: '1', review: '3' });
  expect(found?.line).toBe(
    'template “Sale” (ID 304): disabled → enabled, under review → refused. audit_remark: 链接无效',
  );
  const [plain] = compare({ templates: [changed], known: [known] });
  expect(plain?.line).toContain('review status 1 → review status 3');
});

test('what has not changed, and what is in no list, comes to nothing', () => {
  const gone = { ...known, record_id: '305' };
  expect(compare({ templates: [template], known: [known, gone] })).toEqual([]);
  expect(compare({ templates: [{}], signatures: [{}], known: [known] })).toEqual([]);
});

test('a field that the service leaves out, or adds, is no change of the review', () => {
  expect(compare({ templates: [{ id: 304, name: 'Sale' }], known: [known] })).toEqual([]);
  const later = compare({ templates: [template], known: [{ ...known, review: '' }] });
  expect(later).toEqual([{ change: 'quiet', ...known }]);
});

test('true and 1 are the same answer', () => {
  const [found] = compare({ templates: [{ ...template, status: 0 }], known: [known] });
  expect(found).toMatchObject({ change: 'quiet', enabled: '0' });
});

test('the same ID in the other list is another record', () => {
  expect(compare({ signatures: [{ ...template }], known: [known] })).toMatchObject([
    { change: 'quiet', kind: 'signature' },
  ]);
});

test('a list that failed is a problem, and hides no change in the other', () => {
  const found = compare({
    templates: [{ error: 'Bad gateway', message: 'No answer' }],
    signatures: [{ id: 201, name: 'Shop', audit_status: 2 }],
    known: [{ kind: 'signature', record_id: '201', name: 'Shop', enabled: '', review: '1' }],
  });
  expect(found).toEqual([
    { change: 'problem', line: 'The templates could not be listed: No answer' },
    expect.objectContaining({ change: 'changed', record_id: '201' }),
  ]);
});
