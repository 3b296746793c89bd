/** What the examples remember of their sends. */
import { exampleNames, readExample } from '../e2e/lib/examples';

const MEMORY = 'Remember the send';
const examples = exampleNames()
  .map((name) => readExample(name))
  .filter(({ nodes }) => nodes.some(({ name }) => name === MEMORY));

test.each(examples)('$name: a table that is missing or full stops nothing', (example) => {
  const memory = example.nodes.find(({ name }) => name === MEMORY);
  expect(memory?.onError).toBe('continueRegularOutput');
  expect(example.connections[MEMORY]).toBeUndefined();
});
