import type { IDataObject, INodeExecutionData, INodeProperties, INodeType } from 'n8n-workflow';
import { BareClient } from './bareClient';
import { CREDENTIAL, templateSend } from './contestants';
import type { Person } from './contestants';

const describe = (
  displayName: string,
  description: string,
  properties: INodeProperties[],
): INodeType['description'] => ({
  displayName,
  name: displayName,
  group: ['output'],
  version: 1,
  description,
  defaults: {},
  inputs: ['main'],
  outputs: ['main'],
  credentials: [{ name: CREDENTIAL, required: true }],
  properties,
});

/** One request per item, one after the other. Most nodes for SMS work like this, such as Twilio. */
const sequentialLoop: INodeType = {
  description: describe('Sequential Loop', 'Sends one request per item, one after the other', [
    { displayName: 'URL', name: 'url', type: 'string', default: '' },
    { displayName: 'Phone Number', name: 'phoneNumber', type: 'string', default: '' },
    { displayName: 'Parameters', name: 'params', type: 'json', default: '{}' },
  ]),
  async execute() {
    const output: INodeExecutionData[] = [];
    for (let item = 0; item < this.getInputData().length; item++) {
      const phone = this.getNodeParameter('phoneNumber', item) as string;
      const params = this.getNodeParameter('params', item) as Person['params'];
      const json = (await this.helpers.httpRequestWithAuthentication.call(this, CREDENTIAL, {
        method: 'POST',
        url: this.getNodeParameter('url', item) as string,
        body: templateSend([{ phone, params }]),
        json: true,
      })) as IDataObject;
      output.push({ json, pairedItem: { item } });
    }
    return [output];
  },
};

/** Only the requests, with n8n's function for requests. Shows what that function costs. */
const bareRequests: INodeType = {
  description: describe('Bare Requests', 'Makes the same requests, and nothing else', [
    { displayName: 'Base URL', name: 'baseUrl', type: 'string', default: '' },
    { displayName: 'Page Size', name: 'pageSize', type: 'number', default: 0 },
  ]),
  async execute() {
    const baseUrl = this.getNodeParameter('baseUrl', 0) as string;
    const pageSize = this.getNodeParameter('pageSize', 0) as number;
    const client = new BareClient(async (path, body) =>
      this.helpers.httpRequestWithAuthentication.call(this, CREDENTIAL, {
        method: 'POST',
        url: baseUrl + path,
        body,
        json: true,
      }),
    );
    const persons = this.getInputData().map(({ json }) => json as Person);
    const done = pageSize > 0 ? await client.drain(pageSize) : await client.send(persons);
    return [[{ json: { done } }]];
  },
};

/** Node type → node that exists only for the bench. */
export const BENCH_NODES = {
  'bench.sequentialLoop': sequentialLoop,
  'bench.bareRequests': bareRequests,
};
