import { readdirSync } from 'node:fs';
import { contractOperations } from '../../sandbox/contract';
import { action, operationsOf } from '../harness/descriptions';
import { OUTPUT_FIELDS } from '../harness/outputFields';
import { outputSchemasOf } from '../harness/outputSchema';

/** No resource and no operation is without a table. */

const TESTED = readdirSync(__dirname).flatMap((file) => {
  const [name = '', ...rest] = file.split('.');
  return rest.join('.') === 'test.ts' && name !== 'everyResource' ? [name] : [];
});

test('every resource that the node describes has a test file', () => {
  const resources = operationsOf(action).map(({ resource }) => resource);
  expect(TESTED.sort()).toEqual([...new Set(resources)].sort());
});

test('every operation of the contract belongs to a resource', () => {
  const resources = contractOperations().map(({ operationId }) => operationId.split('.')[0]);
  expect(TESTED).toEqual(expect.arrayContaining(resources));
});

test('every text about a field of the output is about one that there is', () => {
  const unused = Object.entries(OUTPUT_FIELDS).flatMap(([resource, texts]) => {
    const schemas = outputSchemasOf(resource);
    return Object.keys(texts).filter((name) => !schemas.includes(`"${name}": {`));
  });
  expect(unused).toEqual([]);
});
