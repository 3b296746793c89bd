import { COUNTS } from '../counts';
import { LIMITS } from '../limits';
import { wrongFacts } from '../numbers';
import { FACTS, pageOf } from '../pages';

test('every limit that a page states is that of the code', () => {
  expect(wrongFacts(LIMITS, FACTS)).toEqual([]);
});

test('every count and version that a page states is that of the repository', () => {
  expect(wrongFacts(COUNTS, FACTS)).toEqual([]);
});

test('the check of numbers finds a wrong one, and one that is not stated', () => {
  const pages = [
    pageOf('a.md', 'It takes **ten** pages.\n\nIt takes 9 pages, and 1,000 records.'),
    pageOf('b.md', '| It takes 10 pages |\n|--|\n'),
  ];
  const facts = {
    pages: { says: [/takes (\S+) pages/], is: 10 },
    records: { says: [/(\S+) records/, /records: (\S+)/], is: 1000 },
    version: { says: [/takes (\d+)/], is: '1.100' },
  };
  expect(wrongFacts(facts, pages)).toEqual([
    'pages: a.md says 9 instead of 10',
    'records: no page says /records: (\\S+)/',
    'version: a.md says 9 instead of 1.100',
    'version: b.md says 10 instead of 1.100',
  ]);
});
