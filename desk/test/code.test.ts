/** The Code nodes as they stand in the workflows. What they do, the other tests ask their modules. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createContext, runInContext } from 'node:vm';

import { utils, write } from '@e965/xlsx';

import { deskNames, readDesk } from '../../test/kit/workflows/workflowFiles';
import { moduleOf } from '../../builder/build';
import { DESK } from '../src/build';

const ROOT = path.join(__dirname, '../..');

const files = deskNames().map((name) => ({ name, nodes: readDesk(name).nodes }));

const written = files.flatMap(({ name: workflow, nodes }) =>
  nodes
    .filter(({ type }) => type === 'n8n-nodes-base.code')
    .map(({ name, parameters }) => ({
      node: `${workflow}: ${name}`,
      text: String(parameters.jsCode),
    })),
);

test.each(files)(
  '$name: every module that exports a function has its Code node',
  ({ name, nodes }) => {
    const folder = path.join(DESK.sources, name);
    const modules = readdirSync(path.join(ROOT, folder))
      .map((file) => path.join(folder, file))
      .filter((file) =>
        /^export default (async )?function/m.test(readFileSync(path.join(ROOT, file), 'utf8')),
      );
    const codes = nodes.filter(({ type }) => type === 'n8n-nodes-base.code');
    expect(modules).toEqual(codes.map((node) => moduleOf(DESK, name, node.name)).sort());
  },
);

// n8n gives a node that runs once only its first item: a check of all of them would see one.
test('no Code node that reads all its items runs once', () => {
  const cut = files.flatMap(({ name: workflow, nodes }) =>
    nodes
      .filter(({ executeOnce }) => executeOnce)
      .filter(({ parameters }) => /\$input\s*\.all\(/.test(String(parameters.jsCode)))
      .map(({ name }) => `${workflow}: ${name}`),
  );
  expect(cut).toEqual([]);
});

test('no Code node uses what n8n does not give it', () => {
  const missing = /\b(?:URLSearchParams|structuredClone|fetch)\b(?=\()|\bnew URL\b/;
  expect(written.filter(({ text }) => missing.test(text)).map(({ node }) => node)).toEqual([]);
});

// Otherwise n8n hands over the items of all nodes: 120,000 rows, for a count of three.
test('a Code node names the nodes whose items it takes, and takes them at once', () => {
  const unnamed = /(?<![\w.$])\$\((?!(?:"[^"]*"|'[^']*')\)\s*\.(?:all|first|params|isExecuted)\b)/;
  const own = written.filter(({ node }) => node !== 'campaign-load: Read the table');
  expect(own.filter(({ text }) => unnamed.test(text)).map(({ node }) => node)).toEqual([]);
});

test.each(['xlsx', 'biff8', 'csv'] as const)(
  'the packages in such a text read %s with what a task runner of n8n takes away',
  async (bookType) => {
    const sheet = utils.aoa_to_sheet([
      ['手机号', 'name'],
      [13810000010, 'Li'],
    ]);
    const file = write({ SheetNames: ['A'], Sheets: { A: sheet } }, { type: 'base64', bookType });
    const given: Record<string, object> = {
      'Spreadsheet and name': { name: 'Spring', lang: 'en' },
      'Take the file': { file },
      'Templates to choose': { records: '[{"id":302}]' },
    };
    const $ = (name: string) => ({ first: () => ({ json: given[name] ?? {} }) });
    const { text = '' } =
      written.find(({ node }) => node === 'campaign-load: Read the table') ?? {};
    const require = () => {
      throw new Error('n8n lets no code require it.');
    };
    const taken = `Object.getPrototypeOf = () => ({}); Object.setPrototypeOf = () => false;
Object.defineProperty = () => ({}); Object.defineProperties = () => ({});
[Object, Array, String, Number, RegExp, Error, Map, Date, Math, Uint8Array].forEach(Object.freeze);`;
    const read = (await runInContext(
      `${taken} (async () => { ${text} })()`,
      createContext({ $, require, atob, TextDecoder }),
    )) as object;
    expect(read).toMatchObject({
      problem: '',
      list: '{"recipients":[{"name":"Li","phone":"13810000010"}],"lines":[2]}',
    });
  },
);
