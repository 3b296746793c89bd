/**
 * What the mutants have to get past, as one file: to load n8n's engine takes longer than most tests,
 * and a file of its own would load it anew, for each of some 900 mutants.
 */
// Loaded before the tests, so that what a module does when it is loaded counts as that: it is left out.
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
  'service/signing',
]) {
  describe(name, () => {
    jest.requireActual(`../engine/${name}.test`);
  });
}
