import { contractOperations } from './contract';
import { interfacePage } from './interface';

const page = interfacePage();

test.each(contractOperations())('docs/interface.md has $path', ({ path, inferred }) => {
  expect(page).toContain(inferred ? `| \`${path}\` |` : `\`POST ${path}\``);
});
