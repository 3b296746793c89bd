/** The dashboard that an ops team keeps open. */
import { readFileSync } from 'node:fs';

import type { Page } from '@playwright/test';

import type { Workflow } from '../../test/kit/n8n/client';
import { BAD_TEMPLATE, makeDay, TEMPLATES } from '../kit/day';
import { readDesk } from '../../test/kit/workflows/workflowFiles';
import { pictureFile } from '../../test/kit/n8n/paths';
import { ATTACK, expectHarmless, expectLogin, expectNoBarriers, LOGIN } from '../kit/pages';
import { anyNode, chain } from '../../test/kit/n8n/workflow';
import { expect, test as base } from '../../test/e2e/lib/test';

/** What the status beside it asks. n8n publishes it only behind that. */
const CALLED = ['sms-inbox'];

interface Dashboard {
  address: string;
  workflow: Workflow;
  open(query?: string): Promise<Page>;
}

const test = base.extend<{ dashboard: Dashboard }>({
  /** Publishes the dashboard, without tables. */
  dashboard: async ({ client, openAccount, openPage, store }, use) => {
    const { credential: sms } = await openAccount();
    const login = await client.createCredential('Dashboard login', 'httpBasicAuth', LOGIN);
    for (const id of CALLED) {
      const start = anyNode('n8n-nodes-base.executeWorkflowTrigger', 1.1, 'Start', {
        inputSource: 'passthrough',
      });
      await client.publish(await client.importWorkflow({ ...chain(id, start), id }, []));
    }
    const workflow = await client.importWorkflow(readDesk('dashboard'), [
      login,
      sms,
      ...store.credentials,
    ]);
    await client.publish(workflow);
    const address = `${client.url}/webhook/sms-dashboard`;
    await use({ address, workflow, open: (query = '') => openPage(address + query) });
    await client.deactivate(workflow);
  },
});

test('No page has a barrier, in either language @shown', async ({ dashboard, store }) => {
  // A quiet day, and after it a bad one, which the picture of desk/README.md shows.
  const { tables } = store;
  const yesterday = new Date(Date.now() - 86_400_000);
  await tables.fill(makeDay({ now: yesterday, kind: 'quiet', seed: 3 }));
  await tables.fill(makeDay({ now: new Date(), kind: 'bad' }));
  await tables.insert('sms.templates', TEMPLATES);
  const first = await dashboard.open();
  const clip = { x: 0, y: 0, width: 1280, height: 1000 };
  await first.screenshot({ path: pictureFile('dashboard-laptop'), fullPage: true, clip });
  const queries = ['?numbers=1', `?template=${BAD_TEMPLATE}&status=failed`, '?row=o3000'];
  await expectNoBarriers(first, ...queries.map((query) => dashboard.address + query));
});

test('A file is saved, and no script works', async ({ client, dashboard, store }) => {
  await expectLogin(dashboard.address);
  const day = makeDay({ now: new Date() });
  const { tables } = store;
  await tables.fill(day);
  // Later than everything of the day, so that they come first.
  const attack = { phone_number: '13800000005', batch_id: 'none', time: new Date().toISOString() };
  await tables.insert('sms.inbox', [
    { ...attack, event: 'deliveryReport', status: 'REJECTD', status_desc: ATTACK },
    { ...attack, event: 'reply', content: ATTACK },
  ]);
  const page = await dashboard.open('?window=7d');
  await expectHarmless(page);
  expect(await client.executions(dashboard.workflow), 'no execution keeps the rows').toEqual([]);

  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'CSV file' }).click();
  const text = readFileSync(await (await downloading).path(), 'utf8');
  expect(text.trimEnd().split('\r\n')).toHaveLength(3 + day.sends.length + day.events.length);
  expect(text).toContain(ATTACK.replaceAll('"', '""'));

  // Were there a hole in the escaping, the policy of the page would still hold.
  let loads = 0;
  await page.route('**/sms-dashboard*', async (route) => {
    loads += 1;
    const response = await route.fetch();
    const body = (await response.text()).replace('</main>', `${ATTACK}</main>`);
    await route.fulfill({ response, body: body.replace('content="300"', 'content="1"') });
  });
  await page.goto(`${dashboard.address}?window=7d`);
  await expect(page.locator('script')).toHaveCount(1);
  await expect(page).toHaveTitle('SMS dashboard');
  await expect.poll(() => loads, 'the page loads itself anew').toBeGreaterThan(1);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});
