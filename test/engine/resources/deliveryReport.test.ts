import { checkOperations } from './operationChecks';

checkOperations({
  resource: 'deliveryReport',
  cases: {
    pull: {
      operationId: 'deliveryReport.pull',
      isBatch: true,
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
