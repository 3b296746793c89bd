import { readdirSync } from 'node:fs';
import { contractOperations } from '../../sandbox/contract';
import { ACTION, createHarness } from '../harness';
import type { Harness } from '../harness';
import { OUTPUT_FIELDS } from '../harness/outputFields';
import { outputSchemasOf } from '../harness/outputSchema';
import { describedOperations } from './operationChecks';

/** No resource and no operation is without a table. */

const TESTED = readdirSync(__dirname).flatMap((file) => {
  const [name = '', ...rest] = file.split('.');
  return rest.join('.') === 'test.ts' && name !== 'everyResource' ? [name] : [];
});

let harness: Harness;

beforeAll(async () => {
  harness = await createHarness({});
});

test('every resource that the node describes has a test file', () => {
  const { properties } = harness.getNodeType(ACTION).description;
  const { options = [] } = properties.find(({ name }) => name === 'resource') ?? {};
  const resources = options.map((option) => (option as { value: string }).value);
  expect(TESTED.sort()).toEqual(resources.sort());
});

test('the node has 25 operations', () => {
  expect(TESTED.flatMap((resource) => describedOperations(harness, resource))).toHaveLength(25);
});

test('every operation of the contract belongs to a resource', () => {
  const resources = contractOperations().map(({ operationId }) => operationId.split('.')[0]);
  expect(resources).toHaveLength(21);
  expect(TESTED).toEqual(expect.arrayContaining(resources));
});

test('every text about a field of the output is about one that there is', () => {
  const unused = Object.entries(OUTPUT_FIELDS).flatMap(([resource, texts]) => {
    const schemas = outputSchemasOf(resource);
    return Object.keys(texts).filter((name) => !schemas.includes(`"${name}": {`));
  });
  expect(unused).toEqual([]);
});
