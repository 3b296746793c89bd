import { readdirSync } from 'node:fs';
import { contractOperations } from '../../sandbox/contract';
import { OPERATIONS } from '../harness/descriptions';

test('every resource of the node and of the contract has a test file', () => {
  const files = readdirSync(__dirname).filter((file) => file.endsWith('.test.ts'));
  const described = OPERATIONS.map(({ resource }) => resource);
  const named = contractOperations().map(({ operationId }) => operationId.split('.')[0]);
  const wanted = new Set(['everyResource', ...described, ...named]);
  expect(files.sort()).toEqual([...wanted].map((name) => `${name}.test.ts`).sort());
});
