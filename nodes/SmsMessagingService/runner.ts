import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { ServiceClient } from './shared/client';
import { failureJson, inputError, toNodeError } from './shared/errors';
import { ParameterReader } from './shared/parameters';
import type { Operation, RequestOperation, Resource } from './shared/operation';

/** Runs the operation that the node's parameters name, over all input items. */
export async function runOperation(
  context: IExecuteFunctions,
  resources: Resource[],
): Promise<INodeExecutionData[][]> {
  const operation = findOperation(context, resources);
  if ('run' in operation) return await operation.run(context);
  return [await runRequests(context, operation)];
}

function findOperation(context: IExecuteFunctions, resources: Resource[]): Operation {
  const resource = context.getNodeParameter('resource', 0);
  const name = context.getNodeParameter('operation', 0);
  const operation = resources
    .find(({ option }) => option.value === resource)
    ?.operations.find(({ option }) => option.value === name);
  if (operation === undefined) {
    throw inputError(
      context.getNode(),
      `There is no operation '${name}' of the resource '${resource}'`,
      {
        description: 'Choose Resource and Operation from their lists.',
      },
    );
  }
  return operation;
}

/** One request per item, one after the other; each record is paired to its item. */
async function runRequests(
  context: IExecuteFunctions,
  { path, body, records }: RequestOperation,
): Promise<INodeExecutionData[]> {
  const node = context.getNode();
  const parameters = new ParameterReader(context);
  const client = await ServiceClient.create(context);
  const output: INodeExecutionData[] = [];
  for (let itemIndex = 0; itemIndex < context.getInputData().length; itemIndex++) {
    try {
      const request = body?.((name) => parameters.get(name, itemIndex)) ?? {};
      const answer = await client.request(path, request, { itemIndex });
      for (const json of records(answer)) output.push({ json, pairedItem: { item: itemIndex } });
    } catch (cause) {
      const error = toNodeError(node, cause, itemIndex);
      if (!context.continueOnFail()) throw error;
      output.push({ json: failureJson(error), pairedItem: { item: itemIndex } });
    }
  }
  return output;
}
