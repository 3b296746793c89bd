import { readFileSync } from 'node:fs';
import path from 'node:path';
import { RESOURCES } from '../../../nodes/SmsMessagingService/resources/index';
import { exampleNames, readExample } from '../../e2e/lib/examples';
import { codes, moduleOf } from '../../workflows/code';

const ROOT = path.resolve(__dirname, '../../..');

/** The file of the module with the inferred operations. */
export const INFERRED_PATHS = 'examples/code/inferred.ts';

/** The module with the paths of the inferred operations, for the service check. */
export function inferredPaths(): string {
  const lines = RESOURCES.flatMap(({ option, operations }) => {
    const endpoints = operations.filter(({ endpoint }) => endpoint.source === 'inferred');
    const paths = new Set(endpoints.map(({ endpoint }) => endpoint.path));
    return [...paths].map((at) => {
      const same = endpoints.filter(({ endpoint }) => endpoint.path === at);
      const names = same.map((operation) => operation.option.name).join(', ');
      return `  { path: '${at}', operations: '${option.name}: ${names}' },\n`;
    });
  });
  return `/** The operations whose paths the specification does not show. Made by \`npm run docs\`. */
export const INFERRED = [
${lines.join('')}];
`;
}

/** The example workflows with the texts of their Code nodes, by file. */
export const EXAMPLES = Object.fromEntries(
  exampleNames().map((name) => [`examples/${name}.json`, () => withCodes(name)]),
);

/** Bundled once for all, when `INFERRED_PATHS` is up to date. */
let bundled: ReturnType<typeof codes> | undefined;

function withCodes(name: string): string {
  const texts = (bundled ??= codes());
  const file = readFileSync(path.join(ROOT, 'examples', `${name}.json`), 'utf8');
  return readExample(name).nodes.reduce((text, node) => {
    const code = texts.get(moduleOf(name, node.name));
    if (code === undefined) return text;
    return text.replace(JSON.stringify(node.parameters.jsCode), () => JSON.stringify(code));
  }, file);
}
