import { FILES, read } from '../files';
import { brokenAddresses, brokenLinks, linksToItself, reachableFrom, REPOSITORY } from '../links';
import { anchorsOf, parse } from '../markdown';
import { faultsIn, pageOf, PAGES } from '../pages';

test('every link on a page leads to a file and a heading that exist', () => {
  expect(faultsIn(PAGES, brokenLinks)).toEqual({});
});

test('every address of this repository, on a page, in the editor or in an issue form, leads somewhere', () => {
  const others = FILES.filter((file) =>
    /\.md$|^\.github\/.*\.yml$|^(?:nodes|credentials)\/.*\.(?:ts|json)$|^examples\/.*\.json$|^package\.json$/.test(
      file,
    ),
  );
  const broken = others.flatMap((file) =>
    brokenAddresses(read(file)).map((rest) => `${file}: ${rest}`),
  );
  expect(broken).toEqual([]);
});

test('every page of docs/ can be reached from the README', () => {
  const reached = reachableFrom('README.md', PAGES);
  const pages = PAGES.map(({ file }) => file).filter((file) => file.startsWith('docs/'));
  expect(pages.filter((file) => !reached.has(file))).toEqual([]);
});

test('no page links to itself by its file name', () => {
  expect(faultsIn(PAGES, linksToItself)).toEqual({});
});

test('every picture is on a page', () => {
  const shown = reachableFrom('README.md', PAGES);
  const pictures = FILES.filter((file) => file.startsWith('docs/images/'));
  expect(pictures.filter((file) => !shown.has(file))).toEqual([]);
});

describe('the check of links', () => {
  const PAGE = pageOf(
    'docs/page.md',
    [
      '# A `code` & [link](../LICENSE)!',
      '## Twice',
      '## Twice',
      '[a](#twice-1) [b](#twice-2) [c](../README.md) [d](../README.md#no-such-heading)',
      '[e](nowhere.md) ![f](images/none.png) <img src="images/no.png"> [g](../examples) [h](#a-code--link)',
      '[i](https://n8n.io/none.md) `[j](in/code.md)` [k](page.md#twice)',
    ].join('\n\n'),
  );

  test('finds each link that leads nowhere', () => {
    expect(brokenLinks(PAGE)).toEqual([
      '#twice-2',
      '../README.md#no-such-heading',
      'nowhere.md',
      'images/none.png',
      'images/no.png',
    ]);
  });

  test('finds each address of the repository that leads nowhere', () => {
    const rests = ['', '#readme', '#gone', '/blob/main/LICENSE', '/blob/main/none.md'];
    const more = ['/blob/main/docs/interface.md#requests', '/blob/main/docs/interface.md#none'];
    const text = [...rests, ...more, '/issues/new', '/wiki'].map(
      (rest) => `(${REPOSITORY}${rest})`,
    );
    expect(brokenAddresses(text.join(' '))).toEqual([
      '#gone',
      '/blob/main/none.md',
      '/blob/main/docs/interface.md#none',
      '/wiki',
    ]);
  });

  test('finds a page without a way to it, and one that names itself', () => {
    const pages = [
      pageOf('README.md', '[a](docs/a.md#x)'),
      pageOf('docs/a.md', '[b](b.md)'),
      pageOf('docs/b.md', ''),
      pageOf('docs/lonely.md', '[a](a.md)'),
    ];
    expect([...reachableFrom('README.md', pages)]).toEqual(['README.md', 'docs/a.md', 'docs/b.md']);
    expect(linksToItself(PAGE)).toEqual(['page.md#twice']);
  });

  test("makes a heading's anchor as GitHub does", () => {
    expect(anchorsOf(parse('# 1. What’s `a_b`, *really*?\n# 常见 问题\n<a id="own"></a>'))).toEqual(
      ['1-whats-a_b-really', '常见-问题', 'own'],
    );
  });
});
