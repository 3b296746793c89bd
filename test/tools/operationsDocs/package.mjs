// The built package: its nodes and credential, and what it says of its operations.
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository. */
export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');

const require = createRequire(import.meta.url);

export const { SmsMessagingService, SmsMessagingServiceApi, SmsMessagingServiceTrigger } = require(
  ROOT,
);

/**
 * The operations of a resource as data, from the folder that has its name.
 *
 * @param {string} resource its value in the editor's list
 */
export function operationsOf(resource) {
  const folder = path.join(ROOT, 'dist/nodes/SmsMessagingService/resources', resource);
  return Object.values(require(folder)).find(({ option }) => option.value === resource).operations;
}
