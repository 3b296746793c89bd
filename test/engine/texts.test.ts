import type { INodeProperties } from 'n8n-workflow';
import { RUN_OPTIONS } from '../../nodes/SmsMessagingService/sending/options';
import { contractOperations } from '../sandbox/contract';
import { ACTION, TRIGGER } from './harness';
import {
  action,
  credential,
  fieldsOf,
  flatten,
  listsIn,
  modesIn,
  operationsOf,
  optionsOf,
  trigger,
  triggerFieldsOf,
} from './harness/descriptions';
import { useHarness } from './harness/gateway';

/**
 * The words of the editor: n8n's UX guidelines, and what readers for whom English is the second language
 * stumbled over. `docs/reference/operations.md` shows all texts in one place.
 */

const harness = useHarness();
const fields = flatten([...action.description.properties, ...triggerFieldsOf(trigger)]);
const { properties: credentialFields } = credential;

/** Fields of every kind but notices, which are texts. */
const entered = () => [...fields, ...credentialFields].filter(({ type }) => type !== 'notice');

const lists = () => listsIn(entered());

const entries = () => lists().flatMap(optionsOf);

const modes = () => modesIn(fields);

/** Labels of fields, and what can be chosen in them. */
const titles = () => [
  ...entered().map(({ displayName }) => displayName),
  ...entries().map(({ name }) => name),
  ...modes().map(({ displayName }) => displayName),
];

/** Everything that is read as a sentence. */
const sentences = () =>
  [
    action.description.description,
    trigger.description.description,
    ...[...fields, ...credentialFields].flatMap((field) => [
      field.type === 'notice' ? field.displayName : field.description,
      field.hint,
    ]),
    ...entries().map(({ description }) => description),
  ].filter((text) => text !== undefined);

const placeholders = () =>
  [...entered(), ...modes()].flatMap(({ placeholder }) => placeholder ?? []);

const allTexts = () => [...titles(), ...sentences(), ...placeholders()];

const unique = (texts: string[]) => [...new Set(texts)];

test('no text has a word that readers stumbled over, or that n8n does not want in front of users', () => {
  const banned =
    /\b(operator|of yours|under way|anybody|somebody|never gets?|made-up|most (messages|requests|records)|goe?s? on \w+ing|stands? in|errors?|problems?|failures?|mistakes?)\b/i;
  expect(unique(allTexts()).filter((text) => banned.test(text))).toEqual([]);
});

describe('a sentence', () => {
  const parts = (text: string) => text.replaceAll('e.g. ', '').split(/(?<=[.?!]) (?=\S)/);

  test('has 22 words at most', () => {
    const long = unique(sentences()).flatMap((text) =>
      parts(text).filter((sentence) => sentence.split(' ').length > 22),
    );
    expect(long).toEqual([]);
  });

  test('quotes the fields that it names', () => {
    const named = unique(titles()).filter((title) => title.includes(' '));
    const bare = unique(sentences()).flatMap((text) =>
      named.filter((title) => new RegExp(`(?<!')\\b${escaped(title)}\\b(?!')`).test(text)),
    );
    expect(bare).toEqual([]);
  });
});

const escaped = (text: string) => text.replaceAll(/[()]/g, '\\$&');

test('a notice says which operations may have another path: the specification has only their names', () => {
  const named = contractOperations().filter(({ inferred }) => inferred);
  for (const selection of operationsOf(action)) {
    const fields = flatten(fieldsOf(action, selection));
    const path = fields.find(({ name }) => name === 'endpointPath')?.default;
    const says = fields.some(({ displayName }) => displayName.startsWith('If this is refused'));
    expect([selection, says]).toEqual([selection, named.some((each) => each.path === path)]);
  }
});

describe('a field', () => {
  test('has a description or a hint', () => {
    const silent = entered().filter(
      ({ type, name, description, hint }) =>
        type !== 'collection' &&
        !['resource', 'operation'].includes(name) &&
        !(description ?? hint),
    );
    expect(silent.map(({ name, displayOptions }) => ({ name, ...displayOptions?.show }))).toEqual(
      [],
    );
  });

  test('for text has an example as placeholder', () => {
    // What to enter is not documented.
    const unknown = ['bringsData', 'urlExt'];
    const without = entered().filter(
      ({ type, name, placeholder, typeOptions: { password } = {} }) =>
        type === 'string' && !password && !unknown.includes(name) && !isExample(placeholder),
    );
    expect(without.map(({ name }) => name)).toEqual([]);
    const byId = modes().filter(({ name }) => name === 'id');
    expect(byId.filter(({ placeholder }) => !isExample(placeholder))).toEqual([]);
  });

  const isExample = (placeholder = '') => /^e\.g\. \S/.test(placeholder);
});

test('every resource, and every entry of a list of the nodes, says what it is', () => {
  const silent = listsIn(fields)
    // The names of the record's fields say it.
    .filter(({ name }) => name !== 'fields')
    .flatMap((field) => optionsOf(field).filter(({ description }) => !description));
  expect(silent).toEqual([]);
});

describe('the subtitle on the canvas', () => {
  /** As the editor evaluates it: nothing when the expression fails. */
  function subtitle(type: string, parameters: INodeProperties['default'] & object): unknown {
    const { workflow, node } = harness.createWorkflowOf(
      harness.createNode(type, parameters as never),
    );
    const { subtitle: expression = '' } = harness.getNodeType(type).description;
    try {
      return workflow.expression.getSimpleParameterValue(node, expression, 'internal', {});
    } catch {
      return undefined;
    }
  }

  test('names operation and resource, for every operation', () => {
    for (const { resource, operation, option } of operationsOf(action)) {
      const text = String(subtitle(ACTION, { resource, operation, templateId: '301' }));
      expect(text).toMatch(/^[A-Z]\w+( [A-Z]\w+)+$/);
      expect(text.toLowerCase()).toBe(option.action?.toLowerCase());
    }
  });

  test('of a new node says what to do, or is that of its default operation', () => {
    expect(subtitle(ACTION, {})).toBe('No template yet');
    expect(subtitle(ACTION, { resource: 'template' })).toBe('Get Many Templates');
  });

  test('says where nothing is sent', () => {
    const check = (checkOnly: boolean | string) =>
      subtitle(ACTION, { ...template({ mode: 'id' }), options: { checkOnly } });
    expect(check(true)).toBe(`${RUN_OPTIONS.checkOnly.label}: Send Template SMS`);
    expect(check(false)).toBe('Send Template SMS');
    // Whether an expression is true is not known before the run.
    expect(check('={{ true }}')).toBe('Send Template SMS');
  });

  const template = (choice: object) => ({
    templateId: { __rl: true, mode: 'list', value: '301', ...choice },
  });
  const custom = (content: string) => ({ operation: 'sendCustom', content });

  test.each([
    ['the chosen template', template({ cachedResultName: 'Login · ID 301 · Your code' }), 'Login'],
    ['a template without a name', template({ cachedResultName: '' }), 'Send Template SMS'],
    ['an ID', template({ mode: 'id' }), 'Send Template SMS'],
    [
      'an expression for the ID',
      template({ value: '={{ $json.id }}', cachedResultName: 'Login · ID 301' }),
      'Send Template SMS',
    ],
    ['an expression for the field', { templateId: '={{ $json.id }}' }, 'Send Template SMS'],
    ['no template', { templateId: null }, 'Send Template SMS'],
    ['no template yet', template({ value: '' }), 'No template yet'],
    [
      'options by an expression',
      { ...template({ mode: 'id' }), options: '={{ $json.options }}' },
      'Send Template SMS',
    ],
    [
      'a check',
      { ...template({ cachedResultName: 'Login' }), options: { checkOnly: true } },
      `${RUN_OPTIONS.checkOnly.label}: Login`,
    ],
    ['the beginning of a text', custom(`Hello\n${'x'.repeat(99)}`), 'Hello'],
    ['a long text', custom('👋'.repeat(99)), '👋'.repeat(60)],
    ['a text with an expression', custom('=Hello {{ $json.name }}'), 'Send Custom SMS'],
    ['no text', custom(' '), 'Send Custom SMS'],
  ])('says what is sent: %s', (_, parameters, text) => {
    expect(subtitle(ACTION, { resource: 'message', ...parameters })).toBe(text);
  });

  test.each([
    [{}, 'Delivery reports, replies'],
    [{ events: ['reply', 'deliveryReport'] }, 'Replies, delivery reports'],
    [{ events: ['reply'] }, 'Replies'],
    [{ events: 'deliveryReport' }, 'Delivery reports'],
    [{ events: '={{ ["reply"] }}' }, 'Replies'],
    [{ events: '={{ "deliveryReport" }}' }, 'Delivery reports'],
    [{ events: '={{ $json.events }}' }, undefined],
    [{ events: [] }, ''],
    [{ events: ['receipt', 'reply'] }, 'Receipt, replies'],
  ])('of the trigger with %j is %p', (parameters, text) => {
    expect(subtitle(TRIGGER, parameters)).toBe(text);
  });
});
