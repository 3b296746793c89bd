/** What the templates look like on the canvas, and what they leave to their user to choose. */
import {
  PACKAGE,
  steps,
  stickies,
  templates,
  testCanvas,
  testThatNothingIsKept,
} from '../kit/workflows/canvas';
import { readExample } from '../kit/workflows/workflowFiles';

testCanvas(templates, ['balance-low: Told today']);

testThatNothingIsKept(readExample('verification-code'));

/** Who looks at it does so once, and its Code nodes are generated. */
const LARGE = 'service-check';

/** What each template is: small enough to understand, and to choose for in two minutes. */
describe.each(templates)('$file', ({ file: name, workflow: file }) => {
  const own = steps(file);

  test('one credential of this package', () => {
    const names = own.flatMap(({ type, credentials }) =>
      type.startsWith(PACKAGE) ? [credentials?.smsMessagingServiceApi?.name] : [],
    );
    expect([...new Set(names)]).toEqual(['SMS Messaging Service account']);
  });

  test('its first note says in a line of Chinese what it does', () => {
    if (name === LARGE) return;
    expect(String(stickies(file)[0]?.parameters.content)).toMatch(
      /^## .*\n.*\n.*\p{Script=Han}.*$/su,
    );
  });

  // Where n8n has data of the nodes before a send, it empties the fields of its parameters when the user
  // chooses the template: seen in n8n 2.40.7.
  test('no data is pinned', () => {
    expect(file).not.toHaveProperty('pinData');
  });

  test('a send has pickers, a field for each parameter, a key, and a branch for what was not accepted', () => {
    for (const { name: step, parameters, type } of own) {
      if (!['sendTemplate', 'sendCustom'].includes(String(parameters.operation))) continue;
      const toChoose = { __rl: true, mode: 'list', value: '' };
      expect(parameters).toMatchObject({
        templateId: toChoose,
        signatureId: toChoose,
        parameterMode: 'fields',
        options: { idempotencyKey: expect.stringMatching(/^=\w+-.*\{\{ .* \}\}/) as unknown },
      });
      // Who presses the button of first-sms sees its failure.
      if (!type.endsWith('Tool') && name !== 'first-sms')
        expect(file.connections[step]?.main?.[1]?.length ?? 0).toBeGreaterThan(0);
    }
  });

  test('a list is read to its end: otherwise it ends at 50', () => {
    if (name === LARGE) return;
    for (const { parameters } of own) {
      const { resource, operation } = parameters;
      if (operation !== 'getAll' && (resource !== 'row' || operation !== 'get')) continue;
      expect(parameters).toMatchObject({ returnAll: true });
    }
  });

  test('who calls it has a secret, or may run the workflow', () => {
    for (const { type, parameters } of own) {
      if (type.endsWith('.webhook')) expect(parameters.authentication).toBe('headerAuth');
      const { authentication, requireExecuteAccess, public: isPublic } = parameters;
      // That of form-sms texts its owner alone: formSms.test.ts.
      if (type.endsWith('.formTrigger') && name !== 'form-sms') {
        expect({ authentication, requireExecuteAccess }).toEqual({
          authentication: 'n8nUserAuth',
          requireExecuteAccess: true,
        });
      }
      // One that is not public stands in the editor: it is for who may run the workflow.
      if (type.endsWith('.chatTrigger')) expect(isPublic).toBeUndefined();
    }
  });

  // Of two executions that make it at the same moment, n8n fails one.
  test('to make a table is tried again', () => {
    for (const { parameters, retryOnFail } of own) {
      if (parameters.resource === 'table') expect(retryOnFail).toBe(true);
    }
  });

  test('records come from the trigger, or from another workflow: an account has one trigger', () => {
    const trigger = own.find(({ type }) => type === `${PACKAGE}smsMessagingServiceTrigger`);
    // That one is what calls the others.
    if (!trigger || name === 'one-trigger') return;
    const called = own.find(({ type }) => type.endsWith('.executeWorkflowTrigger'));
    expect(called?.parameters).toEqual({ inputSource: 'passthrough' });
    expect(file.connections[called?.name ?? '']).toEqual(file.connections[trigger.name]);
  });
});
