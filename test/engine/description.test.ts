import { createRequire } from 'node:module';
import { Linter } from 'eslint';
import type { ESLint } from 'eslint';
import type { INodeProperties } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';
import tseslint from 'typescript-eslint';
import { action, fieldsOf, flatten, OPERATIONS, TRIGGER_FIELDS } from '../kit/engine/descriptions';

// The plugin has no types.
const n8nNodesBase = createRequire(__filename)('eslint-plugin-n8n-nodes-base') as ESLint.Plugin & {
  configs: { nodes: { rules: Linter.RulesRecord } };
};

/** The fields as the editor gets them. Many are built by functions, so a linter of sources does not see them. */

test('the fields of an operation have different names, and depend on fields of this operation only', () => {
  for (const selection of OPERATIONS) {
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
      .filter(({ type }) => type !== 'hidden')
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
  const SHOWN = ['resource', 'operation', 'returnAll', 'limit', 'simplify', 'filters', 'options'];
  expect(shown({ ...getAll, returnAll: false })).toEqual(SHOWN);
  expect(shown({ ...getAll, returnAll: true })).not.toContain('limit');
});

test('every operation has Endpoint Path and Extra Fields (JSON) once, under Options', () => {
  for (const selection of OPERATIONS) {
    const fields = flatten(fieldsOf(selection));
    const options = fields.filter(({ name }) => name === 'options');
    expect(options).toMatchObject([{ displayName: 'Options', type: 'collection', default: {} }]);
    const adaptations = fields.filter(({ name }) =>
      ['endpointPath', 'extraFieldsJson'].includes(name),
    );
    expect(adaptations).toMatchObject([
      { name: 'endpointPath', default: expect.stringMatching(/^\/(?:sendsms|openapi)\/\w/) },
      { name: 'extraFieldsJson', type: 'json', default: '{}' },
    ]);
    expect(options[0]?.options).toEqual(expect.arrayContaining(adaptations));
    expect(fieldsOf(selection).at(-1)).toBe(options[0]);
  }
});

// The editor keeps the list of a picker together with the values of all other fields. When a mapper
// loads its fields while a list is open, the editor loses the list and shows it as loading for ever.
test('whoever fills in a form from the top opens no list while a mapper loads its fields', () => {
  const mapped = OPERATIONS.flatMap((selection) => {
    const fields = fieldsOf(selection);
    const pickers = fields.filter(({ type }) => type === 'resourceLocator').map(({ name }) => name);
    const mappers = fields.filter(({ type }) => type === 'resourceMapper');
    return mappers.map((mapper) => ({ last: pickers.at(-1) ?? '', mapper }));
  });
  expect(mapped).not.toEqual([]);
  for (const { last, mapper } of mapped) {
    const sources = mapper.typeOptions?.loadOptionsDependsOn ?? [];
    expect(sources).toContain(`${last}.value`);
    // One that depends on an earlier picker, too, is not there until the last one is filled in.
    const isThere = NodeHelpers.displayParameter(
      { [last]: { __rl: true, mode: 'list', value: '' } } as never,
      { ...mapper, displayOptions: { hide: mapper.displayOptions?.hide } },
      null,
      null,
    );
    expect(isThere).toBe(sources.every((source) => source.startsWith(`${last}.`)));
    // After a change of the credential, the editor looks up the same ID: only the name may be another one.
    const ids = sources.filter((source) => source.endsWith('.value'));
    const names = ids.map((source) => source.replace('.value', '.cachedResultName'));
    expect(sources.toSorted()).toEqual([...ids, ...names].toSorted());
  }
});

test('the default operation of each resource changes nothing, except for a send', () => {
  const choices = action.description.properties.filter(({ name }) => name === 'operation');
  expect(choices).toHaveLength(8);
  const others = choices.filter(({ default: value }) => !/^(get|getAll|pull)$/.test(String(value)));
  expect(others).toMatchObject([
    { displayOptions: { show: { resource: ['message'] } }, default: 'sendTemplate' },
  ]);
});

/** The findings of n8n's lint rules for nodes in these fields. */
function lint(properties: INodeProperties[]) {
  // The rules understand only names without quotes.
  const literal = JSON.stringify(properties, null, 2).replace(/^( *)"(\w+)":/gm, '$1$2:');
  const source = `export const properties: INodeProperties[] = ${literal};`;
  const messages = new Linter().verify(
    source,
    [
      {
        files: ['**/*.ts'],
        languageOptions: { parser: tseslint.parser as Linter.Parser },
        plugins: { 'n8n-nodes-base': n8nNodesBase },
        rules: {
          ...n8nNodesBase.configs.nodes.rules,
          // Off for the sources, too.
          'n8n-nodes-base/node-param-type-options-max-value-present': 'off',
        },
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
  expect(lint(TRIGGER_FIELDS)).toEqual([]);

  const [filters] = fieldsOf({ resource: 'lead', operation: 'create' }).slice(-2);
  const reversed = { ...filters, options: [...(filters?.options ?? [])].reverse() };
  expect(lint([reversed as INodeProperties])).toMatchObject([
    { ruleId: 'n8n-nodes-base/node-param-collection-type-unsorted-items' },
  ]);
});
