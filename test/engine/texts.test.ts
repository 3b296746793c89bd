import type { INodeProperties } from 'n8n-workflow';
import { RUN_OPTIONS } from '../../nodes/SmsMessagingService/sending/options';
import { ACTION, TRIGGER } from '../kit/engine';
import {
  action,
  credential,
  flatten,
  listsIn,
  modesIn,
  OPERATIONS,
  optionsOf,
  trigger,
  TRIGGER_FIELDS,
} from '../kit/engine/descriptions';
import { useHarness } from '../kit/engine/gateway';

/**
 * The words of the editor: n8n's UX guidelines, and what readers for whom English is the second language
 * stumbled over.
 */

const harness = useHarness();
const fields = flatten([...action.description.properties, ...TRIGGER_FIELDS]);
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

const unique = (texts: string[]) => [...new Set(texts)];

test('no text has a word that readers stumbled over, or that n8n does not want in front of users', () => {
  const banned =
    /\b(operator|of yours|under way|anybody|somebody|never gets?|made-up|most (messages|requests|records)|goe?s? on \w+ing|stands? in|errors?|problems?|failures?|mistakes?)\b/i;
  expect(unique([...titles(), ...sentences()]).filter((text) => banned.test(text))).toEqual([]);
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

test('a field has a description or a hint, and an entry of a list a description', () => {
  const silent = entered().filter(
    ({ type, name, description, hint }) =>
      type !== 'collection' && !['resource', 'operation'].includes(name) && !(description ?? hint),
  );
  expect(silent.map(({ name, displayOptions }) => ({ name, ...displayOptions?.show }))).toEqual([]);
  const unsaid = listsIn(fields)
    // The names of the record's fields say it.
    .filter(({ name }) => name !== 'fields')
    .flatMap((field) => optionsOf(field).filter(({ description }) => !description));
  expect(unsaid).toEqual([]);
});

test('a field for text has an example as placeholder', () => {
  // What to enter is not documented.
  const unknown = ['bringsData', 'urlExt'];
  const texts = entered().filter(
    ({ type, name, typeOptions: { password } = {} }) =>
      type === 'string' && !password && !unknown.includes(name),
  );
  const byId = modes().filter(({ name }) => name === 'id');
  const without = [...texts, ...byId].filter(
    ({ placeholder = '' }) => !/^e\.g\. \S/.test(placeholder),
  );
  expect(without).toEqual([]);
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

  test.each(OPERATIONS.map(({ resource, operation }) => [resource, operation]))(
    'names the operation, and says where it only checks: %s %s',
    (resource, operation) => {
      const text = `${operation}: ${resource}`;
      expect(subtitle(ACTION, { resource, operation })).toBe(text);
      if (resource !== 'message') return;
      expect(subtitle(ACTION, { resource, operation, options: { checkOnly: true } })).toBe(
        `${RUN_OPTIONS.checkOnly.label}: ${text}`,
      );
    },
  );

  test.each([
    [{}, 'deliveryReport, reply'],
    [{ events: ['reply'] }, 'reply'],
    [{ events: 'deliveryReport' }, 'deliveryReport'],
    [{ events: '={{ "deliveryReport" }}' }, 'deliveryReport'],
    [{ events: '={{ $json.events }}' }, undefined],
  ])('of the trigger with %j is %p', (parameters, text) => {
    expect(subtitle(TRIGGER, parameters)).toBe(text);
  });
});
