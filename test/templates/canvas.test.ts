/** What each template is: small enough to understand, and to choose for in two minutes. */
import { exampleNames, readExample } from '../e2e/lib/workflowFiles';

const STICKY = 'n8n-nodes-base.stickyNote';
const OURS = 'n8n-nodes-sms-messaging-service.';

/** Who looks at it does so once, and its Code nodes are generated. */
const LARGE = 'service-check';

const templates = exampleNames().map((name) => ({ name, file: readExample(name) }));

describe.each(templates)('$name', ({ name, file }) => {
  const steps = file.nodes.filter(({ type }) => type !== STICKY);
  const notes = file.nodes.filter(({ type }) => type === STICKY);

  test('one credential of this package', () => {
    const names = steps.flatMap(({ type, credentials }) =>
      type.startsWith(OURS) ? [credentials?.smsMessagingServiceApi?.name] : [],
    );
    expect([...new Set(names)]).toEqual(['SMS Messaging Service account']);
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

  test('a list is read to its end: otherwise it ends at 50', () => {
    if (name === LARGE) return;
    for (const { parameters } of steps) {
      const { resource, operation } = parameters;
      if (operation !== 'getAll' && (resource !== 'row' || operation !== 'get')) continue;
      expect(parameters).toMatchObject({ returnAll: true });
    }
  });

  test('who calls it has a secret, or an account of n8n', () => {
    if (name === LARGE) return;
    for (const { type, parameters } of steps) {
      if (!/\.(webhook|formTrigger)$/.test(type)) continue;
      expect(parameters.authentication).toMatch(/^(headerAuth|n8nUserAuth)$/);
    }
  });

  // Of two executions that make it at the same moment, n8n fails one.
  test('to make a table is tried again', () => {
    for (const { parameters, retryOnFail } of steps) {
      if (parameters.resource === 'table') expect(retryOnFail).toBe(true);
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
