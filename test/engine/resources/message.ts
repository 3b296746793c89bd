import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { MAX_OTHERS_LENGTH } from '../../../nodes/SmsMessagingService/service/messageBatch';
import type { World } from '../../kit/engine/gateway';
import { byId } from '../../kit/engine/locators';
import { CONTINUE, phone } from '../../kit/engine/sends';
import type { Cases, Item } from './cases';

const sent = (item: Item) => ({
  status: 'accepted',
  batch_id: expect.any(String),
  code: 0,
  msg: expect.any(String),
  phone_number: item.phone,
  phone_numbers: [item.phone],
  batch_count: expect.any(Number),
});

/**
 * Outcomes with further fields: with a warning, with parts, of an earlier try, of an equal message, of an
 * answer that says more, and of a check.
 */
async function otherOutcomes(
  { execute, gateway }: World,
  parameters: INodeParameters,
): Promise<IDataObject[]> {
  gateway.fault({ kind: 'acceptedFewer', acceptedCount: 1 });
  const fewer = await execute(
    parameters,
    [phone(1), phone(2)].map((number) => ({ phone: number })),
  );
  const options = { batchSize: 1, maxConcurrency: 1, duplicateNumbers: 'merge' };
  const items = [`${phone(3)},${phone(4)}`, phone(3), phone(5)].map((number) => ({
    phone: number,
  }));
  const run = { contextData: {}, ...CONTINUE };
  gateway.fault({ kind: 'businessCode', code: 9000, nth: 2, times: 2 });
  const parts = await execute({ ...parameters, options }, items, run);
  const again = await execute({ ...parameters, options }, items, run);
  const body = {
    code: 0,
    msg: 'ok',
    batch_id: 'b',
    count: 1,
    details: 'x'.repeat(MAX_OTHERS_LENGTH),
  };
  gateway.fault({ kind: 'wrongShape', body });
  const more = await execute(parameters, [{ phone: phone(7) }]);
  const check = await execute(
    { ...parameters, signatureId: byId(202), options: { checkOnly: true } },
    [{ phone: `${phone(6)}, none` }],
  );
  return [fewer, parts, again, more, check].flatMap(({ json }) => json);
}

// Guess: own-data
const OWN_DATA = { phoneData: 'p', userData: 'u' };

const CUSTOM = {
  signatureId: byId(201),
  phoneNumbers: '={{ $json.phone }}',
  content: 'hello',
};

const customBody = ({ phone: number }: Item) => ({
  sms_sign_id: 201,
  phone_numbers: [number],
  content: 'hello',
});

const TEMPLATE = {
  templateId: byId(301),
  // Guess: template-signature
  // The template has one of its own.
  signatureId: byId(''),
  phoneNumbers: '={{ $json.phone }}',
  parameterMode: 'json',
  parametersJson: '{"code":"1234","minutes":"5"}',
};

const templateMessage = ({ phone: number }: Item) => ({
  phone_number: number,
  params: { code: '1234', minutes: '5' },
});

export const message: Cases = {
  sendCustom: {
    full: {
      parameters: { ...CUSTOM, options: OWN_DATA },
      body: (item) => ({ ...customBody(item), phone_data: 'p', user_data: 'u' }),
    },
    minimal: { parameters: CUSTOM, body: customBody },
    records: (item) => [sent(item)],
    more: otherOutcomes,
  },
  sendTemplate: {
    full: {
      parameters: { ...TEMPLATE, signatureId: byId(201), options: OWN_DATA },
      body: (item) => ({
        template_id: 301,
        sms_sign_id: 201,
        messages: [{ ...templateMessage(item), phone_data: 'p' }],
        user_data: 'u',
      }),
    },
    minimal: {
      parameters: TEMPLATE,
      body: (item) => ({ template_id: 301, messages: [templateMessage(item)] }),
    },
    records: (item) => [sent(item)],
    more: otherOutcomes,
  },
};
