/** Every workflow on n8n's canvas: the notes fit their text, and nothing hides anything. */
import { deskNames, exampleNames, readDesk, readExample } from '../../kit/workflows/workflowFiles';
import { pictureFile } from '../../kit/n8n/paths';
import { expect, test } from '../lib/test';

test.use({ viewport: { width: 1600, height: 1000 } });

test('Notes fit their text, and nothing overlaps', async ({ client, editor: { page }, editor }) => {
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
    const { misfits, overlaps } = await page.evaluate(whatIsHidden);
    expect.soft(misfits, `notes of ${name} that do not fit their text`).toEqual([]);
    expect.soft(overlaps, `on the canvas of ${name}`).toEqual([]);
    await page.screenshot({ path: pictureFile(`canvas-${name}`) });
  }
});

/** Measures the canvas as it is painted. Runs in the browser. */
function whatIsHidden(): { misfits: string[]; overlaps: string[] } {
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
  const misfits = [...spare]
    .filter(([, pixels]) => pixels < 0 || pixels > 90)
    .map(([title, pixels]) => `${title}: ${Math.round(pixels)} pixels below its text`);

  // The parts that are painted: the symbol of a node, the text below it, and the notes.
  const parts = [
    ...notes.map((note) => ({
      owner: note,
      name: titleOf(note),
      box: note.getBoundingClientRect(),
    })),
    ...Array.from(document.querySelectorAll('[data-test-id="canvas-node"]')).flatMap((node) => {
      const name = node.getAttribute('data-node-name') ?? '';
      const symbol = node.querySelector('[class*="node"]') ?? node;
      const texts = Array.from(node.querySelectorAll('[class*="label"], [class*="subtitle"]'));
      return [symbol, ...texts].map((part) => ({
        owner: node,
        name,
        box: part.getBoundingClientRect(),
      }));
    }),
  ];
  const overlaps = parts.flatMap((a, index) =>
    parts
      .slice(index + 1)
      .filter(
        (b) =>
          a.owner !== b.owner &&
          a.box.width > 0 &&
          b.box.width > 0 &&
          a.box.left + 1 < b.box.right &&
          b.box.left + 1 < a.box.right &&
          a.box.top + 1 < b.box.bottom &&
          b.box.top + 1 < a.box.bottom,
      )
      .map((b) => `${a.name} and ${b.name}`),
  );
  return { misfits, overlaps: [...new Set(overlaps)] };
}
