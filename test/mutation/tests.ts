/**
 * All tests that run against each mutant, in one file. Loading n8n's engine takes longer than most tests,
 * and every further file would load it again for each of some 1,200 mutants.
 */
// Loaded before the tests: code that runs only when a module loads then has no test, and is left out.
jest.requireActual('../../dist/nodes/SmsMessagingService/sending/send');

for (const name of [
  'n8n/tools',
  'operations/runner',
  'parameters/phoneNumbers',
  'parameters/templateParameters',
  'sending/divide',
  'sending/idempotencyKeys',
  'sending/idempotencyKeyStore',
  'sending/ledger',
  'sending/mergeDuplicates',
  'sending/pace',
  'sending/plan',
  'sending/receipt',
  'sending/refusedRequests',
  'sending/retry',
  'sending/settle',
  'sending/submit',
  'sending/unusableInput',
  'service/connection',
  'service/signing',
]) {
  describe(name, () => {
    jest.requireActual(`../engine/${name}.test`);
  });
}
