import { updateDisplayOptions } from 'n8n-workflow';
import type { INodeProperties } from 'n8n-workflow';
import type { Operation, Resource } from './operation';

/** The node's properties: the list of resources, and for each its operations and their fields. */
export function describeResources(
  defaultResource: string,
  resources: Resource[],
): INodeProperties[] {
  return [
    {
      displayName: 'Resource',
      name: 'resource',
      type: 'options',
      noDataExpression: true,
      options: resources.map(({ option }) => option),
      default: defaultResource,
    },
    ...resources.flatMap(describeOperations),
  ];
}

function describeOperations({
  option: resource,
  operations,
  defaultOperation,
}: Resource): INodeProperties[] {
  const defaultValue = defaultOperation.option.value;
  return [
    {
      displayName: 'Operation',
      name: 'operation',
      type: 'options',
      noDataExpression: true,
      displayOptions: { show: { resource: [resource.value] } },
      options: operations.map(({ option }) => option),
      default: defaultValue,
    },
    ...operations.flatMap((operation) =>
      updateDisplayOptions(
        { show: { resource: [resource.value], operation: [operation.option.value] } },
        propertiesOf(operation),
      ),
    ),
  ];
}

function propertiesOf(operation: Operation): INodeProperties[] {
  if (operation.kind === 'batch') return operation.properties;
  return [...operation.properties, ...operation.endpoint.properties];
}
