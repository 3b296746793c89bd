/** What the tests of the templates in examples/ share. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import type { Gateway, GatewayOptions } from '../../sandbox/gateway';
import * as records from '../../sandbox/records';
import { asNew } from '../lib/asNew';
import type { Credential, Workflow } from '../../kit/n8n/client';
import type { DataTables } from '../../kit/n8n/dataTables';
import type { Database } from '../../kit/n8n/postgres';
import { pictureFile, repository } from '../../kit/n8n/paths';
import type { SmtpServer } from '../../kit/n8n/smtp';
import { expect, test as base } from '../lib/test';
import { WEBHOOK_KEY } from '../../kit/n8n/webhookKey';
import { addOwn } from '../../kit/workflows/workflowFiles';
import type { Editor } from './editor';
import { NewUser } from './newUser';

const FOLDER = 'examples';

/** Wide enough that the canvas beside n8n's menu is as wide as a page shows a picture. */
const PICTURE_WINDOW = { width: 1400, height: 900 };
const MARGIN = 12;

/** The canvas without what lies on it: buttons, the map, and the dots, which make a file large. */
const CANVAS_ALONE = `
  .vue-flow__panel, .vue-flow__background, .vue-flow__minimap { visibility: hidden !important }
  [data-test-id='canvas-wrapper'] ~ *, [data-test-id='execute-workflow-button'], [class*='_chevron_'] { visibility: hidden !important }
`;

/** The sandbox's phones that the tests send to. Numbers that end in 0001 to 0003 fail. */
export const PHONES = ['13810000010', '13810000011', '13810000012', '13810000013'] as const;

/** The address that a user types, and the field for it. */
export const MAIL = 'person@example.com';
export const FROM = { fromEmail: MAIL };

/** The fields with a list of records. */
const PICKER = /^(signature|template|workflow)Id$/;

/** A signature and a template, by the names that the pickers show. */
export const SHIPPED = { signatureId: '云岭商城', templateId: '发货通知' };
export const OWN = { signatureId: '云岭商城', templateId: '自有模板' };

/** The text that reply-keyword asks with. */
export const QUESTION = '您预约的时间是明天9点。确认请回复1，取消请回复2。';

/** A reply to the notice of a shipped order, or to another text. */
export const reply = (phone: string, content: string, sms_content = 'Your order has shipped.') =>
  records.reply({
    batch_id: 'B-1',
    sms_content,
    content,
    mobile: Number(phone),
  });

/** A delivery report. */
export const report = (phone_number: string, status: string) =>
  records.deliveryReport({ batch_id: 'B-1', status, status_desc: '', phone_number });

export interface Trial {
  gateway: Gateway;
  tables: DataTables;
  smtp: SmtpServer;
  user: NewUser;
  credentials: Credential[];
  /** The workflow as n8n has saved it. */
  saved(): Promise<Workflow>;
  /**
   * Makes the choices of a user: records in pickers and texts in fields, by node. The nodes of one argument
   * follow one another, so that only the first is opened on the canvas.
   */
  setUp(...paths: Record<string, Record<string, string>>[]): Promise<void>;
  publish(): Promise<void>;
  /** Presses the button below the canvas. It is the world that does this later: it does not count. */
  execute(): Promise<void>;
}

interface Options {
  gateway?: GatewayOptions;
  /** The text of the user's own SMS template. */
  text?: string;
  /** The address of a chat model. */
  model?: string;
  postgres?: Database;
}

interface Fixtures {
  /**
   * Imports a template into an n8n that has credentials and nothing else. When the test ends, the actions
   * that it took are those that the page of the templates says.
   */
  openTemplate(name: string, options?: Options): Promise<Trial>;
}

export const test = base.extend<Fixtures>({
  openTemplate: async ({ client, editor, openGateway, smtp }, use) => {
    const ends: (() => void)[] = [];
    await use(async (name, options = {}) => {
      const tables = await asNew(client);
      const gateway = await openGateway(options.gateway);
      if (options.text !== undefined) addOwn(gateway, options.text);
      // Each has the name that n8n proposes: an import finds it by that.
      const data = {
        smsMessagingServiceApi: ['SMS Messaging Service account', gateway.credential()],
        smtp: ['SMTP account', smtp.credential],
        httpHeaderAuth: ['Header Auth account', WEBHOOK_KEY],
        crypto: ['Crypto account', { hmacSecret: 'a secret text' }],
        openAiApi: ['OpenAI account', { apiKey: 'key-of-no-model', url: options.model ?? '' }],
        postgres: ['Postgres account', { ...options.postgres, ssl: 'disable' }],
      } as const;
      const credentials: Credential[] = [];
      for (const [type, [title, values]] of Object.entries(data)) {
        credentials.push(await client.createCredential(title, type, values as never));
      }
      const user = new NewUser(editor);
      await user.import(path.join(FOLDER, `${name}.json`));
      await takePicture(editor, name);
      ends.push(() => {
        user.tell();
        expect(user.actions, 'the actions that examples/README.md says').toHaveLength(
          actionsOf(name),
        );
        editor.expectNoErrors();
      });
      const id = () => /\/workflow\/([^/?]+)/.exec(editor.page.url())?.[1];
      return {
        gateway,
        tables,
        smtp,
        user,
        credentials,
        saved: async () => await client.call('GET', `/rest/workflows/${id()}`),
        setUp: async (...paths) => {
          for (const choices of paths) {
            for (const [index, [node, fields]] of Object.entries(choices).entries()) {
              await user[index === 0 ? 'open' : 'goOn'](node);
              for (const [field, text] of Object.entries(fields)) {
                await user[PICKER.test(field) ? 'pick' : 'enter'](field, text);
              }
            }
            await user.close();
          }
        },
        publish: () => user.publish(),
        execute: async () =>
          await editor.page.getByTestId('execute-workflow-button').last().click(),
      };
    });
    await client.deactivateAll();
    for (const end of ends) end();
  },
});

/** What the table of examples/README.md says in its last column. */
function actionsOf(name: string): number {
  const page = readFileSync(path.join(repository, FOLDER, 'README.md'), 'utf8');
  const row = page
    .split('\n')
    .find((line) => line.startsWith('|') && line.includes(`(${name}.json)`));
  return Number(row?.split('|').at(-2));
}

/** A picture of the canvas. */
async function takePicture(editor: Editor, name: string): Promise<void> {
  const { page } = editor;
  const before = page.viewportSize() ?? PICTURE_WINDOW;
  await page.setViewportSize(PICTURE_WINDOW);
  await editor.zoomToFit();
  const clip = await page.evaluate(boxOfNodes, MARGIN);
  // An import leaves all nodes selected.
  await page.mouse.click(clip.x + 1, clip.y + 1);
  await page.screenshot({ path: pictureFile(`template ${name}`), clip, style: CANVAS_ALONE });
  await page.setViewportSize(before);
  await editor.zoomToFit();
}

/** The part of the window that the nodes take, with a margin. Runs in the browser. */
function boxOfNodes(margin: number): { x: number; y: number; width: number; height: number } {
  const parts = '.vue-flow__node, [data-test-id="canvas-node"] [class*="label"]';
  const boxes = Array.from(document.querySelectorAll(parts), (each) =>
    each.getBoundingClientRect(),
  );
  const x = Math.min(...boxes.map(({ left }) => left)) - margin;
  const y = Math.min(...boxes.map(({ top }) => top)) - margin;
  const right = Math.max(...boxes.map((box) => box.right)) + margin;
  const bottom = Math.max(...boxes.map((box) => box.bottom)) + margin;
  return { x, y, width: right - x, height: bottom - y };
}
