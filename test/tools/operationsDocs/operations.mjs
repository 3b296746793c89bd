// All operations with what the page says of them, in its order.
import { noticesOf, rowsOf } from './fields.mjs';
import { operationsInOrder, resourcesInOrder } from './order.mjs';
import { operationsOf, SmsMessagingService } from './package.mjs';
import { requestOf } from './request.mjs';

/**
 * @typedef {object} Operation
 * @property {{ name: string, value: string, description: string }} resource
 * @property {string} name in the editor's list
 * @property {string} value its name in JSON
 * @property {string} description
 * @property {string} action what n8n calls it in its panel of actions
 * @property {string} heading on the page
 * @property {string} path
 * @property {boolean} isInferred whether the specification only names it
 * @property {string[]} inferredNotices what the editor says of an operation for being inferred
 * @property {string[]} notices what else it says above the fields
 * @property {import('./fields.mjs').Row[]} rows
 */

/** @returns {Promise<Operation[]>} */
export async function readOperations() {
  const { properties } = new SmsMessagingService().description;
  const resources = resourcesInOrder(properties.find(({ name }) => name === 'resource').options);
  const operations = resources.flatMap((resource) =>
    operationsInOrder(operationsOf(resource.value).map(optionOf)).map((option) =>
      readOperation(resource, option, properties),
    ),
  );
  return await Promise.all(operations);
}

function optionOf({ option, endpoint: { isDocumented, warning } }) {
  const inferredNotices = isDocumented ? [] : noticesOf([{ type: 'notice', displayName: warning }]);
  return { ...option, isInferred: !isDocumented, inferredNotices };
}

async function readOperation(resource, option, properties) {
  const own = properties.filter(
    ({ displayOptions: { show } = {} }) =>
      show?.resource?.includes(resource.value) && show.operation?.includes(option.value),
  );
  const selection = { resource: resource.value, operation: option.value };
  const request = await requestOf(selection, own);
  return {
    ...option,
    resource,
    heading: `${resource.name}: ${option.name}`,
    path: request.path,
    notices: noticesOf(own).filter((notice) => !option.inferredNotices.includes(notice)),
    rows: rowsOf(own, { ...request, action: option.action }),
  };
}
