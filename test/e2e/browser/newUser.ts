import path from 'node:path';

import type { Locator, Page } from '@playwright/test';

import { repository } from '../../kit/n8n/paths';
import { expect } from '../lib/test';
import type { Editor } from './editor';

/** Somebody who follows a page of the documentation. Counts clicks and typed fields; an address is a field. */
export class NewUser {
  readonly actions: string[] = [];

  constructor(private readonly editor: Editor) {}

  /** Counts actions that happen outside the page. */
  did(...actions: string[]): void {
    this.actions.push(...actions);
  }

  /** Prints the actions. */
  tell(): void {
    const lines = this.actions.map((each, index) => `${index + 1}. ${each}`);
    console.log(lines.join('\n'));
  }

  async goTo(page: Page, address: string): Promise<void> {
    this.did(`go to ${new URL(address).pathname}`);
    await page.goto(address);
  }

  async click(what: string, button: Locator): Promise<void> {
    this.did(`click ${what}`);
    await button.click();
  }

  async type(what: string, field: Locator, text: string): Promise<void> {
    this.did(`type ${what}`);
    await field.fill(text);
  }

  /** Opens a list, and chooses the option with this text. */
  async choose(what: string, list: Locator, text: RegExp): Promise<void> {
    this.did(`open the list ${what}`, `choose ${what}`);
    const option = list.locator('option').filter({ hasText: text });
    await list.selectOption(await option.first().innerText());
  }

  /** Opens a new workflow, of this ID or of one that n8n makes, and imports a file of the repository there. */
  async import(file: string, id?: string): Promise<void> {
    const { page } = this.editor;
    const address = id === undefined ? 'new' : `${id}?new=true`;
    this.did(`go to /workflow/${address}`);
    await this.editor.open(address);
    await this.openMenu();
    this.did('point at Import');
    await page.getByText('Import', { exact: true }).hover();
    const chooser = page.waitForEvent('filechooser');
    await this.click('From file', page.getByText('From file'));
    this.did(`choose ${path.basename(file)}`);
    await (await chooser).setFiles(path.join(repository, file));
    await expect(page.getByTestId('canvas-node').first()).toBeVisible();
    if (id !== undefined) await expect(page).toHaveURL(new RegExp(`/workflow/${id}$`));
  }

  /** Creates a credential under the name that n8n proposes. */
  async createCredential(url: string, type: string, fields: Record<string, string>) {
    const { page } = this.editor;
    await this.goTo(page, `${url}/home/credentials/create`);
    const search = page.getByTestId('new-credential-type-select').locator('input');
    await this.type(`the search for ${type}`, search, type);
    const option = page.getByTestId('new-credential-type-select-option').filter({ hasText: type });
    await this.click(type, option.first());
    await this.click('Continue', page.getByTestId('new-credential-type-button'));
    const form = page.getByTestId('editCredential-modal');
    for (const [field, text] of Object.entries(fields)) {
      this.did(`type ${field}`);
      await this.editor.fill(field, text, form);
    }
    const saved = page.waitForResponse(
      (response) =>
        response.request().method() === 'POST' && response.url().endsWith('/credentials'),
    );
    await this.click('Save', page.getByTestId('credential-save-button'));
    expect((await saved).ok(), `${type} is saved`).toBe(true);
  }

  /** Opens a node on the canvas. */
  async open(node: string): Promise<void> {
    this.did(`open "${node}"`);
    await this.editor.openNode(node);
  }

  /** Goes from the open node to one that follows it. */
  async goOn(node: string): Promise<void> {
    this.did(`go on to "${node}"`);
    await this.editor.openNext(node);
  }

  /** Picks a record in a picker of the open node. */
  async pick(name: string, text: string): Promise<void> {
    this.did(`open the list ${name}`, `choose ${text}`);
    await this.editor.pick(name, text);
  }

  /** Types into a field of the open node. */
  async enter(name: string, text: string): Promise<void> {
    this.did(`type ${name}`);
    await this.editor.fill(name, text);
  }

  /** Closes the open node. */
  async close(): Promise<void> {
    await this.click('Close', this.editor.page.getByTestId('ndv-close-button'));
  }

  /** Sets what n8n's menu does not import. */
  async keepNoExecutions(): Promise<void> {
    const { page } = this.editor;
    await this.openMenu();
    await this.click('Settings', page.getByText('Settings', { exact: true }).last());
    const dialog = page.getByTestId('workflow-settings-dialog');
    for (const which of ['failed', 'success']) {
      const list = dialog.getByTestId(`workflow-settings-save-${which}-executions`);
      await this.click(`the list of ${which} executions`, list);
      const option = page.getByRole('option', { name: 'Do not save' });
      await this.click('Do not save', option.filter({ visible: true }));
    }
    await this.click('Save', page.getByRole('button', { name: 'Save', exact: true }));
    await expect(dialog).toBeHidden();
  }

  private async openMenu(): Promise<void> {
    const { page } = this.editor;
    const menu = page.getByTestId('workflow-menu').or(page.getByTestId('action-toggle'));
    await this.click('the menu', menu.first());
  }

  async publish(): Promise<void> {
    const { editor } = this;
    this.did('click Publish', 'click Publish in the dialog');
    await editor.publish('Publish');
    await expect(editor.page.getByTestId('workflow-publish-button')).toBeHidden();
    // Most workflows get a hint, on a busy machine some seconds later.
    const hint = editor.page.getByRole('button', { name: 'Got it' });
    await hint.click({ timeout: 15_000 }).then(
      () => this.did('click Got it'),
      () => undefined,
    );
  }
}
