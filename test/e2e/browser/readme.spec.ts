/**
 * A new user follows the README, step by step, in an n8n that has nothing else in it. The words in bold
 * of each step are what is searched, clicked and filled in, so a step that is wrong fails here.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import type { Locator } from '@playwright/test';

import { INSTALL } from '../../kit/n8n/pack';
import { pictureFile, repository } from '../../kit/n8n/paths';
import { expect, test } from '../lib/test';
import type { Editor } from './editor';

const README = readFileSync(path.join(repository, 'README.md'), 'utf8');

/** What a new user has of a template: the values of its parameters. */
const RECORDS = { Signature: '青禾科技', Template: '登录验证码' };
const VALUES = { code: '4821', minutes: '5' };

test('Installation, first send and first trigger by the README', async ({
  client,
  editor,
  openGateway,
}) => {
  for (const what of ['credentials', 'workflows'])
    expect(await client.call('GET', `/rest/${what}`), `a new n8n's ${what}`).toEqual([]);
  const gateway = await openGateway();
  const { page } = editor;
  const pulls = () => gateway.requests.filter((request) => request.path.endsWith('/pull'));

  await test.step('Install', () => {
    // The set-up of the suite has typed this, with the tarball of `npm run pack`.
    expect(section('Install')).toContain(`${INSTALL} ~/.n8n/nodes`);
    expect(section('Install')).toContain('npm run pack');
  });

  await test.step('First send', async () => {
    const [add = [], choose = [], fill = [], execute = [], ...more] = steps('First send').map(bold);
    expect(more).toEqual([]);
    const [node = '', action = ''] = add;
    await editor.open();
    await editor.openActions(node, node);
    await editor.action(action).click();
    await enterCredential(editor, gateway.credential());

    expect(choose).toEqual(Object.keys(RECORDS));
    for (const [label, record] of Object.entries(RECORDS)) {
      await editor.pick(await nameOf(label, editor.panel), record);
    }
    for (const label of fill) await editor.fill(await nameOf(label, editor.panel), '13800138000');
    for (const [name, text] of Object.entries(VALUES)) await editor.fill(name, text);

    const [button = ''] = execute;
    await expect(editor.executeButton).toHaveText(button);
    expect(await editor.execute()).toBe('success');
    const [item] = await editor.output();
    expect(section('First send')).toContain(`\`${String(item?.status)}\``);
    expect(item?.status).toBe('accepted');
    expect([...gateway.deliveries()]).toEqual([['13800138000', 1]]);
    await page.screenshot({ path: pictureFile('readme first send') });
    await expectDocs(editor, 'reference/operations');
  });

  await test.step('First trigger', async () => {
    const [add = [], fetch = [], publish = [], ...more] = steps('First trigger').map(bold);
    expect(more).toEqual([]);
    const [node = '', onReply = '', onReport = '', events = ''] = add;
    await editor.open();
    await editor.openDetails(node, node);
    await expect(editor.action(onReport)).toBeVisible();
    await page.screenshot({ path: pictureFile('actions') });
    await editor.action(onReply).click();
    expect(await nameOf(events, editor.panel)).toBe('events');

    gateway.queueReplies(3);
    await expect(editor.executeButton).toHaveText(fetch.join());
    expect(await editor.execute()).toBe('success');
    expect((await editor.output()).map(({ event }) => event)).toEqual(['reply']);
    expect(pulls()).toEqual([]);
    await expectDocs(editor, 'use/receiving');

    await editor.publish(publish.join());
    await expect.poll(() => pulls().length).toBeGreaterThan(0);
    await page.screenshot({ path: pictureFile('readme first trigger') });
  });

  await client.deactivateAll();
  editor.expectNoErrors();
});

/** Fills in the form of a new credential by the README's list. What few people need stays empty. */
async function enterCredential(editor: Editor, credential: Record<string, unknown>): Promise<void> {
  const form = await editor.openNewCredential();
  const [name = ''] = bold(section('Credential'));
  await expect(form.getByText(name, { exact: true })).toBeVisible();
  const rows = [...section('Credential').matchAll(/^- (\*\*.*?): (.*)$/gm)];
  const labels = rows.flatMap(([, names = '', what = '']) =>
    bold(names).map((label) => ({ label, isForFew: /^(only|for)\b/.test(what) })),
  );
  expect(labels.filter(({ isForFew }) => !isForFew)).toHaveLength(3);
  await expect(form.getByText('Request Signing Template'), 'it is folded away').toHaveCount(0);
  for (const { label, isForFew } of labels) {
    const field = await nameOf(label, form);
    if (!isForFew) await editor.fill(field, String(credential[field]), form);
  }
  await expect(form.getByRole('link', { name: 'docs' })).toHaveAttribute(
    'href',
    /\/docs\/run\/provider\.md$/,
  );
  // With a wrong secret, the form shows the answer of the service. With the right one it closes.
  const save = editor.page.getByTestId('credential-save-button');
  await editor.fill('apiSecret', 'not the secret', form);
  await save.click();
  await expect(form.getByText('Couldn’t connect with these settings')).toBeVisible();
  await form.getByText('More details').click();
  await expect(form.getByText('signature').last()).toBeVisible();
  await form.screenshot({ path: pictureFile('credential-wrong-secret') });
  await editor.fill('apiSecret', String(credential.apiSecret), form);
  await save.click();
  await editor.closed(form);
}

/** The name of the parameter that has this label. Behind it n8n writes an asterisk, or buttons. */
async function nameOf(label: string, form: Locator): Promise<string> {
  const found = form.locator('label').filter({ hasText: new RegExp(`^\\s*${label}(?![\\w-])`) });
  // In a node's panel the label names the parameter, in a credential's form the element around it.
  return await found.first().evaluate((element) => {
    const around = element.closest('[data-test-id]');
    return element.getAttribute('for') ?? around?.getAttribute('data-test-id') ?? '';
  });
}

/** n8n's "Docs" button leads to the page of the open node. */
async function expectDocs(editor: Editor, name: string): Promise<void> {
  const link = editor.page.getByRole('link', { name: 'Docs', exact: true }).first();
  await expect(link).toHaveAttribute('href', new RegExp(`/blob/v[^/]+/docs/${name}\\.md\\?`));
}

/** A section of the README, without its heading. */
function section(heading: string): string {
  const [, text] = new RegExp(`^## ${heading}\\n+([^]*?)\\n+(?=## )`, 'm').exec(README) ?? [];
  if (text === undefined) throw new Error(`The README has no section "${heading}".`);
  return text;
}

/** The numbered steps of a section. */
function steps(heading: string): string[] {
  return [...section(heading).matchAll(/^\d\. (.*)$/gm)].map(([, step = '']) => step);
}

/** The words in bold of a text. */
function bold(text: string): string[] {
  return [...text.matchAll(/\*\*(.+?)\*\*/g)].map(([, words = '']) => words);
}
