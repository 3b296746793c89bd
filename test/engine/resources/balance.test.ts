import { checkOperations } from './operationChecks';

checkOperations({
  resource: 'balance',
  cases: {
    get: {
      operationId: 'balance.get',
      full: { parameters: {}, body: () => ({}) },
      // Guess: balance-unit
      records: (_, gateway) => [
        { code: 0, msg: expect.any(String), balance: gateway.state.balance },
      ],
    },
  },
});
