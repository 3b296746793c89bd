import { PERSONALITIES } from '../sandbox/personalities';
import { meet } from './campaign';
import { CAPABILITIES } from './capabilities';
import { settingsFor } from './settings';

test.each(PERSONALITIES.map(({ name }) => name))('first contact with %s', async (name) => {
  for (const { capability, settings } of await meet([name], CAPABILITIES)) {
    expect({ [capability.name]: settings }).toEqual({
      [capability.name]: settingsFor([name], capability).map((setting) => setting.name),
    });
  }
});

test('few-recipients: a hint names Batch Size, and then no request is refused', async () => {
  const sends = CAPABILITIES.filter(({ group }) => group === 'Sends');
  for (const { hint } of await meet(['few-recipients'], sends)) {
    expect(hint).toMatch(
      /^The service refused a request with 25 messages, .* Set 'Batch Size' to 6,/,
    );
  }
});
