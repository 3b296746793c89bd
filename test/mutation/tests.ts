/**
 * The tests that have to find the mutants. They are one file, because Stryker runs them for each
 * mutant: each additional file would load n8n's engine again, which takes longer than most tests.
 */

// Loaded before the tests, so that Stryker can tell code that runs on loading from code that runs in
// a test. It leaves out the mutants of code that runs on loading (`ignoreStatic`).
jest.requireActual('../../nodes/SmsMessagingService/sending/send');

for (const name of [
  'n8n/tools',
  'operations/runner',
  'parameters/idempotencyKey',
  'parameters/phoneNumbers',
  'parameters/templateParameters',
  'sending/backOff',
  'sending/check',
  'sending/divide',
  'sending/endpoint',
  'sending/idempotencyKeys',
  'sending/keyStore',
  'sending/sendLedger',
  'sending/messageLimit',
  'sending/options',
  'sending/pace',
  'sending/plan',
  'sending/receipt',
  'sending/settle',
  'sending/sender',
  'sending/send',
  'service/networkFailure',
  'service/signing',
]) {
  describe(name, () => {
    jest.requireActual(`../engine/${name}.test`);
  });
}
