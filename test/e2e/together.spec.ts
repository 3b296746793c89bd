/** All workflows of the desk beside each other: one n8n, one account, connected as desk/README.md says. */
import type { IDataObject } from 'n8n-workflow';

import { publishCaller } from './lib/callers';
import { itemsOf, type N8nClient, type Workflow } from './lib/client';
import { DataTables } from './lib/dataTables';
import { executionsOf, RECORDS } from './lib/inbox';
import { startSmtp } from './lib/smtp';
import { expect, test } from './lib/test';
import { connectAll } from './lib/together';
import { WEBHOOK_KEY, WITH_KEY } from './lib/webhookKey';

const RECIPIENTS = 120;
const TEXTS = ['TD', '退订', '1', '2', 'When will it arrive?', '谢谢', ' td。', 'R'];

test('All at once: each record, each subscriber, once', async ({ client, openAccount }) => {
  test.setTimeout(8 * 60_000);
  const { gateway, credential } = await openAccount({ balance: 100_000 });
  const smtp = await startSmtp();
  try {
    const tables = new DataTables(client);
    await tables.remove();
    await tables.createShared();
    const always = { from_hour: 0, to_hour: 24, outside_hours: 'refuse', per_hour: 0, per_day: 0 };
    const rules = ['code', 'notice', 'marketing', 'all'];
    await tables.insert(
      'sms_rules',
      rules.map((name) => ({ ...always, class: name, check_opt_outs: true })),
    );
    const credentials = [
      credential,
      await client.createCredential('Header Auth account', 'httpHeaderAuth', WEBHOOK_KEY),
      await client.createCredential('Login', 'httpBasicAuth', {
        user: 'ops',
        password: 'together-1',
      }),
      await client.createCredential('Mail', 'smtp', smtp.credential),
    ];
    const { workflow } = await connectAll(client, gateway, credentials, (_, file) => ({
      ...file,
      // What a subscriber got is read from its executions.
      settings: { executionOrder: 'v1' },
    }));
    const numbers = (from: number) =>
      Array.from({ length: RECIPIENTS }, (_, index) =>
        String(13_900_000_000 + from + index * 10 + 5),
      );

    // Orders and a code of a shop, and a campaign with numbers of its own.
    const people = (from: number) =>
      numbers(from).map((phone, index) => ({
        phone,
        name: `C ${index}`,
        order: `${from}-${index}`,
        date: 'June 3',
      }));
    const shop = await publishCaller(client, workflow('outbox'));
    const ids = { source: 'Shop', template_id: '302', signature_id: '202' };
    const orders = people(0).map(({ phone, ...parameters }) => ({ ...ids, phone, parameters }));
    const code = { ...ids, template_id: '301', signature_id: '201', class: 'code' };
    await Promise.all([
      shop(orders),
      shop([{ ...code, phone: '13900900015', parameters: { code: '123456', minutes: '5' } }]),
    ]);
    await client.callWebhook(
      'sms-campaign',
      { campaign: 'Spring', template_id: '302', recipients: people(100_000), start: true },
      WITH_KEY,
    );
    const all = 2 * RECIPIENTS + 1;
    await expect.poll(() => gateway.deliveries().size, { timeout: 240_000 }).toBe(all);

    numbers(0).forEach((phoneNumber, index) => {
      gateway.reply({ phoneNumber, content: TEXTS[index % TEXTS.length] ?? '' });
    });
    const events = async (event: string) =>
      (await tables.rows('sms_inbox')).filter((row) => row.event === event);
    const stored = async () =>
      (await events('deliveryReport')).length + (await events('reply')).length;
    await expect.poll(stored, { timeout: 240_000 }).toBe(all + RECIPIENTS);
    const newest = Math.max(...(await tables.rows('sms_inbox')).map(({ id }) => Number(id)));
    const cursors = async () => (await tables.rows('sms_subscribers')).map((row) => row.read_to);
    await expect.poll(cursors, { timeout: 180_000 }).toEqual([newest, newest]);

    expect([...gateway.deliveries().values()].every((count) => count === 1)).toBe(true);
    const idsOf = (rows: IDataObject[]) => rows.map(({ id }) => Number(id)).sort((a, b) => a - b);
    const replies = idsOf(await events('reply'));
    const reports = idsOf(await events('deliveryReport'));
    const wanted = {
      'ask-and-wait-replies': [...reports, ...replies].sort((a, b) => a - b),
      'campaign-reports': reports,
    };
    for (const [name, rows] of Object.entries(wanted)) {
      expect(idsOf(await gotBy(client, workflow(name))), name).toEqual(rows);
    }

    // What they made of it.
    const count = async (table: string, column: string) => {
      const counts: Record<string, number> = {};
      for (const row of await tables.rows(table)) {
        counts[String(row[column])] = (counts[String(row[column])] ?? 0) + 1;
      }
      return counts;
    };
    await expect.poll(() => count('sms_recipients', 'status')).toEqual({ delivered: RECIPIENTS });
    const stopWords = numbers(0).filter((_, index) =>
      ['TD', '退订', ' td。', 'R'].includes(TEXTS[index % TEXTS.length] ?? ''),
    );
    const listed = (await tables.rows('sms_opt_outs')).map((row) => row.phone_number);
    expect(listed.sort()).toEqual(stopWords.sort());
    expect(await count('sms_outbox', 'source')).toEqual({
      [workflow('campaign').name]: RECIPIENTS,
      Shop: RECIPIENTS + 1,
    });
  } finally {
    await client.deactivateAll();
    await smtp.close();
  }
});

/** The rows that the inbox has handed to a workflow, in all its executions. */
async function gotBy(client: N8nClient, workflow: Workflow): Promise<IDataObject[]> {
  const executions = await executionsOf(client, workflow);
  return executions
    .flatMap((each) => itemsOf(each, RECORDS))
    .map(({ json }) => json)
    .filter(({ event }) => event !== undefined);
}
