import { codeLines, SCRIPTS, wrongCommands } from '../commands';
import { FILES, read } from '../files';
import { parse } from '../markdown';
import { FACTS, faultsIn, pageNamed } from '../pages';

test('every command, option, test and variable that a page shows exists', () => {
  expect(faultsIn(FACTS, ({ tree }) => wrongCommands(tree))).toEqual({});
});

test('CONTRIBUTING.md names every script of package.json', () => {
  const shown = codeLines(pageNamed('CONTRIBUTING.md').tree).join('\n');
  const missing = Object.keys(SCRIPTS).filter(
    (name) => !new RegExp(`npm (?:run )?${name}(?![\\w:-])`).test(shown),
  );
  expect(missing).toEqual([]);
});

/** Nothing runs these by itself: they take half an hour and more, and measure one machine. */
const BY_HAND = ['bench', 'mutation'];

test('every script of package.json is run by CI, or its program by a test, apart from those for a person', () => {
  const ci = FILES.filter((file) => /^\.ci\/run$|^\.github\/workflows\//.test(file));
  // A set takes new members while it is read: a script runs others.
  const run = new Set(ci.flatMap((file) => scriptsIn(read(file))));
  for (const name of run) scriptsIn(SCRIPTS[name] ?? '').forEach((other) => run.add(other));
  const others = Object.keys(SCRIPTS).filter((name) => !run.has(name) && !hasTest(name));
  expect(others.sort()).toEqual(BY_HAND);
});

const scriptsIn = (text: string) =>
  [...text.matchAll(/\bnpm (?:run )?([\w:-]+)/g)]
    .map(([, name = '']) => name)
    .filter((name) => name in SCRIPTS);

const TESTS = FILES.filter((file) => /\.test\.ts$|^test\/docs\/checks\//.test(file));

/** Whether a test runs the program of a script, stands beside it, or is what the script runs. */
function hasTest(name: string): boolean {
  const command = SCRIPTS[name] ?? '';
  const [folder] = /(?<=\bjest )test\/\w+$/.exec(command) ?? [];
  const program = command
    .match(/\btest\/[\w/-]+\.m?[jt]s\b/g)
    ?.findLast((file) => !file.endsWith('run-installed.mjs'));
  return TESTS.some(
    (file) =>
      (folder && file.startsWith(folder)) ||
      (program && (file === program.replace('.ts', '.test.ts') || read(file).includes(program))),
  );
}

describe('the check of commands', () => {
  test.each([
    ['`npm run nothing`', 'nothing'],
    ['`npx no-such-program --help`', 'no-such-program'],
    ['`npx jest test/nowhere`', 'test/nowhere'],
    ['`npm run demo -- --twice`', 'twice'],
    ['```sh\nnpm run e2e -- --project smoke --project none\n```', 'none'],
    ["```sh\nnpm run e2e -- --project smoke -g 'each number once'\n```", 'each number once'],
    ['`E2E_NOTHING=1 npm run e2e`', 'E2E_NOTHING'],
    ['Set `SMS_NOTHING`.', 'SMS_NOTHING'],
  ])('finds what does not exist in %s', (text, wrong) => {
    expect(wrongCommands(parse(text))).toEqual([wrong]);
  });

  test('finds nothing where all exists', () => {
    const text = [
      '`npm test`, `npx jest test/engine/sending/plan`, `npx prettier --write .`, `CAMPAIGN_ROWS`',
      "```sh\nCAMPAIGN_ROWS=5 npm run e2e -- --project campaign -g 'each number once'\n```",
    ];
    expect(wrongCommands(parse(text.join('\n\n')))).toEqual([]);
  });
});
