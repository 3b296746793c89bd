import { readExample } from '../kit/workflows/workflowFiles';
import { PHONE, SHIPPED, useTemplate } from './run';

const NODE = 'Send the SMS';

const { parameters } = readExample('first-sms').nodes.find(({ name }) => name === NODE) ?? {};

/** What the user enters, and with Check Only off, if it is. */
const choices = (phoneNumbers: string, isOff: boolean) => ({
  [NODE]: {
    ...SHIPPED,
    phoneNumbers,
    parameters: {
      mappingMode: 'defineBelow',
      value: { name: '李雷', order: 'A-1', date: '6月3日' },
    },
    options: { ...(parameters?.options as object), ...(isOff && { checkOnly: false }) },
  },
});

const START = 'Execute workflow';

/** What a user enters, what he switches off, and what he then has. */
const USERS: { what: string; phones: string; isOff: boolean; status: string; sent: number }[] = [
  { what: 'as it is imported', phones: PHONE, isOff: false, status: 'checked', sent: 0 },
  { what: 'Check Only off', phones: PHONE, isOff: true, status: 'accepted', sent: 1 },
  {
    what: 'a number as people write it',
    phones: `+86 ${PHONE}`,
    isOff: true,
    status: 'accepted',
    sent: 1,
  },
];

describe.each(USERS)('$what', ({ phones, isOff, status, sent }) => {
  const template = useTemplate('first-sms', choices(phones, isOff));

  test(`${status}, ${sent} on the phone at each press`, async () => {
    for (const nth of [1, 2]) {
      const { output } = await template.run(START, {});
      expect(output(NODE)).toMatchObject([{ status }]);
      expect(template.sentTo(PHONE)).toHaveLength(nth * sent);
    }
  });
});

describe.each([
  ['a number of ten digits', '1381000001', /not a mobile number/],
  ['a list of the whole team', `${PHONE}, 13810000011`, /has 2 messages, but .* is 1/],
])('%s', (_, phones, message) => {
  const template = useTemplate('first-sms', choices(phones, true));

  test('nothing is sent, and the node says why', async () => {
    const { error } = await template.run(START, {});
    expect(error).toMatch(message);
    expect(template.gateway.deliveries().size).toBe(0);
  });
});

describe('no number', () => {
  const template = useTemplate('first-sms', choices('', true));

  test('n8n asks for it', async () => {
    await expect(template.run(START, {})).rejects.toThrow('"Phone Numbers" is required');
  });
});
