/**
 * The tests that have to find the mutants. They are one file, because Stryker runs them for each
 * mutant: each additional file would load n8n's engine again, which takes longer than most tests.
 */
// Loaded before the tests, so that Stryker can tell code that runs on loading from code that runs in
// a test. It leaves out the mutants of code that runs on loading (`ignoreStatic`).
jest.requireActual('../../dist/nodes/SmsMessagingService/sending/send');

for (const name of [
  'signing',
  'outcomes',
  'idempotencyKeys',
  'retry',
  'divide',
  'phoneNumbers',
  'notStarted',
  'refusedRequests',
  'sending',
  'sendingTwice',
  'templateParameters',
  'tools',
]) {
  describe(name, () => {
    jest.requireActual(`../engine/${name}.test`);
  });
}
