import type { IDataObject, INodeExecutionData, INodeType } from 'n8n-workflow';

/** The loop that most nodes for SMS are, n8n's own Twilio node among them: one item, one awaited request. */
export const sequentialLoop: INodeType = {
  description: {
    displayName: 'Sequential Loop',
    name: 'sequentialLoop',
    group: ['output'],
    version: 1,
    description: 'Sends one request per item, one after the other',
    defaults: {},
    inputs: ['main'],
    outputs: ['main'],
    credentials: [{ name: 'smsMessagingServiceApi', required: true }],
    properties: [
      { displayName: 'URL', name: 'url', type: 'string', default: '' },
      { displayName: 'Phone Number', name: 'phoneNumber', type: 'string', default: '' },
      { displayName: 'Parameters', name: 'params', type: 'json', default: '{}' },
    ],
  },
  async execute() {
    const output: INodeExecutionData[] = [];
    for (let item = 0; item < this.getInputData().length; item++) {
      const message = {
        phone_number: this.getNodeParameter('phoneNumber', item),
        params: this.getNodeParameter('params', item),
      };
      const json = (await this.helpers.httpRequestWithAuthentication.call(
        this,
        'smsMessagingServiceApi',
        {
          method: 'POST',
          url: this.getNodeParameter('url', item) as string,
          body: { template_id: 301, sms_sign_id: 201, messages: [message] } as IDataObject,
          json: true,
        },
      )) as IDataObject;
      output.push({ json, pairedItem: { item } });
    }
    return [output];
  },
};
