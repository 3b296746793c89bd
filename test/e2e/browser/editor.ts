import { expect, type Locator, type Page } from '@playwright/test';
import type { IDataObject } from 'n8n-workflow';

import { isVersion1 } from '../../kit/n8n/paths';

/** Errors in the browser's console that have nothing to do with this package. */
const FOREIGN = [
  // A host that the browser may not reach.
  /net::ERR_NAME_NOT_RESOLVED/,
  // The editor asks for the output schema of every node, and most of n8n's own nodes have none.
  /\/schemas\/n8n-nodes-base\./,
  // The settings page of community nodes asks npm for packages.
  /communityNodes\.store/,
  // An older n8n asks for features outside its licence, and for an execution that does not exist.
  /\/rest\/ai\/sessions\/|sessions metadata|\/rest\/external-secrets\/|\/executions\/last-successful/,
];

/** n8n's editor, with one workflow open. */
export class Editor {
  /** The errors in the browser's console. */
  private readonly errors: string[] = [];

  constructor(
    readonly page: Page,
    private readonly url: string,
  ) {
    page.on('console', (message) => {
      if (message.type() !== 'error') return;
      const error = `${message.text()} (${message.location().url})`;
      if (!FOREIGN.some((pattern) => pattern.test(error))) this.errors.push(error);
    });
    page.on('pageerror', (error) => this.errors.push(error.message));
  }

  /** Opens a workflow, or an empty one. */
  async open(id = 'new'): Promise<void> {
    await this.page.goto(`${this.url}/workflow/${id}`);
    const first = /\bnew\b/.test(id) ? 'canvas-add-button' : 'canvas-node';
    await expect(this.page.getByTestId(first).first()).toBeVisible();
  }

  /** Zooms until the whole workflow is in the window. */
  async zoomToFit(): Promise<void> {
    await this.page.getByTestId('zoom-to-fit').click();
    await expect.poll(() => this.page.evaluate(wholeCanvasIsSeen)).toBe(true);
  }

  /** The panel of the open node. */
  get panel(): Locator {
    return this.page.getByTestId('ndv');
  }

  get outputPanel(): Locator {
    return this.page.getByTestId('output-panel');
  }

  get inputPanel(): Locator {
    return this.page.getByTestId('ndv-input-panel');
  }

  /** The button that executes the open node. */
  get executeButton(): Locator {
    return this.panel.getByTestId('node-execute-button').first();
  }

  /** A field of the open node, by the name of its parameter. */
  field(name: string): Locator {
    return this.panel.getByTestId(`parameter-input-${name}`).first();
  }

  /** Types into a text field of the open node, or of the form of a credential. */
  async fill(name: string, text: string, within = this.panel): Promise<void> {
    const field = within.getByTestId(`parameter-input-${name}`).first();
    await field.locator('input, textarea').first().fill(text);
  }

  /** Picks a record in a picker of the open node, by the start of its text. */
  async pick(name: string, text: string): Promise<void> {
    await this.openList(name);
    await this.item(text).click();
  }

  /** Types into the search of a picker of the open node, and picks the record that is found. */
  async search(name: string, text: string, label: string): Promise<void> {
    await this.openList(name);
    await expect(this.items.first()).toBeVisible();
    const search = this.visible('rlc-search').first();
    await search.locator('xpath=descendant-or-self::input').first().fill(text);
    await expect(this.items).toHaveCount(1);
    await this.item(label).click();
  }

  /** Opens the list of a picker of the open node. */
  async openList(name: string): Promise<void> {
    await this.field(name).getByTestId('rlc-input').click();
  }

  /** The record in the open list that contains a text. */
  item(text: string): Locator {
    return this.items.filter({ hasText: text }).first();
  }

  /** A node on the canvas. */
  node(name: string): Locator {
    return this.page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
  }

  /** Opens a node on the canvas. */
  async openNode(name: string): Promise<void> {
    await this.node(name).dblclick();
    const fields = this.panel.locator('[data-test-id^="parameter-input"]');
    await expect(fields.first()).toBeVisible();
  }

  /** Opens the form of a new credential from the open node: by a button, or in n8n 1.x by a list. */
  async openNewCredential(): Promise<Locator> {
    const form = this.page.getByTestId('editCredential-modal');
    const button = this.panel.getByText(/^\s*(Connect to SMS|Set up credential)/);
    const list = this.panel.getByTestId('node-credentials-select');
    await expect(button.or(list).first()).toBeVisible();
    await ((await button.isVisible()) ? button : list).click();
    const entry = this.visible('node-credentials-select-item-new');
    await expect(form.or(entry).first()).toBeVisible();
    if (await entry.isVisible()) await entry.click();
    await expect(form).toBeVisible();
    return form;
  }

  /** Chooses another credential for the open node. */
  async chooseCredential(id: string): Promise<void> {
    await this.panel.getByTestId('node-credentials-select').click();
    await this.visible(`node-credentials-select-item-${id}`).click();
  }

  /** Waits until a saved form is closed. An older n8n says that the test succeeded, and leaves it open. */
  async closed(form: Locator): Promise<void> {
    const success = form.getByText('Connection tested successfully');
    await Promise.race([form.waitFor({ state: 'detached' }), success.waitFor()]);
    if (await success.isVisible()) {
      // A newer n8n says so too, and may close the form before the click.
      const button = form.locator('.el-dialog__headerbtn').first();
      await button.click({ timeout: 5_000 }).catch(() => undefined);
    }
    await form.waitFor({ state: 'detached' });
  }

  /** Opens the node that follows the open one. */
  async openNext(name: string): Promise<void> {
    await this.page.locator(`[data-test-id="floating-node"][data-node-name="${name}"]`).click();
    const title = this.panel.getByText(name, { exact: true }).filter({ visible: true });
    await expect(title.first()).toBeVisible();
  }

  /** Searches for a node from an empty canvas, and opens the list of its triggers and actions. */
  async openDetails(search: string, node: string): Promise<void> {
    await this.page.getByTestId('canvas-add-button').first().click();
    await this.page.getByTestId('node-creator-search-bar').fill(search);
    await this.action(node).click();
  }

  /** Searches for a node from an empty canvas, and opens the list of its actions. */
  async openActions(search: string, node: string): Promise<void> {
    await this.openDetails(search, node);
    // On an empty canvas the triggers come first, and the actions are folded.
    await this.page.getByText(/^\s*Actions \(\d+\)/).click();
  }

  /** Closes the open node, and publishes the workflow with the buttons of this name. */
  async publish(button: string): Promise<void> {
    await this.page.keyboard.press('Escape');
    if (isVersion1) {
      await this.page.getByTestId('workflow-activate-switch').click();
      return;
    }
    const open = this.page.getByTestId('workflow-open-publish-modal-button');
    await expect(open).toHaveText(button);
    await open.click();
    await this.page.getByTestId('workflow-publish-button').click();
  }

  /** An entry of the list of nodes, or of the actions of a node. */
  action(text: string): Locator {
    return this.page.getByTestId('node-creator-item-name').filter({ hasText: text }).first();
  }

  /** Executes the open node, and waits for its result. */
  async execute(): Promise<'success' | 'error'> {
    // Until n8n has accepted the run, the panel may show the result of the run before.
    const started = this.page.waitForResponse(
      (response) => response.request().method() === 'POST' && response.url().endsWith('/run'),
    );
    await this.executeButton.click();
    await started;
    const success = this.outputPanel.getByTestId('node-run-status-success').first();
    const error = this.outputPanel.getByTestId('node-run-status-danger').first();
    await expect(success.or(error).first()).toBeVisible();
    return (await error.isVisible()) ? 'error' : 'success';
  }

  /** The items in the output panel, as soon as the panel shows all of them. */
  async output(): Promise<IDataObject[]> {
    await this.outputPanel.getByTestId('radio-button-json').click();
    const tree = this.outputPanel.getByTestId('ndv-data-container').locator('.vjs-tree').first();
    let items: IDataObject[] = [];
    await expect(async () => {
      // The tree indents with spaces that JSON does not allow.
      const text = (await tree.innerText()).replaceAll('\u00a0', ' ');
      items = JSON.parse(text) as IDataObject[];
    }, 'the output is complete JSON').toPass({ timeout: 60_000 });
    return items;
  }

  /** The texts in the open node that the browser cuts off. */
  async cutOffTexts(): Promise<string[]> {
    return await this.panel.getByTestId('node-parameters').evaluate(findCutOff);
  }

  /** Checks that the browser's console shows no errors of this package. */
  expectNoErrors(): void {
    expect(this.errors, "errors in the browser's console").toEqual([]);
  }

  /** The records in the open list. */
  private get items(): Locator {
    return this.visible('rlc-item');
  }

  private visible(testId: string): Locator {
    return this.page.getByTestId(testId).filter({ visible: true });
  }
}

/** Whether the zoom has come to rest: every node is inside the window. Runs in the browser. */
function wholeCanvasIsSeen(): boolean {
  return Array.from(document.querySelectorAll('.vue-flow__node')).every((node) => {
    const { left, top, right, bottom } = node.getBoundingClientRect();
    return left >= 0 && top >= 0 && right <= window.innerWidth && bottom <= window.innerHeight;
  });
}

/** The texts that do not fit where they stand, and end in an ellipsis or before their end. Runs in the browser. */
function findCutOff(panel: Element): string[] {
  return Array.from(panel.querySelectorAll<HTMLElement>('*'))
    .filter(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth)
    .filter((element) => getComputedStyle(element).overflowX !== 'visible')
    .map(({ innerText }) => innerText)
    .filter((text) => text !== '');
}
