import { checkOperations } from './operationChecks';

checkOperations({
  resource: 'reply',
  cases: {
    pull: {
      full: { parameters: { count: 1 }, body: () => ({ count: 1 }) },
      records: () => [expect.objectContaining({ event: 'reply', mobile: expect.any(String) })],
    },
  },
});
