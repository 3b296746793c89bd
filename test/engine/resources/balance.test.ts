import { balanceIn, getBalance } from '../../../nodes/SmsMessagingService/resources/balance';
import { checkOperations } from './operationChecks';

checkOperations({
  resource: 'balance',
  cases: {
    get: {
      full: { parameters: {}, body: () => ({}) },
      // Guess: balance-unit
      records: (_, gateway) => [
        { code: 0, msg: expect.any(String), balance: gateway.state.balance },
      ],
    },
  },
});

// Guess: balance-place
test('is found under data, too', () => {
  const answer = { code: 0, msg: 'ok', data: { balance: '12' } };
  expect(balanceIn(answer)).toBe(12);
  expect(getBalance.records(answer)).toMatchObject([{ balance: '12' }]);
});
