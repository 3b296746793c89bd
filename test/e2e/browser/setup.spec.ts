/** From an n8n with the package and nothing else to the first notification and to a campaign, in the editor (docs/workflows.md). */
import { execFileSync } from 'node:child_process';
import path from 'node:path';

import { DataTables } from '../lib/dataTables';
import { addTemplates, exampleNames, readExample } from '../lib/examples';
import { pictureFile, repository } from '../lib/paths';
import { expect, test } from '../lib/test';
import type { Editor } from './editor';

/** What docs/workflows.md promises. */
const FIRST_NOTIFICATION = 12;
const CAMPAIGN = 5;

test('Inbox, outbox and the first notification take at most 12 actions, a campaign five more', async ({
  client,
  editor,
  openAccount,
}) => {
  const { gateway } = await openAccount();
  addTemplates(gateway);
  const account = gateway.credential() as Record<string, string>;
  await client.removeCredentials();
  const user = new NewUser(editor);
  await editor.page.goto(client.url);

  await user.createCredential('SMS Messaging Service API', {
    baseUrl: account.baseUrl ?? '',
    apiKey: account.apiKey ?? '',
    apiSecret: account.apiSecret ?? '',
  });
  await user.createCredential(
    'Basic Auth',
    { user: 'ops', password: 'set-up-1' },
    'Basic Auth account',
  );
  await user.createCredential(
    'Header Auth',
    { name: 'X-Key', value: 'set-up-2' },
    'Header Auth account',
  );
  for (const name of ['outbox', 'inbox', 'notification-send']) {
    await user.import(name);
    if (name === 'notification-send') {
      await user.fillIn('Message', { template_id: '302', signature_id: '202' });
    }
    await user.publish();
  }
  // So that it does not depend on the hour of the test. The outbox makes the table within a minute.
  const tables = new DataTables(client);
  await expect.poll(() => tables.rows('sms_rules'), { timeout: 120_000 }).not.toEqual([]);
  await tables.clear('sms_rules');
  const always = { check_opt_outs: true, from_hour: 0, to_hour: 24, per_hour: 0, per_day: 0 };
  for (const name of ['notice', 'marketing']) {
    await tables.insert('sms_rules', [{ ...always, class: name, outside_hours: 'refuse' }]);
  }
  await user.executeWorkflow();
  await expect.poll(() => gateway.deliveries().size).toBe(3);
  expect(user.actions.length, user.actions.join('\n')).toBeLessThanOrEqual(FIRST_NOTIFICATION);
  await editor.page.screenshot({ path: pictureFile('set-up notification') });

  const before = user.actions.length;
  await user.import('campaign');
  await user.fillIn('Settings', { template_id: '302', signature_id: '202', campaign: 'Sample' });
  await user.publish();
  await user.execute('Try it with sample recipients');
  await expect.poll(() => gateway.deliveries().size, { timeout: 120_000 }).toBe(6);
  expect(user.actions.length - before, user.actions.join('\n')).toBeLessThanOrEqual(CAMPAIGN);
  editor.expectNoErrors();
});

test('npm run workflows imports, connects and publishes, and replaces when it runs again', async ({
  client,
  openAccount,
}) => {
  await client.removeCredentials();
  const { credential } = await openAccount();
  const { rawApiKey } = await client.call<{ rawApiKey: string }>('POST', '/rest/api-keys', {
    label: 'set-up',
    scopes: [
      'workflow:create',
      'workflow:read',
      'workflow:update',
      'workflow:list',
      'workflow:activate',
      'credential:list',
      'credential:create',
      'tag:list',
      'tag:create',
      'workflowTags:update',
    ],
    expiresAt: null,
  });
  const install = () =>
    execFileSync(
      process.execPath,
      [
        ...[path.join(repository, 'examples/install.mjs'), '--url', client.url],
        ...['--key', rawApiKey, '--timezone', 'Europe/Berlin'],
      ],
      { encoding: 'utf8' },
    );
  const said = install();
  expect(said).toContain('SMS · Inbox: published');
  expect(said).toContain('SMS · Outbox: published');
  expect(said).toMatch(/"Basic Auth account": sms {3}\S{24} /);
  expect(said).toMatch(/"Header Auth account": X-Key {3}\S{24} /);
  expect(said).not.toContain(rawApiKey);
  const names = exampleNames().map((name) => readExample(name).name);
  const count = async () => {
    const all = await client.call<Listed[]>('GET', '/rest/workflows');
    return all.filter(({ name }) => names.includes(name));
  };
  const once = await count();
  expect(once.map(({ tags }) => tags.map(({ name }) => name))).toEqual(once.map(() => ['SMS']));
  const inbox = once.find(({ name }) => name === 'SMS · Inbox');
  expect(await client.call('GET', `/rest/workflows/${inbox?.id}`)).toMatchObject({
    settings: { timezone: 'Europe/Berlin' },
  });
  const again = install();
  expect(again).toContain('SMS · Inbox: published');
  expect(again, 'a login is made once').not.toContain('New credential');
  expect(await count(), 'importing again replaces').toHaveLength(once.length);
  expect(credential.type).toBe('smsMessagingServiceApi');
});

/** A workflow as n8n lists it. */
interface Listed {
  id: string;
  name: string;
  tags: { name: string }[];
}

/** Somebody who follows docs/workflows.md. Each method is one action. */
class NewUser {
  readonly actions: string[] = [];

  constructor(private readonly editor: Editor) {}

  /** Opens the address of a workflow, and imports its file there. */
  async import(name: string): Promise<void> {
    this.actions.push(`import ${name}`);
    const { page } = this.editor;
    await this.editor.open(`sms-${name}?new=true`);
    await page.getByTestId('workflow-menu').or(page.getByTestId('action-toggle')).first().click();
    await page.getByText('Import', { exact: true }).hover();
    const chooser = page.waitForEvent('filechooser');
    await page.getByText('From file').click();
    await (await chooser).setFiles(path.join(repository, 'examples', `${name}.json`));
    await expect(page.getByTestId('canvas-node').first()).toBeVisible();
    await expect(page).toHaveURL(new RegExp(`/workflow/sms-${name}$`));
  }

  /** Creates a credential. n8n proposes a good name for the SMS one only. */
  async createCredential(
    type: string,
    fields: Record<string, string>,
    name?: string,
  ): Promise<void> {
    this.actions.push(`create the credential ${type}`);
    const { page } = this.editor;
    await page.goto(new URL('/home/credentials/create', page.url()).href);
    await page.getByTestId('new-credential-type-select').locator('input').fill(type);
    await page
      .getByTestId('new-credential-type-select-option')
      .filter({ hasText: type })
      .first()
      .click();
    await page.getByTestId('new-credential-type-button').click();
    const form = page.getByTestId('editCredential-modal');
    for (const [field, text] of Object.entries(fields)) await this.editor.fill(field, text, form);
    if (name !== undefined) {
      await form.getByTestId('credential-name').click();
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.type(name);
      await page.keyboard.press('Enter');
    }
    const saved = page.waitForResponse(
      (response) =>
        response.request().method() === 'POST' && response.url().endsWith('/credentials'),
    );
    await page.getByTestId('credential-save-button').click();
    expect((await saved).ok(), `${type} is saved`).toBe(true);
  }

  /** Fills in fields of an Edit Fields node. */
  async fillIn(node: string, values: Record<string, string>): Promise<void> {
    this.actions.push(`fill in "${node}"`);
    await this.editor.openNode(node);
    for (const [name, text] of Object.entries(values)) {
      const row = this.editor.panel
        .getByTestId('assignment')
        .filter({ has: this.editor.page.locator(`input[value="${name}"]`) });
      await row.getByTestId('assignment-value').locator('input, textarea').first().fill(text);
    }
    await this.editor.page.getByTestId('ndv-close-button').click();
  }

  async publish(): Promise<void> {
    this.actions.push('publish');
    await this.editor.publish('Publish');
    await expect(this.editor.page.getByTestId('workflow-publish-button')).toBeHidden();
    // A workflow with a webhook gets a hint.
    const hint = this.editor.page.getByRole('button', { name: 'Got it' });
    await hint.click({ timeout: 5_000 }).catch(() => undefined);
  }

  /** Presses the button of the canvas. n8n chooses the start. */
  async executeWorkflow(): Promise<void> {
    this.actions.push('execute');
    await this.editor.page.getByTestId('execute-workflow-button').last().click();
  }

  /** Chooses a start beside the button, and executes the workflow from there. */
  async execute(trigger: string): Promise<void> {
    this.actions.push(`execute from "${trigger}"`);
    const node = this.editor.page.locator(
      `[data-test-id="canvas-node"][data-node-name="${trigger}"]`,
    );
    await node.hover();
    await node
      .getByTestId('execute-workflow-button')
      .or(this.editor.page.getByTestId(`execute-workflow-button-${trigger}`))
      .first()
      .click();
  }
}
