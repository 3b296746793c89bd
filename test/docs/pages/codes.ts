import { readFileSync } from 'node:fs';
import path from 'node:path';
import { RESOURCES } from '../../../nodes/SmsMessagingService/resources/index';
import type { WorkflowFile } from '../../e2e/lib/client';
import { deskNames } from '../../e2e/lib/workflowFiles';
import { codes, moduleOf } from '../../desk/code';

const ROOT = path.resolve(__dirname, '../../..');

/** The file of the module with the inferred operations. */
export const INFERRED_PATHS = 'examples/src/service-check/inferred.ts';

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

/** The workflows with the texts of their Code nodes, by file. */
export const CODES = Object.fromEntries(
  deskNames().map((name) => [`desk/${name}.json`, () => withCodes(`desk/${name}.json`)]),
);

/** Bundled once for all, when `INFERRED_PATHS` is up to date. */
let bundled: ReturnType<typeof codes> | undefined;

function withCodes(file: string): string {
  const texts = (bundled ??= codes());
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  const { nodes } = JSON.parse(text) as WorkflowFile;
  return nodes.reduce((written, node) => {
    const code = texts.get(moduleOf(path.basename(file, '.json'), node.name));
    if (code === undefined) return written;
    return written.replace(JSON.stringify(node.parameters.jsCode), () => JSON.stringify(code));
  }, text);
}
