/** From an n8n with the package and nothing else to inbox, opt-outs and a campaign, by clicks (desk/README.md). */
import type { INode } from 'n8n-workflow';

import { asNew, type Listed } from '../../test/e2e/lib/asNew';
import type { WorkflowFile } from '../../test/kit/n8n/client';
import { deskNames, readDesk, withFields } from '../../test/kit/workflows/workflowFiles';
import { pictureFile } from '../../test/kit/n8n/paths';
import { setRules } from '../kit/publishOutbox';
import { deskKey, installDesk, storeIn, type Tables } from '../kit/store';
import { expect, test } from '../../test/e2e/lib/test';
import { NewUser } from '../../test/e2e/browser/newUser';

/** What desk/README.md promises: clicks and typed fields. The command is one. */
const MAX_ACTIONS = 29;

test('A running campaign in 29 actions', async ({
  browser,
  client,
  database,
  editor,
  openAccount,
}) => {
  test.setTimeout(10 * 60_000);
  const { gateway } = await openAccount();
  await asNew(client);
  const user = new NewUser(editor);
  const { page } = editor;
  await page.goto(client.url);

  await user.click('Settings', page.getByTestId('main-sidebar-settings'));
  await user.click('n8n API', page.getByText('n8n API', { exact: true }).first());
  await user.click('Create API key', page.getByRole('button', { name: 'Create API key' }));
  const form = page.getByTestId('createOrEditApiKey-modal');
  await user.type('Label', form.getByTestId('api-key-label').locator(INPUT), 'SMS');
  const made = page.waitForResponse(
    (response) => response.request().method() === 'POST' && response.url().endsWith('/api-keys'),
  );
  await user.click('Save', form.getByRole('button', { name: 'Save' }));
  const { data } = (await (await made).json()) as { data: { rawApiKey: string } };
  await user.click('Copy the key', page.getByRole('button', { name: 'Copy', exact: true }));
  await user.createCredential(client.url, 'SMS Messaging Service API', {
    baseUrl: gateway.baseUrl,
    apiKey: gateway.apiKey,
    apiSecret: gateway.apiSecret,
  });
  // Its credential is made once, as that of any database.
  const { tables } = await storeIn(client, database);
  user.did('run the command "npm run desk"');
  const said = await installDesk(client, data.rawApiKey);
  const [, username = '', password = ''] = /“SMS desk: pages”: (\S+) {3}(\S+) /.exec(said) ?? [];
  await allowEveryHour(tables);

  // Without n8n's login: a marketer has none.
  const context = await browser.newContext({ httpCredentials: { username, password } });
  const marketer = await context.newPage();
  await user.goTo(marketer, `${client.url}/form/sms-campaign-form`);
  user.did('type the user', 'type the password', 'click Sign in');
  await user.type('Name', marketer.getByLabel('Name of the campaign'), 'Summer');
  user.did('click the button of the file');
  const lines = [
    '手机号,name,order,date',
    '13810000901,Li Lei,A-1,June 3',
    '13810000902,王芳,A-2,June 3',
  ];
  const buffer = Buffer.from(lines.join('\n'));
  await marketer
    .locator('input[type=file]')
    .setInputFiles({ name: 'customers.csv', mimeType: 'text/csv', buffer });
  user.did('choose the file');
  await user.click('Next', marketer.getByRole('button', { name: 'Next' }));
  await user.choose('Template', marketer.getByLabel('Template'), /\(302\)/);
  await user.click('Show', marketer.getByRole('button', { name: 'Show what will happen' }));
  await user.click('Start', marketer.getByRole('button', { name: 'Start', exact: true }));
  await user.click('Send', marketer.getByRole('button', { name: 'Send to 2 people' }));
  await expect
    .poll(() => [...gateway.deliveries()].toSorted(), { timeout: 240_000 })
    .toEqual([
      ['13810000901', 1],
      ['13810000902', 1],
    ]);
  await marketer.screenshot({ path: pictureFile('set-up campaign') });
  await context.close();

  gateway.state.reply({ phoneNumber: '13810000902', content: 'TD' });
  await expect
    .poll(() => tables.rows('sms.opt_outs'), { timeout: 240_000 })
    .toMatchObject([{ phone_number: '13810000902' }]);
  await expect
    .poll(() => tables.rows('sms.inbox', { event: 'deliveryReport' }), { timeout: 240_000 })
    .toHaveLength(2);
  user.tell();
  expect(user.actions.length).toBeLessThanOrEqual(MAX_ACTIONS);
  editor.expectNoErrors();
});

test('npm run desk imports, updates, keeps and removes', async ({
  client,
  database,
  openAccount,
}) => {
  await asNew(client);
  await openAccount();
  await storeIn(client, database);
  const rawApiKey = await deskKey(client);
  const said = await installDesk(client, rawApiKey, '--timezone', 'Europe/Berlin');
  expect(said).toMatch(/^new +SMS · Inbox$/m);
  expect(said).toMatch(/^new +SMS · Outbox$/m);
  expect(said).toMatch(/“SMS desk: pages”: sms {3}\S{24} /);
  expect(said).toMatch(/“SMS desk: push”: X-Key {3}\S{24} /);
  expect(said).not.toContain(rawApiKey);
  const names = deskNames().map((name) => readDesk(name).name);
  const count = async () => {
    const all = await client.call<Listed[]>('GET', '/rest/workflows');
    return all.filter(({ name }) => names.includes(name));
  };
  const once = await count();
  expect(once.map(({ tags }) => tags.map(({ name }) => name))).toEqual(
    once.map(() => ['SMS desk']),
  );
  const idOf = (name: string) => once.find((each) => each.name === name)?.id ?? '';
  expect(await client.call('GET', `/rest/workflows/${idOf('SMS · Inbox')}`)).toMatchObject({
    settings: { timezone: 'Europe/Berlin', errorWorkflow: idOf('SMS · Dashboard and status') },
  });
  // Its owner sets something and unpublishes one, breaks one, and copies one with its tag. An earlier desk had another.
  const change = async (name: string, change: (node: INode) => object) => {
    const path = `/rest/workflows/${idOf(name)}`;
    const workflow = await client.call<WorkflowFile>('GET', path);
    const nodes = workflow.nodes.map((node) => ({ ...node, ...change(node) }));
    await client.call('PATCH', path, { ...workflow, nodes });
  };
  const set = withFields(readDesk('campaign'), 'Settings', { portion_size: 500 });
  const own = set.nodes.find(({ name }) => name === 'Settings')?.parameters;
  await change('SMS · Campaign: send', ({ name }) =>
    name === 'Settings' ? { parameters: own } : {},
  );
  await client.call('POST', `/rest/workflows/${idOf('SMS · Campaign: send')}/deactivate`);
  await change('SMS · Dashboard and status', ({ name }) =>
    name === 'Page' ? { disabled: false, parameters: {} } : {},
  );
  const desk = once[0]?.tags[0]?.id ?? '';
  const copy = {
    ...(await client.call<WorkflowFile>('GET', `/rest/workflows/${idOf('SMS · Watchdog')}`)),
  };
  delete copy.id;
  await client.call('POST', '/rest/workflows', {
    ...copy,
    name: 'SMS · Watchdog copy',
    tags: [desk],
  });
  const gone = { name: 'SMS · Gone', nodes: [], connections: {}, tags: [desk] };
  const { id } = await client.call<Listed>('POST', '/rest/workflows', gone);
  const [note] = set.nodes.filter(({ name }) => name === 'About');
  const nodes = [{ ...note, notes: `sms-gone in ${id}` }];
  await client.call('PATCH', `/rest/workflows/${id}`, { ...gone, nodes });

  const planned = await installDesk(client, rawApiKey, '--dry-run');
  expect(planned).toMatch(/^delete +SMS · Gone$/m);
  expect(planned).toMatch(/^unchanged +SMS · Inbox {3}/m);
  const again = await installDesk(client, rawApiKey);
  expect(again).toContain(planned);
  expect(again).toMatch(/^update +SMS · Dashboard and status {3}/m);
  expect(again).toMatch(/^\w+ +SMS · Campaign: send .*portion_size 500.*stays unpublished/m);
  expect(again).not.toContain('copy');
  expect(again, 'a login is made once').not.toContain('New credential');
  expect(await count(), 'importing again replaces').toHaveLength(once.length);
  const [campaign] = (await count()).filter(({ name }) => name === 'SMS · Campaign: send');
  const after = await client.call<WorkflowFile>('GET', `/rest/workflows/${campaign?.id}`);
  expect(JSON.stringify(after.nodes)).toMatch(/"portion_size"[^}]*"value":500/);
  expect(after.settings?.timezone).toBe('Europe/Berlin');
  const all = await client.call<Listed[]>('GET', '/rest/workflows');
  expect(all.map(({ name }) => name)).toContain('SMS · Watchdog copy');
  expect(all.map(({ name }) => name)).not.toContain('SMS · Gone');

  // n8n gives them IDs of its own.
  const inbox = await client.call<WorkflowFile>('GET', `/rest/workflows/${idOf('SMS · Inbox')}`);
  const { parameters } = inbox.nodes.find(({ name }) => name === 'Serve the subscribers') ?? {};
  expect(parameters).toMatchObject({ workflowId: { value: idOf('SMS · Inbox: serve') } });
});

const INPUT = 'xpath=descendant-or-self::input';

/** So that no test depends on its hour. The outbox makes the table with its own rules when it is published. */
async function allowEveryHour(tables: Tables): Promise<void> {
  await expect
    .poll(() => tables.rows('sms.rules').catch(() => []), { timeout: 120_000 })
    .not.toEqual([]);
  await setRules(tables, { class: 'notice' }, { class: 'marketing' });
}
