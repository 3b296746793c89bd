import { readExample } from '../kit/workflows/workflowFiles';
import { PHONE, SHIPPED, useTemplate } from './run';

const NODE = 'Send the SMS';

const { options } =
  readExample('first-sms').nodes.find(({ name }) => name === NODE)?.parameters ?? {};

const parameters = {
  mappingMode: 'defineBelow',
  value: { name: '李雷', order: 'A-1', date: '6月3日' },
};

const template = useTemplate('first-sms', { [NODE]: { ...SHIPPED, parameters } });

/** Presses the button with this in the field, and with Check Only off, unless it is left on. */
const press = async (phoneNumbers: string, isOff = true) => {
  const off = { ...(options as object), checkOnly: false };
  template.choose({ [NODE]: { phoneNumbers, ...(isOff && { options: off }) } });
  return await template.run('Execute workflow', {});
};

/** What a user enters, what he switches off, and what is on the phone at each press. */
test.each([
  ['as it is imported', PHONE, false, 'checked', 0],
  ['Check Only off', PHONE, true, 'accepted', 1],
  ['a number as people write it', `+86 ${PHONE}`, true, 'accepted', 1],
])('%s', async (_, phones, isOff, status, sent) => {
  for (const nth of [1, 2]) {
    const { output } = await press(phones, isOff);
    expect(output(NODE)).toMatchObject([{ status }]);
    expect(template.sentTo(PHONE)).toHaveLength(nth * sent);
  }
});

test.each([
  ['a number of ten digits', '1381000001', /not a mobile number/],
  ['a list of the whole team', `${PHONE}, 13810000011`, /has 2 messages, but .* is 1/],
])('%s: nothing is sent, and the node says why', async (_, phones, message) => {
  expect((await press(phones)).error).toMatch(message);
  expect(template.gateway.deliveries().size).toBe(0);
});

test('no number: n8n asks for it', async () => {
  await expect(press('')).rejects.toThrow('"Phone Numbers" is required');
});
