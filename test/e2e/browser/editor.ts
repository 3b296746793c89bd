import assert from 'node:assert/strict';

import type { IDataObject } from 'n8n-workflow';
import type { Locator, Page } from 'playwright-core';

import type { Stage } from '../lib/step';

/** Complaints that are about n8n itself. */
const FOREIGN = [
  // A host that the browser may not reach.
  /net::ERR_NAME_NOT_RESOLVED/,
  // The editor asks for the output schema of every node; most of n8n's own have none.
  /\/schemas\/n8n-nodes-base\./,
  // Older n8n ask for what their licence does not have, and for an execution that there has not been.
  /\/rest\/ai\/sessions\/|sessions metadata|\/rest\/external-secrets\/|\/executions\/last-successful/,
];

/** n8n's editor in a browser window, with one workflow open in it. */
export class Editor {
  /** What the browser's console has called an error. */
  readonly complaints: string[] = [];

  private constructor(readonly page: Page) {
    page.on('console', (message) => {
      if (message.type() !== 'error') return;
      const complaint = `${message.text()} (${message.location().url})`;
      if (!FOREIGN.some((pattern) => pattern.test(complaint))) this.complaints.push(complaint);
    });
    page.on('pageerror', (error) => this.complaints.push(error.message));
  }

  /** Opens a workflow, or an empty one. */
  static async open(stage: Pick<Stage, 'page' | 'client'>, id = 'new'): Promise<Editor> {
    const page = await stage.page('/favicon.ico');
    const editor = new Editor(page);
    await page.goto(`${stage.client.url}/workflow/${id}`);
    await editor
      .part(id === 'new' ? 'canvas-add-button' : 'canvas-node')
      .first()
      .waitFor();
    return editor;
  }

  /** A part of the page by the name that n8n has given it for tests. */
  part(name: string, within: Page | Locator = this.page): Locator {
    return within.locator(`[data-test-id="${name}"]`);
  }

  /** The panel of the open node. */
  get panel(): Locator {
    return this.part('ndv');
  }

  get outputPanel(): Locator {
    return this.part('output-panel');
  }

  get inputPanel(): Locator {
    return this.part('ndv-input-panel');
  }

  /** A field of the open node, by the parameter's name. */
  field(name: string): Locator {
    return this.part(`parameter-input-${name}`, this.panel).first();
  }

  /** Types into a text field of the open node, or of the credential's form. */
  async fill(name: string, text: string, within: Locator = this.panel): Promise<void> {
    await this.part(`parameter-input-${name}`, within).first().locator('input').first().fill(text);
  }

  /** Picks a record in a picker of the open node, by the start of its text. */
  async pick(name: string, text: string): Promise<void> {
    await this.openList(name);
    await this.item(text).click();
  }

  /** Types into the search of a picker of the open node, and picks what the service has found. */
  async search(name: string, text: string, label: string): Promise<void> {
    await this.openList(name);
    await this.items.first().waitFor();
    const search = this.part('rlc-search').filter({ visible: true }).first();
    await search.locator('xpath=descendant-or-self::input').first().fill(text);
    // The first list is longer than what the search leaves.
    await this.items.nth(1).waitFor({ state: 'detached' });
    await this.item(label).click();
  }

  /** Opens the list of a picker of the open node. */
  async openList(name: string): Promise<void> {
    await this.part('rlc-input', this.field(name)).click();
  }

  /** The records in the open list. */
  private get items(): Locator {
    return this.part('rlc-item').filter({ visible: true });
  }

  /** The record in the open list with this in its text. */
  item(text: string): Locator {
    return this.items.filter({ hasText: text }).first();
  }

  /** Opens the parameters of a node on the canvas. */
  async openNode(name: string): Promise<void> {
    await this.page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`).dblclick();
    await this.panel.locator('[data-test-id^="parameter-input"]').first().waitFor();
  }

  /** Opens the form of a new credential from the open node: by the button, or in n8n 1.x by a list. */
  async openNewCredential(): Promise<Locator> {
    const form = this.part('editCredential-modal');
    const button = this.panel.getByText(/^\s*(Connect to SMS|Set up credential)/);
    const list = this.part('node-credentials-select', this.panel);
    await button.or(list).first().waitFor();
    await ((await button.isVisible()) ? button : list).click();
    const entry = this.part('node-credentials-select-item-new').filter({ visible: true });
    await form.or(entry).first().waitFor();
    if (await entry.isVisible()) await entry.click();
    await form.waitFor();
    return form;
  }

  /** Waits until a saved form is closed; older n8n leave that to the user, and say that all is well. */
  async closed(form: Locator): Promise<void> {
    const success = form.getByText('Connection tested successfully');
    await Promise.race([form.waitFor({ state: 'detached' }), success.waitFor()]);
    if (await success.isVisible()) {
      // Newer ones say it, too, and may close the form before the click.
      const button = form.locator('.el-dialog__headerbtn').first();
      await button.click({ timeout: 5_000 }).catch(() => undefined);
    }
    await form.waitFor({ state: 'detached' });
  }

  /** Goes on to the node that follows the open one. */
  async openNext(name: string): Promise<void> {
    await this.page.locator(`[data-test-id="floating-node"][data-node-name="${name}"]`).click();
    await this.panel.getByText(name, { exact: true }).filter({ visible: true }).first().waitFor();
  }

  async closeNode(): Promise<void> {
    await this.part('ndv-close-button').click();
    await this.panel.waitFor({ state: 'detached' });
  }

  /** Looks for a node from an empty canvas, and opens the list of what it can do. */
  async openActions(search: string, node: string): Promise<void> {
    await this.part('canvas-add-button').first().click();
    await this.part('node-creator-search-bar').fill(search);
    await this.action(node).click();
    // On an empty canvas the triggers come first, and the actions are folded away.
    const actions = this.page.getByText(/^\s*Actions \(\d+\)/);
    await actions.click();
  }

  /** An entry of the list of nodes, or of what a node can do. */
  action(text: string): Locator {
    return this.part('node-creator-item-name').filter({ hasText: text }).first();
  }

  /** Executes the open node, and waits for what comes of it. */
  async execute(): Promise<'success' | 'error'> {
    // Until n8n has taken it on, the panel may show what came of the run before.
    const started = this.page.waitForResponse(
      (response) => response.request().method() === 'POST' && response.url().endsWith('/run'),
    );
    await this.part('node-execute-button', this.panel).first().click();
    await started;
    const success = this.part('node-run-status-success', this.outputPanel).first();
    const error = this.part('node-run-status-danger', this.outputPanel).first();
    await success.or(error).first().waitFor();
    return (await error.isVisible()) ? 'error' : 'success';
  }

  /** The items that the output panel shows, once it has drawn all of them. */
  async output(): Promise<IDataObject[]> {
    await this.part('radio-button-json', this.outputPanel).click();
    const tree = this.part('ndv-data-container', this.outputPanel).locator('.vjs-tree').first();
    const items = await this.page.waitForFunction(
      (element) => {
        try {
          // The tree indents with spaces that JSON does not know.
          return JSON.parse(
            (element as HTMLElement).innerText.replaceAll('\u00a0', ' '),
          ) as unknown;
        } catch {
          return undefined;
        }
      },
      await tree.elementHandle(),
    );
    return (await items.jsonValue()) as IDataObject[];
  }

  assertNoComplaints(): void {
    assert.deepEqual(this.complaints, []);
  }
}
