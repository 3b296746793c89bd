/** What the service says is stored for the pages, which ask nobody: so each comes at once, also while it hangs. */
import type { DateTime } from 'luxon';

import { NOW, runDesk, type Row } from './workflow';

test('what the service said stays, with its time, while there is no answer, and names always', async () => {
  const templates: Row[] = [{ kind: 'template', record_id: '301', name: 'Old', content: 'o' }];
  const tables = { 'sms.service': [] as Row[], 'sms.templates': templates };
  const ask = async (given: Record<string, Row[]>, now: DateTime) => {
    await runDesk('service', 'Every 5 minutes', {}, { tables, given, now });
    return Object.fromEntries(tables['sms.service'].map(({ what, ...row }) => [what, row]));
  };
  const named = { id: 302, name: 'T', content: 'Hi' };
  const good = {
    Balance: [{ balance: '12.5' }],
    'All templates': [named, { id: 303, name: 'cut\ud83d\0' }, { id: 304 }, named],
    'All signatures': [{}, { id: 302, name: 'Shop' }],
  };
  const said = { asked: NOW.toISO(), answered: NOW.toISO(), error: '' };
  const cut = [named, { id: 303, name: 'cut\ufffd' }, { id: 304 }, named];
  const template = { ...said, records: JSON.stringify(cut) };
  const signature = { ...said, records: JSON.stringify(good['All signatures']) };
  expect(await ask(good, NOW)).toMatchObject({
    balance: { ...said, balance: 12.5 },
    template,
    signature,
  });

  const later = NOW.plus({ minutes: 5 });
  const error = 'No answer within 30000 ms';
  const failed = { asked: later.toISO(), error };
  expect(await ask({ Balance: [{ error }] }, later)).toMatchObject({
    balance: { ...said, ...failed, balance: 12.5 },
    // Who does not answer is not asked for more.
    ...{ template, signature },
  });
  expect(await ask({ ...good, 'All templates': [{ error }] }, later)).toMatchObject({
    balance: { answered: later.toISO(), error: '' },
    template: { ...template, ...failed },
    signature: { answered: later.toISO() },
  });
  const names = templates.map(({ kind, record_id, name, content }) =>
    [kind, record_id, name, content].join(),
  );
  expect(names.sort()).toEqual([
    ...['signature,302,Shop,', 'template,301,Old,o', 'template,302,T,Hi'],
    ...['template,303,cut\ufffd,', 'template,304,,'],
  ]);
});
