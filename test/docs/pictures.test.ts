import { createHash } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fieldsOf } from '../kit/engine/descriptions';
import { readExample } from '../kit/workflows/workflowFiles';
import { fileOf, PAGES, read } from '../kit/files';

/** A picture that a page shows is as new as what is on it. `npm run pictures` takes them all again. */

const FOLDER = 'docs/images';
const TAKEN = `${FOLDER}/taken.json`;

const textsIn = (folder: string, names: string[]) =>
  names.map((name) => read(`${folder}/${name}.ts`));

/** The n8n whose editor is on a picture: 2.41. */
const { dependencies } = JSON.parse(read('test/e2e/package.json')) as {
  dependencies: { n8n: string };
};
const editor = dependencies.n8n.split('.').slice(0, 2).join('.');

/** Picture → what a reader sees on it. */
const ON_IT: Record<string, () => unknown> = {
  'dashboard-laptop.png': () => [
    textsIn('desk/src/dashboard', ['page']),
    textsIn('builder/code', ['look']),
  ],
  'first-send.png': () => [
    editor,
    fieldsOf({ resource: 'message', operation: 'sendTemplate' }).map(({ displayName, type }) => [
      displayName,
      type,
    ]),
    textsIn('nodes/SmsMessagingService/methods', ['resourceMapping']),
  ],
  'service-check-English.png': () => [
    textsIn('examples/src/service-check', ['known', 'page-with-the-report', 'report']),
    textsIn('builder/code', ['look']),
  ],
  'template-order-sms.png': () => {
    const { nodes, connections } = readExample('order-sms');
    const shown = nodes.map(({ name, type, position, parameters }) => [
      name,
      type,
      position,
      parameters.content,
    ]);
    return [editor, shown, connections];
  },
};

test.each(Object.entries(ON_IT))(
  '%s is as new as what is on it: npm run pictures',
  (name, onIt) => {
    const now = createHash('sha256').update(JSON.stringify(onIt())).digest('hex').slice(0, 16);
    const taken = JSON.parse(read(TAKEN)) as Record<string, string>;
    if (process.env.WRITE_DOCS) {
      writeFileSync(fileOf(TAKEN), `${JSON.stringify({ ...taken, [name]: now }, null, 2)}\n`);
    } else {
      expect(taken[name]).toBe(now);
    }
  },
);

test('every picture is shown, with words that say what is on it, and no other is', () => {
  const shown = PAGES.flatMap((page) =>
    [...read(page).matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g)].map(([, words = '', to = '']) => {
      expect(words.length).toBeGreaterThan(20);
      return path.posix.join(path.posix.dirname(page), to);
    }),
  );
  const pictures = Object.keys(ON_IT).map((name) => `${FOLDER}/${name}`);
  expect([...new Set(shown)].sort()).toEqual(pictures);
  const files = readdirSync(fileOf(FOLDER)).filter((file) => file !== 'taken.json');
  expect(files.sort()).toEqual(Object.keys(ON_IT));
});
