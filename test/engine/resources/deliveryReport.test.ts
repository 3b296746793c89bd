import { checkOperations } from './operationChecks';

checkOperations({
  resource: 'deliveryReport',
  cases: {
    pull: {
      full: { parameters: { count: 1 }, body: () => ({ count: 1 }) },
      records: () => [
        expect.objectContaining({
          event: 'deliveryReport',
          status: expect.any(String),
          time_iso: expect.stringMatching(/Z$/),
        }),
      ],
    },
  },
});
