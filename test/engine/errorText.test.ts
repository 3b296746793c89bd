import { faultsOf } from '../kit/engine/errorText';

/** The look that the harness takes at the text of every error: what it finds, and what it lets pass. */

const GOOD = {
  message: '1 of 2 messages was not sent: The service rejected the request: busy (code 9)',
  description: "Check 'Name'. Is the address https://sms.example.com? If not, change it.",
};

test.each<[string, object]>([
  ['has no message', { message: undefined }],
  ['has a message of 161 characters', { message: 'x'.repeat(161) }],
  ['is one that n8n replaces', { message: 'The connection broke (ECONNRESET)' }],
  ['is one that n8n replaces', { description: 'Read: UpdatePermission.' }],
  ['names a missing value', { message: 'The code is undefined' }],
  ['names a missing value', { description: 'Look at [object Object].' }],
  ['counts nothing', { message: '1 refused, 0 unknown' }],
  ['counts nothing', { description: '0 of 4 were sent.' }],
  ['has a message with wrong punctuation', { message: 'It broke.' }],
  ['has wrong punctuation', { description: 'It broke.. Look.' }],
  ['has a description without an end', { description: 'Look' }],
  ['says twice "1 of 2 messages was"', { description: 'Look: 1 of 2 messages was lost.' }],
  ['has the same sentence twice', { description: 'Look. Ask. Look.' }],
])('%s: %j', (fault, change) => {
  expect(faultsOf({ ...GOOD, ...change })).toContain(fault);
});

test('the words of the service, and what is quoted, may be anything', () => {
  const msg = 'undefined .. 0 of 7 undefined .. 0 of 7.';
  expect(
    faultsOf({
      message: `The service rejected the request: ${msg.slice(0, -1)} (code 7)`,
      description: `'Phone Numbers' has "NaN ..", and no '..'.`,
      context: { service: { msg } },
    }),
  ).toEqual([]);
});
