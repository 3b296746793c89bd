import { startGateway } from '../../sandbox/gateway';
import type { Gateway } from '../../sandbox/gateway';
import { createHarness } from '../harness';
import type { Harness } from '../harness';
import { gatewayPerTest } from '../harness/gateway';
import { REPORTS_ONLY } from '../harness/pulls';

/** The service returns each record once, so an account has one trigger for each event. */

let gateway: Gateway;
let createPoller: Harness['createPoller'];
let execute: Harness['execute'];

gatewayPerTest((world) => {
  ({ gateway, createPoller, execute } = world);
});

describe('a second trigger for the same account', () => {
  const first = (options = {}) =>
    createPoller({}, { workflowName: 'Inbox', activation: 'update', ...options });

  test('cannot be published, and the error names the workflow of the first', async () => {
    const inbox = first();
    await inbox.activate();
    gateway.queueReplies(2);
    const second = createPoller({ events: ['reply'] }, { activation: 'update' });
    await expect(second.activate()).rejects.toMatchObject({
      message: 'The workflow "Inbox" already starts with the replies of this account',
      description: expect.stringContaining('Let "Inbox" call this workflow'),
    });
    await inbox.tick();
    expect(inbox.executions.flat()).toHaveLength(2);
  });

  test('can be published when the first is gone, or has other events, or could not be published', async () => {
    const inbox = first();
    await inbox.activate();
    await inbox.deactivate();
    const second = createPoller({}, { activation: 'update', workflowId: 'second' });
    await second.activate();
    // Published again with one event only: the other event is free.
    const changed = createPoller(REPORTS_ONLY, {
      activation: 'update',
      workflowId: 'second',
    });
    await changed.activate();
    await first({ workflowId: 'third' })
      .activate()
      .catch(() => undefined);
    const replies = createPoller({ events: ['reply'] }, { activation: 'update' });
    await replies.activate();
    expect([second, changed, replies].flatMap(({ errors }) => errors)).toEqual([]);
  });

  test('can be published after a first one whose publication failed', async () => {
    gateway.fault({ kind: 'businessCode', code: 7, times: 10 });
    await expect(first().activate()).rejects.toThrow('code 7');
    await createPoller({}, { activation: 'update' }).activate();
  });

  test('with another account can be published', async () => {
    await first().activate();
    const other = await startGateway({ apiKey: 'other' });
    const { createPoller: createOther } = await createHarness(other.credential());
    await createOther({}, { activation: 'update' }).activate();
    await other.close();
  });

  test('that n8n activates at its start works, with one error', async () => {
    await first({ activation: 'init' }).activate();
    const second = createPoller({ events: ['reply'] }, { activation: 'init' });
    await second.activate();
    expect(second.errors.map(({ message }) => message)).toEqual([
      expect.stringContaining('"Inbox" already starts'),
    ]);
    gateway.queueReplies(1);
    await second.tick();
    expect(second.executions.flat()).toHaveLength(1);
    expect(second.errors).toHaveLength(1);
  });

  test('a Pull operation shows a hint, because it takes records from the trigger', async () => {
    await first().activate();
    const pull = { resource: 'reply', operation: 'pull', count: 1 };
    const { run } = await execute(pull, [{}, {}]);
    expect(run.data.resultData.runData.SMS?.[0]?.hints).toEqual([
      expect.objectContaining({
        message: expect.stringContaining('"Inbox" starts with the replies of this account'),
      }),
    ]);
  });
});
