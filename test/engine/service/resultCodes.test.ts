import type { IDataObject } from 'n8n-workflow';
import {
  CODE_LISTS,
  DEFAULT_CODES,
  meaningOfCode,
  readResultCodes,
} from '../../../nodes/SmsMessagingService/service/resultCodes';
import { createHarness } from '../harness';
import { useGateway } from '../harness/gateway';
import { people, TEMPLATE } from '../harness/sends';

/** Custom Result Codes of the credential. */

const codesOf = (fields: IDataObject) =>
  readResultCodes({ customResultCodes: true, ...fields } as never);

const successes = (fields: IDataObject) =>
  [...codesOf(fields).listed].flatMap(([code, meaning]) => (meaning === 'success' ? [code] : []));

test.each<[unknown, string[]]>([
  ['0', ['0']],
  [' 0 , 200 ', ['0', '200']],
  ['0，200、1000；OK', ['0', '200', '1000', 'ok']],
  ['0\n200\t1000', ['0', '200', '1000']],
  ['000,-1,0', ['0', '-1']],
  [200, ['200']],
  // Without one, nothing would ever succeed.
  ['', ['0']],
  [' ，', ['0']],
])('the success codes %p are %j', (successCodes, codes) => {
  expect(successes({ successCodes } as IDataObject)).toEqual(codes);
});

const DEFAULTS = {
  '0': 'success',
  '10004': 'empty',
  '10005': 'empty',
  '10007': 'throttled',
  '10008': 'throttled',
  '100': 'unclear',
};

test('the defaults hold while the switch is off, whatever is stored', () => {
  const stored = { successCodes: '200', unclearCodes: '0', otherCodes: 'unclear' };
  for (const customResultCodes of [false, undefined, 'true', 'false', 1]) {
    const { listed, others } = readResultCodes({ ...stored, customResultCodes } as never);
    expect([Object.fromEntries(listed), others]).toEqual([DEFAULTS, 'refused']);
  }
});

test('the defaults are what the form shows, and hold in fields that were never saved', () => {
  const shown = Object.values(CODE_LISTS).map(({ field, default: usual }) => [field, usual]);
  const { listed, others } = codesOf(Object.fromEntries(shown) as IDataObject);
  expect([Object.fromEntries(listed), others]).toEqual([DEFAULTS, 'refused']);
  expect(codesOf({})).toEqual(DEFAULT_CODES);
});

test('a list other than Success Codes may be empty', () => {
  const none = { emptyCodes: '', throttledCodes: ' ', unclearCodes: '' };
  expect([...codesOf(none).listed.keys()]).toEqual(['0']);
});

// Guess: code-type
test.each([
  [undefined, 'none'],
  [0, 'success'],
  ['0', 'success'],
  ['000', 'success'],
  ['OK', 'success'],
  ['ok', 'success'],
  [10004, 'empty'],
  ['0010007', 'throttled'],
  [100, 'unclear'],
  [-100, 'other'],
  ['1e2', 'other'],
  [7, 'other'],
])('the code %p is in the list %s', (code, meaning) => {
  expect(meaningOfCode(code, codesOf({ successCodes: '0, Ok' }))).toBe(meaning);
});

test.each<[IDataObject, string]>([
  [
    { emptyCodes: '7, 0' },
    "The credential has the code 0 in two lists: 'Success Codes' and 'Empty Codes'",
  ],
  // The default of an empty list counts.
  [
    { successCodes: '', unclearCodes: '00' },
    "The credential has the code 0 in two lists: 'Success Codes' and 'Unclear Codes'",
  ],
  [
    { throttledCodes: 'busy', unclearCodes: 'BUSY' },
    "The credential has the code busy in two lists: 'Too Fast Codes' and 'Unclear Codes'",
  ],
  [{ otherCodes: 'success' }, "The credential's 'Other Codes' must be refused or unclear"],
])('%j is an error', (fields, message) => {
  expect(() => codesOf(fields)).toThrow(message);
});

describe('in n8n', () => {
  const { gateway } = useGateway();

  const BALANCE = { resource: 'balance', operation: 'get' };

  const withCodes = async (fields: IDataObject) =>
    await createHarness({ ...gateway.credential(), customResultCodes: true, ...fields });

  test('a code in two lists is an error before any request', async () => {
    const { execute, testCredential } = await withCodes({ emptyCodes: '0' });
    expect((await execute(BALANCE)).error?.message).toContain('in two lists');
    expect((await testCredential()).status).toBe('Error');
    expect(gateway.requests).toHaveLength(0);
  });

  test('another code of success holds for every operation and the test of the credential', async () => {
    const { execute, testCredential } = await withCodes({ successCodes: '1000' });
    const answer = (body: unknown) =>
      gateway.fault({ kind: 'status', status: 200, body: body as object });
    answer({ code: 1000, msg: 'no', balance: 7 });
    expect((await execute(BALANCE)).json).toMatchObject([{ balance: 7 }]);
    answer({ code: 1000, msg: 'no', balance: 7 });
    expect((await testCredential()).status).toBe('OK');
    answer({ code: 1000, msg: '' });
    expect((await execute({ resource: 'template', operation: 'getAll' })).json).toEqual([]);
    answer({ code: 1000, msg: '', data: [{ batch_id: 'b', content: 'Y' }] });
    const { json: pulled } = await execute({ resource: 'reply', operation: 'pull' });
    expect(pulled).toMatchObject([{ event: 'reply', content: 'Y' }]);
    answer({ code: 1000, msg: '', batch_id: 'b', count: 1 });
    const { json: sent } = await execute(TEMPLATE, people(1));
    expect(sent).toMatchObject([{ status: 'accepted', code: 1000 }]);
    answer({ code: 0, msg: 'no' });
    const { error } = await execute(BALANCE);
    expect(error?.message).toBe('The service refused the request: no (code 0)');
  });
});
