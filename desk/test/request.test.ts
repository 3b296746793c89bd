/** How the web pages read what an address or a form holds. */
import whatIsAsked from '../src/campaign-page/what-is-asked';
import { given, langOf } from '../../builder/code/lang';
import { reloadOf } from '../../builder/code/look';
import { items, runCode } from '../../test/kit/workflows/codeNode';

/** What n8n makes of `campaign[toString]=x` and the like. */
const OBJECTS: object[] = [
  { toString: 'x' },
  { valueOf: 'x', toString: 'x' },
  { a: 'b' },
  { toString: {} },
];

test.each<[unknown, string]>([
  ['7', '7'],
  [' 7 ', '7'],
  [7, '7'],
  [true, 'true'],
  [['7', '8'], '7'],
  ['x'.repeat(300), 'x'.repeat(200)],
  ...[undefined, null, [], {}, ...OBJECTS, ...OBJECTS.map((each) => [each])].map(
    (each): [unknown, string] => [each, ''],
  ),
])('%j is the text %j', (value, expected) => {
  expect(given({ campaign: value }, 'campaign')).toBe(expected);
});

test.each(OBJECTS)('the campaigns are shown to an address that holds %j', (each) => {
  const names = ['campaign', 'list', 'lang', 'test', 'row', 'refresh'];
  const query = Object.fromEntries(names.map((name) => [name, each]));
  const nodes = { 'Page is opened': items({ query }) };
  const asked = runCode(whatIsAsked, [], { nodes })[0]?.json;
  expect(asked).toMatchObject({ id: 0, list: '', lang: 'en', test: '', row: '' });
  expect(langOf({ query, headers: query })).toBe('en');
  expect(reloadOf({ query }, 9).isOn).toBe(true);
});
