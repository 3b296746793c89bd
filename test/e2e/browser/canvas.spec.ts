/** Every workflow on n8n's canvas: the notes fit their text. */
import { wholeCanvasIsSeen } from '../lib/canvas';
import { deskNames, exampleNames, readDesk, readExample } from '../lib/workflowFiles';
import { pictureFile } from '../lib/paths';
import { expect, test } from '../lib/test';

test.use({ viewport: { width: 1600, height: 1000 } });

test('Notes fit their text', async ({ client, editor: { page }, editor }) => {
  const known = (await client.nodeTypes()).map(({ name }) => name);
  const files = [
    ...deskNames().map((name) => ({ name, file: readDesk(name) })),
    ...exampleNames().map((name) => ({ name, file: readExample(name) })),
  ];
  for (const { name, file } of files) {
    expect(known, `n8n knows the nodes of ${name}`).toEqual(
      expect.arrayContaining(file.nodes.map(({ type }) => type)),
    );
    const { id } = await client.importWorkflow(file, []);
    await editor.open(id);
    const notes = file.nodes.filter(({ type }) => type.endsWith('.stickyNote'));
    await expect(page.getByTestId('sticky')).toHaveCount(notes.length);
    await page.getByTestId('zoom-to-fit').click();
    await expect.poll(() => page.evaluate(wholeCanvasIsSeen), name).toBe(true);
    const misfits = await page.evaluate(misfitsOnCanvas);
    expect.soft(misfits, `notes of ${name} that do not fit their text`).toEqual([]);
    await page.screenshot({ path: pictureFile(`canvas-${name}`) });
  }
});

/** The notes that are too small or too large, measured as they are painted. Runs in the browser. */
function misfitsOnCanvas(): string[] {
  const notes = Array.from(document.querySelectorAll('[data-test-id="sticky"]'));
  const titleOf = (note: Element) => note.querySelector('h1, h2, h3, p')?.textContent ?? '';
  const spare = new Map(
    notes.map((note) => {
      const text = Array.from(note.querySelectorAll('[class*="wrapper"] :is(h2, h3, p, li)')).at(
        -1,
      );
      const { bottom, height } = note.getBoundingClientRect();
      const zoom = height / parseFloat((note as HTMLElement).style.height);
      return [titleOf(note), (bottom - (text?.getBoundingClientRect().bottom ?? 0)) / zoom];
    }),
  );
  return [...spare]
    .filter(([, pixels]) => pixels < 0 || pixels > 90)
    .map(([title, pixels]) => `${title}: ${Math.round(pixels)} pixels below its text`);
}
