/**
 * What the mutants have to get past, as one file: to load n8n's engine takes longer than most tests,
 * and a file of its own would load it anew, for each of some 900 mutants.
 */
// Loaded before the tests, so that what a module does when it is loaded counts as that: it is left out.
jest.requireActual('../../dist/nodes/SmsMessagingService/sending/send');

for (const name of [
  'service/signing',
  'sending/settle',
  'sending/idempotencyKeys',
  'sending/retry',
  'sending/divide',
  'parameters/phoneNumbers',
  'operations/runner',
  'sending/refusedRequests',
  'sending/send',
  'sending/sendingTwice',
  'parameters/templateParameters',
  'n8n/tools',
]) {
  describe(name, () => {
    jest.requireActual(`../engine/${name}.test`);
  });
}
