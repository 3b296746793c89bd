import { FILES, read } from '../files';
import { faultsIn, HAND_WRITTEN, pageNamed, pageOf } from '../pages';
import { bannedWords, longSentences, wordCount } from '../words';

/** What a reader reads in five minutes. */
const MOST_WORDS = 1000;

/** For readers to whom English is the second language. */
const LONGEST_SENTENCE = 30;

const README = pageNamed('README.md');

test('README.md is short', () => {
  expect(wordCount(README.text)).toBeLessThanOrEqual(MOST_WORDS);
});

test('README.md has short sentences', () => {
  expect(longSentences(README, LONGEST_SENTENCE)).toEqual([]);
});

test('no hand-written page has a word that says nothing or leads nowhere', () => {
  expect(faultsIn(HAND_WRITTEN, bannedWords)).toEqual({});
});

test('nor has a form for issues', () => {
  const forms = FILES.filter((file) => /^\.github\/ISSUE_TEMPLATE\/.*\.yml$/.test(file));
  expect(
    faultsIn(
      forms.map((file) => pageOf(file, read(file))),
      bannedWords,
    ),
  ).toEqual({});
});

/** Put together, so that this file does not name them either. */
const MACHINE = ['', 'work', 'main'].join('/');
const MOVED = ['..', 'shared'].join('/');

describe('the check of words', () => {
  test.each([
    ['Ask the operator.', ['operator']],
    ['Simply run it, of course.', ['Simply', 'of course']],
    ['Just add the node, just before the next one.', ['Just add']],
    ['Please see section 4 of it, § 5.', ['section 4', '§', 'Please']],
    [`\`cd ${MACHINE}\`, in \`${MOVED}/a.js\``, [MACHINE, MOVED]],
    [
      'The field `operator`, `n8n/.n8n`, [a](/home/node/.n8n), "https://n8n.io/work/here", a/tmp/b',
      [],
    ],
  ])('finds in %j: %j', (text, words) => {
    const found = bannedWords(pageOf('docs/a.md', text)).map((fault) => fault.split(': ')[0]);
    expect(found).toEqual(words);
  });

  test('lets a request be polite', () => {
    expect(bannedWords(pageOf('SECURITY.md', 'Please report it.'))).toEqual([]);
  });

  test('counts words and finds long sentences, also in lists and tables', () => {
    expect(wordCount(' two\n words\n')).toBe(2);
    const page = pageOf(
      'a.md',
      'One two. One two three.\n\n| a |\n|--|\n| one `b c d` two |\n\n- 1 2: 3 4',
    );
    expect(longSentences(page, 2)).toEqual(['One two three.', 'one b c d two']);
  });
});
