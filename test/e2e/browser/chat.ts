import type { Locator } from '@playwright/test';

import { expect } from '../lib/test';
import type { Editor } from './editor';

/** n8n does not let bots approve, and takes a headless browser for one. */
export const NO_BOT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

/** The button that opens the chat of a workflow. */
export const chatButton = ({ page }: Editor): Locator =>
  page.getByTestId('workflow-chat-button').first();

/** The open chat of the editor. */
export class Chat {
  constructor(private readonly editor: Editor) {}

  async say(text: string): Promise<void> {
    const field = this.editor.page.getByPlaceholder(/^Type (?:a )?message/);
    await field.fill(text);
    await expect(async () => {
      // The chat takes no message before it knows that the last execution has ended.
      await field.press('Enter');
      await expect(field).toHaveValue('', { timeout: 500 });
    }).toPass();
  }

  /** The latest button of a name. */
  button(name: string): Locator {
    return this.editor.page.getByRole('button', { name, exact: true }).last();
  }

  /** Waits for a message of this text. */
  async answered(text: string): Promise<void> {
    await expect(this.editor.page.getByText(text, { exact: true }).last()).toBeVisible();
  }
}
