import { createRequire } from 'node:module';
import type { INodeTypeDescription } from 'n8n-workflow';
import { ACTION, TRIGGER } from '../kit/engine';
import { OPERATIONS } from '../kit/engine/descriptions';
import { useHarness } from '../kit/engine/gateway';
import { since } from '../kit/engine/since';

/** What models are told: the model of an agent that has the node as a tool, and n8n's workflow builder. */

const harness = useHarness();

const COST = 'Each message costs money and cannot be taken back.';

const SEND = { resource: 'message', operation: 'sendTemplate' };

/** The first word of an operation → what is said of a second call. */
const REPEATED: Record<string, RegExp> = {
  send: /costs money.*sends a second message/,
  pull: /may be gone from the service/,
  get: /only reads/,
  create: /may create a second one/,
  update: /sets the same values again/,
  delete: /impossible to undo/,
};

describe("an agent's model", () => {
  test('is told what each operation does, and that each message costs money', async () => {
    const told = OPERATIONS.map(async ({ option, ...selection }) => {
      const { name, description } = await harness.shownTool(selection);
      expect(name).toBe('SMS');
      const [verb = ''] = selection.operation.match(/^[a-z]+/) ?? [];
      // n8n's workflow builder is told the same of a second call.
      const hint = option.builderHint?.propertyHint ?? '';
      expect(hint).toMatch(REPEATED[verb] ?? /nothing fits/);
      expect(description).toBe(`${option.action}. ${option.description}. ${hint}`);
      return { operation: selection.operation, isTold: String(description).includes(COST) };
    });
    expect(told).toHaveLength(25);
    const costly = (await Promise.all(told)).filter(({ isTold }) => isTold);
    expect(costly.map(({ operation }) => operation)).toEqual(['sendTemplate', 'sendCustom']);
  });

  test('is told the text of the user, also that of a workflow from before the text had a default', async () => {
    const toolDescription = 'Only for orders that are late.';
    for (const old of [{}, { descriptionType: 'manual' }]) {
      const { description } = await harness.shownTool({ ...SEND, ...old, toolDescription });
      expect(description).toBe(toolDescription);
    }
    for (const old of [{}, { descriptionType: 'auto' }, { ...SEND, descriptionType: 'auto' }]) {
      const { description } = await harness.shownTool(old);
      expect(description).toContain(COST);
    }
  });
});

since('2.40').describe("n8n's workflow builder", () => {
  /** n8n's own writer of what the builder reads about a community node. n8n-core brings it along. */
  const { generateNodeTypeFile } = createRequire(require.resolve('n8n-core'))(
    '@n8n/workflow-sdk',
  ) as { generateNodeTypeFile(description: INodeTypeDescription): string };

  const read = (name: string) => generateNodeTypeFile(harness.getNodeType(name).description);

  test('is told the cost of a send, and how to choose what a send needs', () => {
    const text = read(ACTION);
    const hints = [...text.matchAll(/@builderHint (.*)/g)].map(([, hint]) => hint);
    expect(hints).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/cost money.*set the option idempotencyKey/),
        expect.stringMatching(/Never make up a number/),
        expect.stringMatching(/use mode "list" with an empty value/),
        expect.stringMatching(/mappingMode: "defineBelow"/),
        expect.stringMatching(/could be asked for twice/),
      ]),
    );
    expect(read(TRIGGER)).toMatch(/@builderHint Use one trigger per account and event/);
  });
});
