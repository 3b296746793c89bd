import { setImmediate } from 'node:timers/promises';
import { startGateway } from '../../sandbox/gateway';
import type { Gateway } from '../../sandbox/gateway';
import { createHarness } from '../../kit/engine';
import { useGatewayPerTest } from '../../kit/engine/gateway';
import type { Poller } from '../../kit/engine/poller';
import { REPORTS_ONLY } from '../../kit/engine/pulls';

/** The service returns each record once, so an account has one trigger for each event. */

const { gateway, createPoller, execute, restart, poll, publish } = useGatewayPerTest();

/** Further accounts, of one test. */
const others: Gateway[] = [];

async function startOther() {
  const other = await startGateway({ apiKey: 'other' });
  others.push(other);
  return other;
}

afterEach(async () => {
  await Promise.all(others.splice(0).map(async (other) => await other.close()));
});

describe('a second trigger for the same account', () => {
  const first = (options = {}) => publish({}, { workflowName: 'Inbox', ...options });

  // Guess: two-triggers
  test('cannot be published, and the error names the workflow of the first', async () => {
    const inbox = await first();
    gateway.queueReplies(2);
    await expect(publish({ events: ['reply'] })).rejects.toMatchObject({
      // n8n shows only the message here, so the remedy is in it.
      message:
        'The workflow "Inbox" already starts with the replies of this account. Delete the trigger in one of the two workflows, and call that workflow from the other with an Execute Sub-workflow node. The service hands out each record once, so only one trigger can have them',
      description: '',
    });
    await inbox.tick();
    expect(inbox.executions.flat()).toHaveLength(2);
  });

  test('cannot be published when an older version of the first is closed after a newer one was opened', async () => {
    const older = await first({ workflowId: 'inbox' });
    await first({ workflowId: 'inbox' });
    await older.deactivate();
    await expect(publish({})).rejects.toThrow('"Inbox" already starts');
  });

  test('cannot be published when n8n has opened the first again while it closed an older version', async () => {
    gateway.queueReplies(1);
    const options = { workflowId: 'opened-again' } as const;
    const newer: Poller[] = [];
    const onExecution = async (items: object[]) => {
      // What is saved at the end starts no execution.
      if (items.length > 0) return;
      newer.push(createPoller({}, { ...options, workflowName: 'Inbox' }));
      await setImmediate();
    };
    const older = await publish({ options: { repeatFailed: true } }, { ...options, onExecution });
    await older.deactivate();
    await newer[0]?.activate();
    await expect(publish({})).rejects.toThrow('"Inbox" already starts');
  });

  test('for two events that two others have names one of them', async () => {
    const holding = async (event: string, workflowName: string) => {
      const options = { workflowId: workflowName, workflowName } as const;
      await publish({ events: [event] }, options);
    };
    await holding('reply', 'Replies');
    await holding('deliveryReport', 'Reports');
    await expect(publish({}, { workflowId: 'third' })).rejects.toThrow(
      'The workflow "Reports" already starts with the delivery reports of this account. Delete the trigger',
    );
  });

  test('can be published when the first is gone, or has other events, or could not be published', async () => {
    const inbox = await first();
    await inbox.deactivate();
    const second = await publish({}, { workflowId: 'second' });
    // Published again with one event only: the other event is free.
    const changed = await publish(REPORTS_ONLY, { workflowId: 'second' });
    await first({ workflowId: 'third' }).catch(() => undefined);
    const replies = await publish({ events: ['reply'] });
    expect([second, changed, replies].flatMap(({ errors }) => errors)).toEqual([]);
  });

  test('can be published where another process has the first, and this one only polls it', async () => {
    await poll({}, { workflowId: 'elsewhere', isRegistered: false });
    await first();
  });

  test('can be published after a first one whose publication failed', async () => {
    gateway.fault({ kind: 'businessCode', code: 7, times: 2 });
    await expect(first()).rejects.toThrow('code 7');
    await publish({});
  });

  test('with another account can be published', async () => {
    await first();
    const other = await startOther();
    await (await createHarness(other.credential())).publish({});
    // At the same address, where the service does not know the key.
    const third = await createHarness({ ...gateway.credential(), apiKey: 'x' });
    await expect(third.publish({})).rejects.toThrow('code 1001');
  });

  test('by a change of its credential pulls nothing, and frees the account that it had', async () => {
    // Only behind a path does a slash at the end make another text.
    await restart({ prefix: '/sms' });
    const other = await startOther();
    let credential: object = other.credential();
    const getCredentials = async <T extends object>() => credential as T;
    const inbox = await first();
    const second = await publish({}, { getCredentials });
    // The same account, written in another way.
    const { baseUrl, ...same } = gateway.credential();
    credential = { ...same, baseUrl: `${String(baseUrl)}/` };
    gateway.queueReports(10);
    gateway.queueReplies(10);
    await second.tick();
    expect(second.executions).toEqual([]);
    await inbox.tick();
    expect(inbox.executions.flat()).toHaveLength(20);
    expect(second.errors.map(({ message }) => message)).toEqual([
      'The workflow "Inbox" already starts with the delivery reports and replies of this account',
    ]);
    await publish({}, { getCredentials: async <T extends object>() => other.credential() as T });
  });

  test('in the same workflow gets advice that fits', async () => {
    const workflowId = 'with-two-triggers';
    await first({ workflowId, node: { id: 'node-1', name: 'Inbox trigger' } });
    // n8n before 2.40 lets a workflow have two nodes with one ID, and registers both.
    const twin = { workflowId, node: { id: 'node-1', name: 'Replies' } };
    const { errors } = await publish({ events: ['reply'] }, twin);
    expect(errors).toMatchObject([
      {
        message: 'The trigger "Inbox trigger" already starts with the replies of this account',
        description: expect.stringMatching(/^Remove one of the two triggers, .* pulls nothing /),
      },
    ]);
  });

  test('a Pull operation shows a hint, because it takes records from the trigger', async () => {
    await first();
    const pull = { resource: 'reply', operation: 'pull', count: 1 };
    const { hints } = await execute(pull, [{}, {}]);
    expect(hints).toEqual([
      expect.stringContaining('"Inbox" starts with the replies of this account'),
    ]);
  });
});
