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
