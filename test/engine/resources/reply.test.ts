import { checkOperations } from './operationChecks';

checkOperations({
  resource: 'reply',
  cases: {
    pull: {
      operationId: 'reply.pull',
      isBatch: true,
      full: { parameters: { count: 1 }, body: () => ({ count: 1 }) },
      records: () => [expect.objectContaining({ event: 'reply', mobile: expect.any(String) })],
    },
  },
});
