import { RESOURCES } from '../../../nodes/SmsMessagingService/resources/index';

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
