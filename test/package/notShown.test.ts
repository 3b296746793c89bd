import fs from 'node:fs';
import path from 'node:path';
import { ANSWERS } from './notShown/answers';
import { LISTS } from './notShown/lists';
import { NAMED } from './notShown/named';
import { boldIn, codesIn, gapsOf, isAbout, rowsOf } from './notShown/page';
import type { Row } from './notShown/page';
import { PULLS } from './notShown/pulls';
import { REQUESTS } from './notShown/requests';
import { flatten, namesIn, startScene, topFields } from './notShown/scene';
import type { Scene } from './notShown/scene';
import { SENDS } from './notShown/sends';
import { titlesIn } from './notShown/titles';

/** docs/not-shown.md says what the nodes guess. Here they are asked, and must say the same. */

const DOCS = path.resolve(__dirname, '../../docs');
const read = (file: string) => fs.readFileSync(path.join(DOCS, file), 'utf8');

const ROWS = rowsOf(read('not-shown.md'));

const GROUPS = [REQUESTS, SENDS, PULLS, LISTS, NAMED, ANSWERS];
const PROBES = Object.assign({}, ...GROUPS) as (typeof GROUPS)[0];

let scene: Scene;

beforeAll(async () => {
  scene = await startScene();
});

afterEach(() => scene.gateway.reset());

afterAll(() => scene.gateway.close());

test('each row has a probe, and each probe a row', () => {
  const titles = ROWS.map(({ title }) => title);
  const probes = GROUPS.flatMap((group) => Object.keys(group));
  expect(titles.sort()).toEqual(probes.sort());
});

describe.each(ROWS)('$title', ({ title, guess, toSet, file, test: shownBy }: Row) => {
  test('is what the nodes do', async () => {
    const probe = PROBES[title];
    if (!probe) throw new TypeError('No probe');
    const found = [await probe(scene)].flat();
    expect(found.length).toBeGreaterThan(0);
    const codes = codesIn(guess);
    expect(codes).toEqual(expect.arrayContaining(found));
    // What else stands in code is a part of that, or the name of a field or outcome.
    const others = codes.filter((code) => !/^[a-z_]+$/i.test(code));
    expect(others.filter((code) => !found.some((text) => text.includes(code)))).toEqual([]);
  });

  test('is changed by a field that the editor shows, or by none', () => {
    const shown = topFields(scene).flatMap(flatten).flatMap(namesIn);
    const settings = boldIn(toSet);
    expect(shown).toEqual(expect.arrayContaining(settings));
    if (settings.length === 0) expect(toSet).toBe('Nothing: fixed');
  });

  test('names a test that exists and runs', () => {
    expect(titlesIn(path.join(DOCS, file))).toContain(shownBy);
  });
});

test('every gap that docs/interface.md names has one row with its words', () => {
  const gaps = gapsOf(read('interface.md'));
  expect(gaps.length).toBeGreaterThan(30);
  const others = gaps.filter((gap) => ROWS.filter((row) => isAbout(row, gap)).length !== 1);
  expect(others).toEqual([]);
});
