/** What the service says is stored for the pages, which ask nobody: so each comes at once, also while it hangs. */
import { DateTime } from 'luxon';

import { deskNames, readDesk } from '../../test/kit/workflows/workflowFiles';
import { runDesk, type Row } from './workflow';

const NOW = DateTime.fromISO('2026-07-01T12:00:00Z') as DateTime;

const isSms = ({ type }: { type: string }) => type.endsWith('.smsMessagingService');

/** The nodes that a node leads to, with itself. */
function reachedFrom(file: string, start: string): string[] {
  const { connections } = readDesk(file);
  const found = new Set([start]);
  for (const name of found)
    for (const { node } of (connections[name]?.main ?? []).flat().filter((each) => each !== null))
      found.add(node);
  return [...found];
}

/** The pages: workflow, and the node that starts when one is opened. */
const pages = deskNames().flatMap((file) =>
  readDesk(file)
    .nodes.filter(({ type, parameters }) => type.endsWith('.webhook') && !parameters.httpMethod)
    .map(({ name }) => [file, name] as const),
);

test.each(pages)('%s: “%s” asks nobody', (file, start) => {
  const reached = reachedFrom(file, start);
  const nodes = readDesk(file).nodes.filter(({ name }) => reached.includes(name));
  expect(nodes.filter(isSms).map(({ name }) => name)).toEqual([]);
  for (const { parameters } of nodes) {
    const { value } = (parameters.workflowId ?? {}) as { value?: string };
    if (value === undefined) continue;
    // As a page calls it, naming nothing.
    const called = value.replace('sms-', '');
    const { nodes: all } = readDesk(called);
    const trigger = all.find(({ type }) => type.endsWith('.executeWorkflowTrigger'));
    const ran = runDesk(
      called,
      String(trigger?.name),
      {},
      {
        ...{ tables: {}, now: NOW },
        given: { 'Tables that exist': [{}] },
      },
    );
    expect(all.filter((each) => each.name in ran && isSms(each))).toEqual([]);
  }
});

describe('what the service said', () => {
  const ask = (service: Row[], given: Record<string, Row[]>, now: DateTime) => {
    runDesk('service', 'Every 5 minutes', {}, { tables: { 'sms.service': service }, given, now });
    return Object.fromEntries(service.map(({ what, ...row }) => [what, row]));
  };
  const good = {
    Balance: [{ balance: '12.5' }],
    'All templates': [
      { id: 302, name: 'T' },
      { id: 303, name: 'cut\ud83d\0' },
    ],
    'All signatures': [{}],
  };

  test('stays, with its time, while there is no answer', () => {
    const table: Row[] = [];
    const first = NOW.toISO();
    const said = { asked: first, answered: first, error: '' };
    expect(ask(table, good, NOW)).toMatchObject({
      balance: { ...said, balance: 12.5 },
      template: { ...said, records: '[{"id":302,"name":"T"},{"id":303,"name":"cut\ufffd"}]' },
      signature: { ...said, records: '[{}]' },
    });
    const later = NOW.plus({ minutes: 5 });
    const asked = later.toISO();
    const failed = { Balance: [{ error: 'No answer within 30000 ms' }] };
    expect(ask(table, failed, later)).toMatchObject({
      balance: { asked, answered: first, balance: 12.5, error: 'No answer within 30000 ms' },
      // Who does not answer is not asked for more.
      template: said,
    });
    const half = { ...good, 'All templates': [{ error: 'HTTP 500' }] };
    expect(ask(table, half, later)).toMatchObject({
      balance: { answered: asked, error: '' },
      template: {
        asked,
        answered: first,
        error: 'HTTP 500',
        records: '[{"id":302,"name":"T"},{"id":303,"name":"cut\ufffd"}]',
      },
      signature: { answered: asked },
    });
  });

  test('keeps the names, also of what the service has no more', () => {
    const templates: Row[] = [{ kind: 'template', record_id: '301', name: 'Old', content: 'o' }];
    const tables = { 'sms.service': [], 'sms.templates': templates };
    const all = [
      { id: 302, name: 'T', content: 'Hi' },
      { id: 303 },
      { id: 302, name: 'T', content: 'Hi' },
    ];
    const given = { ...good, 'All templates': all, 'All signatures': [{ id: 302, name: 'Shop' }] };
    runDesk('service', 'Every 5 minutes', {}, { tables, given, now: NOW });
    const names = templates.map(({ kind, record_id, name, content }) =>
      [kind, record_id, name, content].join(),
    );
    expect(names.sort()).toEqual([
      ...['signature,302,Shop,', 'template,301,Old,o', 'template,302,T,Hi', 'template,303,,'],
    ]);
  });
});
