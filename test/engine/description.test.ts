import { createRequire } from 'node:module';
import { Linter } from 'eslint';
import type { ESLint } from 'eslint';
import type {
  INodeProperties,
  INodePropertyCollection,
  INodePropertyMode,
  INodePropertyOptions,
  INodeType,
} from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';
import tseslint from 'typescript-eslint';
import { ACTION, createHarness, TRIGGER } from './harness';

// The plugin has no types.
const n8nNodesBase = createRequire(__filename)('eslint-plugin-n8n-nodes-base') as ESLint.Plugin & {
  configs: { nodes: { rules: Linter.RulesRecord } };
};

/** The fields as the editor gets them. Many are built by functions, so a linter of sources does not see them. */

let action: INodeType;
let trigger: INodeType;

beforeAll(async () => {
  const { getNodeType } = await createHarness({});
  [action, trigger] = [getNodeType(ACTION), getNodeType(TRIGGER)];
});

interface Selection {
  resource: string;
  operation: string;
}

const optionsOf = ({ options = [] }: INodeProperties) => options as INodePropertyOptions[];

const named = (name: string) =>
  action.description.properties.filter((field) => field.name === name);

/** Every operation, with its entry in the list. */
function operations(): (Selection & { option: INodePropertyOptions })[] {
  return named('operation').flatMap((field) =>
    optionsOf(field).map((option) => ({
      resource: String(field.displayOptions?.show?.resource?.[0]),
      operation: String(option.value),
      option,
    })),
  );
}

/** The fields of an operation, apart from Resource and Operation. */
function fieldsOf({ resource, operation }: Selection): INodeProperties[] {
  return action.description.properties.filter(
    ({ displayOptions: { show } = {} }) =>
      show?.resource?.includes(resource) && show.operation?.includes(operation),
  );
}

/** The fields, and those in their collections. */
function flatten(fields: INodeProperties[]): INodeProperties[] {
  return fields.flatMap((field) => [
    field,
    ...(field.type === 'collection' ? flatten(field.options as INodeProperties[]) : []),
    ...(field.type === 'fixedCollection'
      ? (field.options as INodePropertyCollection[]).flatMap(({ values }) => flatten(values))
      : []),
  ]);
}

/** Without the poll times, which are n8n's own. */
const triggerFields = () =>
  trigger.description.properties.filter(({ name }) => name !== 'pollTimes');

const allFields = () => flatten([...action.description.properties, ...triggerFields()]);

test('every field has a description or a hint', () => {
  const silent = allFields().filter(
    ({ type, name, description, hint }) =>
      type !== 'notice' &&
      type !== 'collection' &&
      !['resource', 'operation'].includes(name) &&
      !(description ?? hint)?.match(/\S/),
  );
  expect(silent.map(({ name, displayOptions }) => ({ name, ...displayOptions?.show }))).toEqual([]);
});

test('every text field has an example as placeholder, unless any text fits', () => {
  const free = ['phoneData', 'userData', 'parametersJson', 'extraFieldsJson', 'toolDescription'];
  const undocumented = ['bringsData'];
  const sensitive = ['legalPersonCertificate', 'operatorCertificate'];
  const without = allFields().filter(
    ({ type, name, placeholder }) =>
      type === 'string' &&
      ![...free, ...undocumented, ...sensitive].includes(name) &&
      !placeholder?.startsWith('e.g. '),
  );
  expect(without.map(({ name }) => name)).toEqual([]);
});

test('every field belongs to one existing operation', () => {
  const known = operations().map(({ resource, operation }) => `${resource}.${operation}`);
  for (const { name, displayOptions } of action.description.properties) {
    if (name === 'resource') continue;
    const { resource = [], operation = [] } = displayOptions?.show ?? {};
    expect(resource).toHaveLength(1);
    if (name === 'operation') continue;
    expect(operation).toHaveLength(1);
    expect(known).toContain(`${String(resource[0])}.${String(operation[0])}`);
  }
});

test('every operation has its own action, in sentence case', () => {
  const actions = operations().map(({ option }) => option.action ?? '');
  expect(new Set(actions).size).toBe(25);
  for (const text of actions) expect(text).toMatch(/^[A-Z][a-z]+ [a-z]+( [a-zSM]+)*$/);
});

test('the fields of an operation have different names, and depend on fields of this operation only', () => {
  for (const selection of operations()) {
    const fields = fieldsOf(selection);
    const names = fields.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { displayOptions } of fields) {
      const conditions = Object.keys(displayOptions?.show ?? {});
      expect(['@tool', 'resource', 'operation', ...names]).toEqual(
        expect.arrayContaining(conditions),
      );
    }
  }
});

test('a field is shown only where it applies (display options)', () => {
  const shown = (parameters: Record<string, unknown>) =>
    action.description.properties
      .filter((field) =>
        NodeHelpers.displayParameter(
          parameters as never,
          field,
          { typeVersion: 1 },
          action.description,
        ),
      )
      .map(({ name }) => name);
  const getAll = { resource: 'lead', operation: 'getAll' };
  expect(shown({ ...getAll, returnAll: false })).toEqual([
    'resource',
    'operation',
    'returnAll',
    'limit',
    'simplify',
    'filters',
  ]);
  expect(shown({ ...getAll, returnAll: true })).not.toContain('limit');
  expect(shown({ resource: 'template', operation: 'get' })).toEqual([
    'resource',
    'operation',
    'templateId',
  ]);
  expect(shown({ resource: 'signature', operation: 'delete' })).toEqual([
    'resource',
    'operation',
    'endpointNotice',
    'signatureId',
    'options',
  ]);
});

test('required fields are first, and Options are last', () => {
  for (const selection of operations()) {
    const fields = fieldsOf(selection).filter(({ type }) => type !== 'notice');
    const order = fields.map(({ required = false }) => required);
    expect(order).toEqual([...order].sort((a, b) => Number(b) - Number(a)));
    const names = fieldsOf(selection).map(({ name }) => name);
    if (names.includes('options')) expect(names.at(-1)).toBe('options');
  }
});

// The editor keeps the list of a picker together with the values of all other fields. When a mapper
// loads its fields while a list is open, the editor loses the list and shows it as loading for ever.
test('the picker that a mapper depends on is the last picker of its operation', () => {
  const mapped = operations().map((selection) => ({
    pickers: fieldsOf(selection)
      .filter(({ type }) => type === 'resourceLocator')
      .map(({ name }) => name),
    sources: fieldsOf(selection).flatMap(({ type, typeOptions }) =>
      type === 'resourceMapper' ? (typeOptions?.loadOptionsDependsOn ?? []) : [],
    ),
  }));
  const concerned = mapped.filter(({ sources }) => sources.length > 0);
  expect(concerned).not.toEqual([]);
  for (const { pickers, sources } of concerned) {
    expect(sources).toEqual([`${pickers.at(-1)}.value`]);
  }
});

test('nine operations have the notice that they are inferred: the specification has only their names', () => {
  const inferred = operations()
    .filter((selection) =>
      fieldsOf(selection).some(({ displayName }) => displayName.includes('are inferred')),
    )
    .map(({ resource, operation }) => `${resource}.${operation}`);
  expect(inferred.sort()).toEqual([
    'lead.delete',
    'qualification.create',
    'qualification.update',
    'signature.delete',
    'signature.get',
    'signature.getAll',
    'signature.update',
    'template.create',
    'template.update',
  ]);
});

test('every picker has a search method', () => {
  const methods = allFields()
    .flatMap(({ modes = [] }) => modes as INodePropertyMode[])
    .flatMap(({ typeOptions }) => typeOptions?.searchListMethod ?? []);
  expect(new Set(methods)).toEqual(
    new Set(['searchTemplates', 'searchSignatures', 'searchQualifications', 'searchLeads']),
  );
  expect(Object.keys(action.methods?.listSearch ?? {})).toEqual(
    expect.arrayContaining([...new Set(methods)]),
  );
});

test('resources are sorted, and the default operation of each changes nothing, except for a send', () => {
  const [resources] = named('resource');
  const names = resources ? optionsOf(resources).map(({ name }) => name) : [];
  expect(names).toEqual([...names].sort());
  const defaults = named('operation').map(({ displayOptions, default: value }) => [
    displayOptions?.show?.resource?.[0],
    value,
  ]);
  expect(Object.fromEntries(defaults)).toEqual({
    balance: 'get',
    deliveryReport: 'pull',
    lead: 'getAll',
    message: 'sendTemplate',
    qualification: 'getAll',
    reply: 'pull',
    signature: 'getAll',
    template: 'getAll',
  });
});

test('texts for users have no words such as error, problem or failure', () => {
  for (const { displayName, description = '' } of allFields()) {
    expect(`${displayName} ${description}`).not.toMatch(/\b(error|problem|failure|mistake)s?\b/i);
  }
});

/** The findings of n8n's lint rules for nodes in these fields. */
function lint(properties: INodeProperties[]) {
  // The rules understand only names without quotes.
  const literal = JSON.stringify(properties, null, 2).replace(/^( *)"(\w+)":/gm, '$1$2:');
  const source = `import type { INodeProperties } from 'n8n-workflow';
export const properties: INodeProperties[] = ${literal};
`;
  const rules = Object.fromEntries(
    Object.entries(n8nNodesBase.configs.nodes.rules).filter(
      // This rule is off for the sources, too.
      ([rule]) => rule !== 'n8n-nodes-base/node-param-type-options-max-value-present',
    ),
  );
  const messages = new Linter().verify(
    source,
    [
      {
        files: ['**/*.ts'],
        languageOptions: { parser: tseslint.parser as Linter.Parser },
        plugins: { 'n8n-nodes-base': n8nNodesBase },
        rules,
      },
    ],
    { filename: 'nodes/Sms/properties.ts' },
  );
  return messages.map(({ ruleId, line, message }) => ({
    ruleId,
    message,
    at: source.split('\n').slice(line - 1, line + 3),
  }));
}

test("the fields pass n8n's lint rules as the editor gets them", () => {
  expect(lint(action.description.properties)).toEqual([]);
  expect(lint(triggerFields())).toEqual([]);

  const [filters] = fieldsOf({ resource: 'lead', operation: 'create' }).slice(-1);
  const reversed = { ...filters, options: [...(filters?.options ?? [])].reverse() };
  expect(lint([reversed as INodeProperties])).toMatchObject([
    { ruleId: 'n8n-nodes-base/node-param-collection-type-unsorted-items' },
  ]);
});
