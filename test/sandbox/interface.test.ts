import { contractOperations } from './contract';
import { interfacePage } from './interface';

test.each(contractOperations())('docs/interface.md has $path', ({ path, inferred }) => {
  expect(interfacePage()).toContain(inferred ? `| \`${path}\` |` : `\`POST ${path}\``);
});
