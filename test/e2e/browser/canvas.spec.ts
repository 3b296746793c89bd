/** Every workflow on n8n's canvas: the notes fit their text. test/kit/workflows/canvas.ts looks at the rest. */
import { deskNames, exampleNames, readDesk, readExample } from '../../kit/workflows/workflowFiles';
import { pictureFile } from '../../kit/n8n/paths';
import { expect, test } from '../lib/test';

test.use({ viewport: { width: 1600, height: 1000 } });

test('Notes fit their text', async ({ client, editor: { page }, editor }) => {
  // Some ten seconds for each workflow, on a busy machine.
  test.setTimeout(15 * 60_000);
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
    await editor.zoomToFit();
    const misfits = await page.evaluate(findMisfits);
    expect.soft(misfits, `notes of ${name} that do not fit their text`).toEqual([]);
    await page.screenshot({ path: pictureFile(`canvas-${name}`) });
  }
});

/** Measures the notes as they are painted. Runs in the browser. */
function findMisfits(): string[] {
  return Array.from(document.querySelectorAll('[data-test-id="sticky"]'), (note) => {
    const text = Array.from(note.querySelectorAll('[class*="wrapper"] :is(h2, h3, p, li)')).at(-1);
    const { bottom, height } = note.getBoundingClientRect();
    const zoom = height / parseFloat((note as HTMLElement).style.height);
    const pixels = (bottom - (text?.getBoundingClientRect().bottom ?? 0)) / zoom;
    const title = note.querySelector('h1, h2, h3, p')?.textContent ?? '';
    return pixels < 0 || pixels > 90 ? `${title}: ${Math.round(pixels)} pixels below its text` : '';
  }).filter(Boolean);
}
