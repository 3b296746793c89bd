/** What each template is: small enough to understand, and to choose for in two minutes. */
import { statSync } from 'node:fs';
import path from 'node:path';

import type { INode } from 'n8n-workflow';

import { repository } from '../e2e/lib/paths';
import { exampleNames, readExample } from '../e2e/lib/workflowFiles';

const STICKY = 'n8n-nodes-base.stickyNote';
const OURS = 'n8n-nodes-sms-messaging-service.';

/** Who looks at it does so once, and its Code nodes are generated. */
const LARGE = 'service-check';

/** Templates that may have 20 nodes. */
const LONG = [LARGE, 'verification-code'];

const templates = exampleNames().map((name) => ({ name, file: readExample(name) }));

describe.each(templates)('$name', ({ name, file }) => {
  const steps = file.nodes.filter(({ type }) => type !== STICKY);
  const notes = file.nodes.filter(({ type }) => type === STICKY);
  const node = (wanted: string) => file.nodes.find((each) => each.name === wanted) as INode;

  test('at most 12 nodes, and 15 kB', () => {
    expect(steps.length).toBeLessThanOrEqual(LONG.includes(name) ? 20 : 12);
    const { size } = statSync(path.join(repository, 'examples', `${name}.json`));
    if (name !== LARGE) expect(size).toBeLessThanOrEqual(15_000);
  });

  test('no line runs back', () => {
    const lines = Object.entries(file.connections).flatMap(([from, { main = [] }]) =>
      main.flatMap((list) => (list ?? []).map((to) => [node(from), node(to.node)] as const)),
    );
    expect(lines.filter(([from, to]) => from.position[0] >= to.position[0])).toEqual([]);
  });

  test('one credential of this package', () => {
    const names = steps.flatMap(({ type, credentials }) =>
      type.startsWith(OURS) ? [credentials?.smsMessagingServiceApi?.name] : [],
    );
    expect([...new Set(names)]).toEqual(['SMS Messaging Service account']);
  });

  test('no Code node above 60 lines', () => {
    const texts = steps.map(({ parameters }) => String(parameters.jsCode ?? ''));
    if (name === LARGE) return;
    expect(texts.filter((text) => text.split('\n').length > 60)).toEqual([]);
  });

  test('its first note says in a line of Chinese what it does', () => {
    if (name === LARGE) return;
    expect(String(notes[0]?.parameters.content)).toMatch(/^## .*\n.*\n.*\p{Script=Han}.*$/su);
  });

  // Where n8n has data of the nodes before a send, it empties the fields of its parameters when the user
  // chooses the template: seen in n8n 2.40.7.
  test('no data is pinned', () => {
    expect(file).not.toHaveProperty('pinData');
  });

  test('a send has pickers, a field for each parameter, a key, and a branch for what was not accepted', () => {
    for (const { name: step, parameters, type } of steps) {
      if (!['sendTemplate', 'sendCustom'].includes(String(parameters.operation))) continue;
      const toChoose = { __rl: true, mode: 'list', value: '' };
      expect(parameters).toMatchObject({
        templateId: toChoose,
        signatureId: toChoose,
        parameterMode: 'fields',
        options: { idempotencyKey: expect.stringMatching(/^=\w+-.*\{\{ .* \}\}/) as unknown },
      });
      if (!type.endsWith('Tool'))
        expect(file.connections[step]?.main?.[1]?.length ?? 0).toBeGreaterThan(0);
    }
  });

  test('records come from the trigger, or from another workflow: an account has one trigger', () => {
    const trigger = steps.find(({ type }) => type === `${OURS}smsMessagingServiceTrigger`);
    // That one is what calls the others.
    if (!trigger || name === 'one-trigger') return;
    const called = steps.find(({ type }) => type.endsWith('.executeWorkflowTrigger'));
    expect(called?.parameters).toEqual({ inputSource: 'passthrough' });
    expect(file.connections[called?.name ?? '']).toEqual(file.connections[trigger.name]);
  });
});
