import fs from 'node:fs';
import path from 'node:path';
import { PERSONALITIES } from '../sandbox/personalities';
import { meet } from './campaign';
import type { Contact } from './campaign';
import { CAPABILITIES } from './capabilities';
import { SETTINGS, settingsFor } from './settings';
import { describeContacts } from './table';

const PAGE = path.join(__dirname, '../../docs/build/personalities.md');

const met = new Map<string, Contact[]>();

test('every setting is for a personality that exists', () => {
  const names = PERSONALITIES.map(({ name }) => name);
  expect(Object.keys(SETTINGS).filter((name) => !names.includes(name))).toEqual([]);
});

test.each(PERSONALITIES.map(({ name }) => name))('first contact with %s', async (name) => {
  const contacts = await meet([name], CAPABILITIES);
  met.set(name, contacts);
  for (const { capability, settings } of contacts) {
    expect({ [capability.name]: settings }).toEqual({
      [capability.name]: settingsFor([name], capability).map((setting) => setting.name),
    });
  }
});

test('docs/build/personalities.md shows what came of it', () => {
  const page = describeContacts(met);
  if (process.env.WRITE_DOCS) fs.writeFileSync(PAGE, page);
  expect(fs.readFileSync(PAGE, 'utf8')).toBe(page);
});
