import { CONTINUE, inPairs, people, useSendingGateway, TEMPLATE } from '../harness/sends';

/** Requests that fail. Every other fault is in faultMatrix.test.ts. */

const { gateway, execute } = useSendingGateway();

describe('a request that goes wrong', () => {
  // Guess: redirect
  test.each([
    [301, '/elsewhere', 'rejected'],
    [302, '/v2/sendsms/template/send', 'rejected'],
    [302, '/elsewhere', 'unknown'],
    [303, '/v2/sendsms/template/send', 'unknown'],
    [307, '/elsewhere', 'rejected'],
    [308, '/elsewhere', 'rejected'],
  ] as const)(
    'a redirect with HTTP %d to %s: the message is %s',
    async (status, location, outcome) => {
      gateway.fault({ kind: 'redirect', status, location: gateway.origin + location });
      const { json } = await execute(inPairs(), people(1), CONTINUE);
      expect(json).toMatchObject([{ status: outcome, http_status: status }]);
      expect(gateway.requests).toHaveLength(1);
    },
  );

  test('with the old setting Continue On Fail the outcome stays in the json of its item', async () => {
    gateway.fault({ kind: 'businessCode', code: 9000, msg: 'refused' });
    const { json } = await execute(TEMPLATE, people(1), { node: { continueOnFail: true } });
    expect(json).toMatchObject([{ status: 'rejected', error: expect.stringContaining('refused') }]);
  });
});
