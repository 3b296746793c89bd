import { byId } from '../harness/locators';
import { checkOperations } from './operationChecks';
import type { Item } from './operationChecks';

const sent = (item: Item) => ({
  status: 'accepted',
  batch_id: expect.any(String),
  code: 0,
  msg: expect.any(String),
  phone_numbers: [item.phone],
  count: expect.any(Number),
  sent: expect.any(Number),
});

checkOperations({
  resource: 'message',
  cases: {
    sendCustom: {
      operationId: 'message.sendCustom',
      path: '/sendsms/send',
      isBatch: true,
      full: {
        parameters: {
          signatureId: byId(201),
          phoneNumbers: '={{ $json.phone }}',
          content: 'hello',
          options: { phoneData: 'p', userData: 'u' },
        },
        body: ({ phone }) => ({
          sms_sign_id: 201,
          phone_numbers: [phone],
          content: 'hello',
          phone_data: 'p',
          user_data: 'u',
        }),
      },
      minimal: {
        parameters: {
          signatureId: byId(201),
          phoneNumbers: '={{ $json.phone }}',
          content: 'hello',
        },
        body: ({ phone }) => ({ sms_sign_id: 201, phone_numbers: [phone], content: 'hello' }),
      },
      records: (item) => [sent(item)],
    },
    sendTemplate: {
      operationId: 'message.sendTemplate',
      path: '/sendsms/template/send',
      isBatch: true,
      full: {
        parameters: {
          templateId: byId(301),
          signatureId: byId(201),
          phoneNumbers: '={{ $json.phone }}',
          parameterMode: 'json',
          parametersJson: '{"code":"1234","minutes":"5"}',
          options: { phoneData: 'p', userData: 'u' },
        },
        body: ({ phone }) => ({
          template_id: 301,
          sms_sign_id: 201,
          messages: [
            { phone_number: phone, params: { code: '1234', minutes: '5' }, phone_data: 'p' },
          ],
          user_data: 'u',
        }),
      },
      records: (item) => [sent(item)],
    },
  },
});
