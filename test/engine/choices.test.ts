import type { IDataObject, INodeParameters, INodeProperties } from 'n8n-workflow';
import { DeduplicationStore } from '../kit/engine/deduplicationStore';
import { fieldsOf, OPERATIONS, optionsOf, TRIGGER_FIELDS } from '../kit/engine/descriptions';
import { useGateway } from '../kit/engine/gateway';
import { byId, FIRST_ID } from '../kit/engine/locators';

/**
 * Every switch, number, choice, option and collection of both nodes, as the descriptions have them: what cannot be
 * understood is an error that names the field. Nothing is silently taken for the default.
 */

const world = useGateway();
const { gateway } = world;

// Max per Number and Day counts in it.
const store = DeduplicationStore.install();

/** Options for a text of the user, where most values are one. */
const TEXTS = ['idempotencyKey', 'phoneData', 'userData'];

/** Values that a field of a type does not understand. */
const UNUSABLE: Record<string, unknown[]> = {
  boolean: ['yes', '', 1, 0, [], {}, null, undefined],
  number: ['true', 'false', 'x', '', true, 1.5, [], {}, null, undefined],
  options: ['true', 'false', 'x', '', true, 1, [], {}, null, undefined],
  multiOptions: ['true', 'false', ['x'], true, 1, {}, null, undefined],
  json: ['true', 'false', 'x', true, 1, [], null, undefined],
  string: ['true', 'false', '', true, 1, [], {}, null, undefined],
  collection: ['true', 'false', 'x', true, 1, [], null, undefined],
};

const known = new Set<string>();

/** Of a field that an operation before has too, the last two show that it is read as there. */
function unusableFor(field: INodeProperties): unknown[] {
  const text = JSON.stringify({ ...field, displayOptions: undefined });
  const values = UNUSABLE[field.type] ?? [];
  const isKnown = known.has(text);
  known.add(text);
  return isKnown ? values.slice(-2) : values;
}

/** Values of n8n's own, and how a text gives each. */
const asTexts: Record<string, (field: INodeProperties) => [unknown, string][]> = {
  boolean: () => [
    [true, 'true'],
    [false, 'false'],
  ],
  number: ({ default: usual }) => [[Number(usual) - 1, String(Number(usual) - 1)]],
};

interface Asked {
  label: string;
  field: INodeProperties;
  /** The parameters with a value for the field. */
  parametersWith: (value: unknown) => INodeParameters;
}

/** The fields of a form that are asked, and the entries of its Options. */
function askedIn(fields: INodeProperties[], base: IDataObject): Asked[] {
  const beside = fields.filter(({ type }) =>
    ['boolean', 'number', 'options', 'multiOptions'].includes(type),
  );
  const collections = fields.filter(({ type }) => type === 'collection');
  const options = collections
    .filter(({ name }) => name === 'options')
    .flatMap(({ options: entries }) => entries as INodeProperties[]);
  return [
    ...[...beside, ...collections].map((field): Asked => ({
      label: field.displayName,
      field,
      parametersWith: (value) =>
        ({ ...base, ...shownBy(field), [field.name]: value }) as INodeParameters,
    })),
    ...options
      .filter(({ name }) => !TEXTS.includes(name))
      .map((field): Asked => ({
        label: field.displayName,
        field,
        parametersWith: (value) => ({ ...base, options: { [field.name]: value } }) as never,
      })),
  ];
}

/** Other fields as they must be if n8n is to show this one. */
function shownBy({ displayOptions: { show = {} } = {} }: INodeProperties): IDataObject {
  const others = Object.entries(show).filter(([name]) => !name.startsWith('@'));
  return Object.fromEntries(others.map(([name, values]) => [name, values?.[0] as string]));
}

/** What an operation needs besides the field that is asked. */
function baseOf(selection: { resource: string; operation: string }): IDataObject {
  const needed = fieldsOf(selection).filter(
    ({ type, required, displayOptions }) =>
      type === 'resourceLocator' || (required && !displayOptions?.show?.['@tool']),
  );
  return {
    ...selection,
    ...Object.fromEntries(
      needed.map(({ name }) => {
        const id = FIRST_ID[name.replace(/Id$/, '')];
        return [name, id === undefined ? '13800138000' : byId(id)];
      }),
    ),
    ...(selection.operation === 'sendTemplate' && {
      parameterMode: 'json',
      parametersJson: '{"code":"1","minutes":"5"}',
    }),
  };
}

const written = (value: unknown) => `={{ ${JSON.stringify(value) ?? 'undefined'} }}`;

/** Whether a value may stand in a workflow as it is. n8n replaces empty ones, and mends collections. */
const isTyped = ({ type }: INodeProperties, value: unknown) =>
  type !== 'collection' && typeof value !== 'object' && Boolean(value);

interface Result {
  error?: string;
  requests: unknown[];
  /** Sizes and fields of what comes out: values differ from run to run. */
  shape: unknown;
}

/** Runs a node of a fresh account with 150 records of each event. */
async function runWith(run: () => Promise<{ error?: string; shape: unknown }>): Promise<Result> {
  gateway.reset();
  gateway.queueReports(150);
  gateway.queueReplies(150);
  const result = await run();
  return { ...result, requests: gateway.requests.map(({ path, body }) => ({ path, body })) };
}

const shapeOf = (items: IDataObject[]) => ({
  size: items.length,
  fields: [...new Set(items.map((json) => Object.keys(json).join(' ')))],
});

function expectNamed({ error, requests }: Result, label: string, value: unknown): void {
  const given = `${label}: ${JSON.stringify(value)}`;
  expect([given, error]).toEqual([given, expect.stringContaining(`'${label}'`)]);
  expect(requests).toEqual([]);
}

/** Tests that each field is understood, or named. */
function testFields(
  fields: Asked[],
  run: (asked: Asked, parameters: INodeParameters) => Promise<Result>,
) {
  test.each(fields)('$label', async (asked) => {
    const { label, field, parametersWith } = asked;
    const resultOf = async (value: unknown) => await run(asked, parametersWith(value));
    for (const value of unusableFor(field)) {
      expectNamed(await resultOf(written(value)), label, value);
      if (isTyped(field, value)) expectNamed(await resultOf(value), label, value);
    }
    for (const [value, text] of asTexts[field.type]?.(field) ?? []) {
      const expected = await resultOf(value);
      expect(expected.error).toBeUndefined();
      expect(await resultOf(text)).toEqual(expected);
      const given = await resultOf(written(text));
      // Whether messages are sent depends on no item.
      if (field.name === 'checkOnly') expectNamed(given, label, text);
      else expect(given).toEqual(expected);
    }
    for (const { value } of field.type === 'options' ? optionsOf(field) : []) {
      expect((await resultOf(written(value))).error ?? '').not.toContain(label);
    }
  });
}

describe.each(OPERATIONS)('$resource $operation', ({ resource, operation }) => {
  const selection = { resource, operation };
  testFields(askedIn(fieldsOf(selection), baseOf(selection)), async ({ field }, parameters) => {
    store.clear();
    return await runWith(async () => {
      if (field.displayOptions?.show?.['@tool']) {
        const [answer = {}] = await world.callTool('test.chainAgent', parameters, [{}]);
        const { error } = answer as { error?: string };
        return { error: error?.replace(/^Error: /, ''), shape: answer };
      }
      const { error, json } = await world.execute(parameters, [{}]);
      return { error: error?.message, shape: shapeOf(json) };
    });
  });
});

describe('the trigger', () => {
  testFields(
    askedIn(TRIGGER_FIELDS, { events: ['deliveryReport'] }),
    async ({ field }, parameters) =>
      await runWith(async () => {
        if (field.name === 'testData') {
          return await world.testTrigger(parameters).then(
            (items) => ({ shape: shapeOf(items) }),
            (error: Error) => ({ error: error.message, shape: undefined }),
          );
        }
        const { errors, executions, deactivate } = await world.poll(parameters);
        await deactivate();
        return { error: errors[0]?.message, shape: executions.map(shapeOf) };
      }),
  );
});
