import type { IDataObject, INode } from 'n8n-workflow';
import { AGENTS } from '../../kit/engine/agents';
import type { AgentType } from '../../kit/engine/agents';
import { useGateway } from '../../kit/engine/gateway';
import { byId } from '../../kit/engine/locators';
import { since } from '../../kit/engine/since';

/** The node as a tool of an AI agent. */

const { gateway, callTool } = useGateway();

const fromAi = (name: string, type = 'string') => `={{ $fromAI('${name}', '', '${type}') }}`;

const SEND = {
  resource: 'message',
  operation: 'sendTemplate',
  templateId: byId(301, 'list'),
  signatureId: byId(fromAi('signature', 'number')),
  phoneNumbers: fromAi('phone'),
  parameters: {
    mappingMode: 'defineBelow',
    value: { code: fromAi('code'), minutes: '5' },
    schema: [{ id: 'code' }, { id: 'minutes' }],
  },
};

const call = (phone: string, code = '4821') => ({ phone, code, signature: 201 });

/**
 * Per agent, the first version of n8n-core that calls tools this way (`calls`), that applies Retry On
 * Fail to them (`tries`), and that tells the model of a failure (`failures`).
 */
const SINCE = {
  'test.chainAgent': { calls: '1.99', tries: '1.100', failures: '1.99' },
  'test.engineAgent': { calls: '1.112', tries: '1.112', failures: '2.25' },
} as const;

for (const agent of Object.keys(AGENTS) as AgentType[]) {
  since(SINCE[agent].calls).describe(`as a tool of a ${agent}`, () => describeTool(agent));
}

function describeTool(agent: AgentType) {
  const { tries, failures } = SINCE[agent];

  async function send(calls: IDataObject[], node: Partial<INode> = {}, parameters: object = {}) {
    return await callTool(agent, { ...SEND, ...parameters } as never, calls, { node });
  }

  test('sends the values of the model ($fromAI)', async () => {
    // The agent's own item has fields with the same names. They are not used.
    const answers = await callTool(agent, SEND as never, [call('13800138000')], {
      item: { phone: '13900139000', code: 'wrong' },
    });
    expect(answers).toEqual([
      { answer: [expect.objectContaining({ status: 'accepted', phone_numbers: ['13800138000'] })] },
    ]);
    expect(gateway.requests.map(({ body }) => body)).toEqual([
      {
        template_id: 301,
        sms_sign_id: 201,
        messages: [{ phone_number: '13800138000', params: { code: '4821', minutes: '5' } }],
      },
    ]);
  });

  since(failures).test(
    'tells the model which of its values is wrong, and sends the next call',
    async () => {
      const answers = await send([call('12'), call('13800138000')]);
      expect(answers).toEqual([
        { error: expect.stringMatching(/"12", which is not a mobile number.*Nothing was sent/) },
        { answer: [expect.objectContaining({ status: 'accepted' })] },
      ]);
    },
  );

  since(failures).test(
    'does not send a message again that may have been sent, by Retry On Fail or when the model calls again',
    async () => {
      gateway.fault({ kind: 'resetAfterAccept' });
      const { code, ...rest } = call('13800138000');
      const answers = await send(
        [call('13800138000'), { code, ...rest }, call('13800138000', 'other')],
        { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
      );
      expect(answers).toEqual([
        { error: expect.any(String) },
        { error: expect.any(String) },
        { answer: [expect.objectContaining({ status: 'accepted' })] },
      ]);
      expect(gateway.deliveries().get('13800138000')).toBe(2);
      expect(gateway.requests).toHaveLength(2);
    },
  );

  since(tries).test('Retry On Fail sends what certainly was not sent, and no more', async () => {
    gateway.fault({ kind: 'tooManyRequests', retryAfter: '0', nth: 2 });
    const answers = await send(
      [call('13800138000,13800138001')],
      { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
      { options: { batchSize: 1, maxConcurrency: 1, maxRetries: 0 } },
    );
    expect(answers).toMatchObject([{ answer: [{ status: 'accepted' }] }]);
    expect([...gateway.deliveries().values()]).toEqual([1, 1]);
  });

  if (agent === 'test.chainAgent') {
    test('lets a call wait for an equal one that is under way, and answers each truly', async () => {
      gateway.fault({ kind: 'slow', delayMs: 200, times: 2 });
      const calls = [1, 2].map(() => call('13800138000'));
      const answers = await callTool(agent, SEND as never, calls, { inParallel: true });
      expect(answers).toMatchObject(calls.map(() => ({ answer: [{ status: 'accepted' }] })));
      expect(gateway.deliveries().get('13800138000')).toBe(2);
      expect(gateway.maxInFlight).toBe(1);
    });

    test('counts the messages of calls at once together', async () => {
      const calls = [0, 1, 2, 3].map((index) => call(`1380013800${index}`));
      const limited = { ...SEND, options: { maxMessages: 3 } } as never;
      const answers = await callTool(agent, limited, calls, { inParallel: true });
      expect(answers.filter(({ answer }) => answer)).toHaveLength(3);
      expect(JSON.stringify(answers)).toContain('after 3 of this execution');
      expect(gateway.deliveries().size).toBe(3);
    });
  }
}
