import type { IDataObject } from 'n8n-workflow';
import { RUN_OPTIONS } from '../../../nodes/SmsMessagingService/sending/options';
import type { Fault } from '../../sandbox/gateway';
import { createHarness } from '../harness';
import { byId } from '../harness/locators';
import { CONTINUE, CUSTOM, people, phone, useSendingGateway, withOptions } from '../harness/sends';

/** A check. That it agrees with the send that follows is searched in test/search/checks.ts. */

const { gateway, execute } = useSendingGateway();

afterEach(() => {
  expect(gateway.requests.filter(({ path }) => path.endsWith('/send'))).toEqual([]);
});

const CHECK = withOptions({ checkOnly: true });
const CUSTOM_CHECK = { ...CUSTOM, options: { checkOnly: true } };

const paths = () => gateway.requests.map(({ path }) => path);

describe('a check', () => {
  test('tells of each item what it would send', async () => {
    const { json } = await execute(CHECK, [
      { phone: ` +86 138-0013-8000; ${phone(1)}`, code: '1' },
      { phone: phone(2), code: '2'.repeat(60) },
    ]);
    const run = { requests: 1, messages: 3, segments: 4 };
    const text = '【青禾科技】您的验证码是,5分钟内有效,请勿告诉他人。';
    expect(json).toEqual([
      {
        status: 'checked',
        phone_numbers: ['13800138000', phone(1)],
        messages: 2,
        text: text.replace('是', '是1'),
        characters: text.length + 1,
        segments: 1,
        run,
      },
      {
        status: 'checked',
        phone_number: phone(2),
        phone_numbers: [phone(2)],
        messages: 1,
        text: text.replace('是', `是${'2'.repeat(60)}`),
        characters: text.length + 60,
        segments: 2,
        run,
      },
    ]);
  });

  test('counts the signature of the template where none is chosen', async () => {
    const send = people(1);
    const [chosen] = (await execute(CHECK, send)).json;
    const [none] = (await execute({ ...CHECK, signatureId: byId('') } as never, send)).json;
    expect(none).toEqual(chosen);
  });

  test('reads each record once, whatever the number of items', async () => {
    await execute(CHECK, people(300));
    expect(paths()).toEqual(['/sendsms/balance', '/openapi/template/info', '/openapi/sign/info']);
  });

  test('shows beside the output that nothing was sent', async () => {
    const { run } = await execute(CHECK, people(150));
    expect(run.data.resultData.runData.SMS?.[0]?.hints).toEqual([
      expect.objectContaining({
        type: 'info',
        message: `150 messages can be sent, about 150 segments in 2 requests. Nothing was sent, because '${RUN_OPTIONS.checkOnly.label}' is on.`,
      }),
    ]);
  });

  test('says first what would be refused, as a warning', async () => {
    const items = people(4).map((person, index) => ({
      ...person,
      phone: index < 2 ? person.phone : [person.phone, `bad-${index}`],
    }));
    const { run } = await execute(CHECK, items, CONTINUE);
    expect(run.data.resultData.runData.SMS?.[0]?.hints).toEqual([
      expect.objectContaining({
        type: 'warning',
        message: expect.stringMatching(
          /^4 messages can be sent, .* Rejected: 2 items, first item 2: 'Phone Numbers' has "bad-2"/,
        ),
      }),
    ]);
  });

  const hintOf = async (...run: Parameters<typeof execute>) => {
    const { run: done, json } = await execute(...run);
    const [hint] = done.data.resultData.runData.SMS?.[0]?.hints ?? [];
    return { ...hint, json };
  };

  test('says what the send would do: with On Error at Stop, one bad item stops all', async () => {
    const items = [...people(1), { ...people(1)[0], phone: '1380013' }];
    const { message, type, json } = await hintOf(CHECK, items);
    expect(type).toBe('warning');
    expect(message).toMatch(
      /^1 of 2 items cannot be sent, so a send would send nothing\. Item 1: 'Phone Numbers' has "1380013".* set 'On Error' to one of/,
    );
    const run = { requests: 0, messages: 0, segments: 0 };
    const msg = "Not sent: item 1 cannot be sent, and 'On Error' is 'Stop Workflow'";
    expect(json).toMatchObject([
      { status: 'rejected', msg, messages: 0, run },
      { status: 'rejected', messages: 0, run },
    ]);
    const { error } = await execute(withOptions({}), items);
    expect(error?.message).toBe(
      message
        ?.split(' To send')[0]
        ?.replace('a send would send nothing', 'nothing was sent')
        .replace(/\.$/, ''),
    );
    const going = await hintOf(CHECK, items, CONTINUE);
    expect(going.message).toMatch(/^1 message can be sent, .* Rejected: 1 item, first item 1: /);
    expect(going.json).toMatchObject([
      { status: 'checked' },
      { status: 'rejected', run: { messages: 1 } },
    ]);
  });

  test('says that what the service would refuse stops the node only after the others were sent', async () => {
    const items = [...people(1), { ...people(1)[0], phone: phone(9), template: 999 }];
    const parameters = { ...CHECK, templateId: byId('={{ $json.template ?? 301 }}') };
    const { message, json } = await hintOf(parameters as never, items);
    expect(message).toMatch(
      /^1 message can be sent, .* Rejected: 1 item, first item 1: There is no template 999 .*\. Then the node stops with an error/,
    );
    expect(json).toMatchObject([
      { status: 'checked' },
      { status: 'rejected', run: { messages: 1 } },
    ]);
  });

  test('says of a single item what is wrong with it, without a number', async () => {
    const { message } = await hintOf(CHECK, [{ phone: 'x', code: '1' }]);
    expect(message).toMatch(
      /^'Phone Numbers' has "x", which is not a mobile number\. A send would stop with this error, and send nothing\. /,
    );
    const unknown = await hintOf({ ...CHECK, templateId: byId(999) } as never, people(1));
    expect(unknown.message).toMatch(/^No message can be sent: There is no template 999/);
    const mixed = await hintOf(CHECK, [{ phone: `${phone(0)}, x`, code: '1' }], CONTINUE);
    expect(mixed.message).toMatch(
      /^1 message can be sent, .* The rest cannot: 'Phone Numbers' has "x"/,
    );
  });

  test('counts nothing, and advises to send no others, where every item is bad', async () => {
    const items = [1, 2].map(() => ({ phone: 'x', code: '1' }));
    const { message } = await hintOf(CHECK, items);
    expect(message).toMatch(
      /^2 of 2 items cannot be sent, so a send would send nothing\. Item 0: /,
    );
    expect(message).not.toContain('On Error');
    const going = await hintOf(CHECK, items, CONTINUE);
    expect(going.message).toMatch(/^No message can be sent\. Rejected: 2 items, first item 0: /);
  });

  test('warns of another signature where it is seen first', async () => {
    const { message, type } = await hintOf(
      { ...CHECK, signatureId: byId(202) } as never,
      people(2),
    );
    expect(type).toBe('warning');
    expect(message).toMatch(
      /^2 messages can be sent, .* 2 items with a warning, first item 0: The template belongs to signature 201, not to 202\. Nothing/,
    );
  });

  test.each([0, 1, 2])('is made of all items when it is on for item %d', async (on) => {
    const items = people(3).map((person, index) => ({ ...person, check: index === on }));
    const { json } = await execute(withOptions({ checkOnly: '={{ $json.check }}' }), items);
    expect(json.map(({ status }) => status)).toEqual(['checked', 'checked', 'checked']);
  });

  test.each([undefined, null, '', 'yes', 1, 0])(
    'with the value %j nothing is sent',
    async (check) => {
      const items = people(2).map((person) =>
        check === undefined ? person : { ...person, check },
      );
      const { error } = await execute(withOptions({ checkOnly: '={{ $json.check }}' }), items);
      expect(error?.message).toMatch(/^'[\w ]+' of item 0 (is empty|must be true or false, not )/);
    },
  );
});

describe('a check says why an item would be refused', () => {
  const check = async (parameters: IDataObject, items: IDataObject[] = people(1)) => {
    const { json } = await execute({ ...CHECK, ...parameters } as never, items, CONTINUE);
    return json;
  };

  test('a text that is not a phone number, beside one that would be sent to', async () => {
    const [item] = await check({}, [{ phone: [phone(0), '12', 'x'], code: '1' }]);
    expect(item).toMatchObject({
      status: 'rejected',
      msg: '\'Phone Numbers\' has "12", "x", which are not mobile numbers',
      phone_numbers: [phone(0)],
      rejected_numbers: ['12', 'x'],
      messages: 1,
      run: { requests: 1, messages: 1, segments: 1 },
    });
  });

  test.each([
    [
      'a template that does not exist',
      { templateId: byId(999) },
      'There is no template 999 in this account',
    ],
    ['a template that is disabled', { templateId: byId(304) }, 'Template 304 is disabled'],
    ['a missing parameter', { parametersJson: '{"code":"1"}' }, 'The template also needs minutes'],
    [
      'an unknown signature',
      { signatureId: byId(299) },
      'There is no signature 299 in this account',
    ],
  ])('%s', async (_, parameters, msg) => {
    const [item] = await check(parameters);
    expect(item).toMatchObject({
      status: 'rejected',
      msg,
      messages: 0,
      run: { requests: 0, messages: 0, segments: 0 },
    });
  });

  test.each([0, '0', -3, '0.00'])('an account with the balance %j', async (balance) => {
    gateway.fault({
      kind: 'wrongShape',
      body: { code: 0, msg: 'success', balance },
      path: '/sendsms/balance',
      times: Infinity,
    });
    for (const parameters of [CHECK, CUSTOM_CHECK]) {
      const { json } = await execute(parameters, [{ ...people(1)[0], content: 'text' }]);
      expect(json).toMatchObject([
        {
          status: 'rejected',
          msg: `The balance of the account is ${Number(balance)}`,
          messages: 0,
          warning: expect.stringContaining('Top up'),
        },
      ]);
    }
  });

  test('a service that is down, or refuses the account', async () => {
    const away = await createHarness({ ...gateway.credential(), baseUrl: 'http://127.0.0.1:1' });
    const wrong = await createHarness({ ...gateway.credential(), apiSecret: 'wrong' });
    for (const world of [away, wrong]) {
      for (const parameters of [CHECK, CUSTOM_CHECK]) {
        const { json } = await world.execute(parameters, [{ ...people(1)[0], content: 'text' }]);
        expect(json).toMatchObject([
          { status: 'rejected', messages: 0, warning: expect.stringMatching(/check /i) },
        ]);
      }
    }
  });
});

describe('a check warns', () => {
  const warningOf = async (parameters: IDataObject) => {
    const { json } = await execute(parameters as never, [{ ...people(1)[0], content: 'text' }]);
    expect(json).toMatchObject([{ status: 'checked', messages: 1 }]);
    return json[0]?.warning;
  };

  test('of a signature that the template does not belong to', async () => {
    expect(await warningOf({ ...CHECK, signatureId: byId(202) })).toBe(
      'The template belongs to signature 201, not to 202.',
    );
  });

  test('of a parameter that the template does not have', async () => {
    const parametersJson = '{"code":"1","minutes":"5","extra":"x"}';
    expect(await warningOf({ ...CHECK, parametersJson })).toBe(
      'The template has no parameter extra.',
    );
  });

  test('of parameters that cannot be checked', async () => {
    Object.assign(gateway.state.templates.get(301) ?? {}, { param_count: 5 });
    expect(await warningOf(CHECK)).toBe(
      'The service states 5 parameters for the template, but its text shows 2. Their names could not be checked.',
    );
  });

  test('of a signature whose name is not known: the path of its list is inferred', async () => {
    const faults: Fault[] = [
      { kind: 'status', status: 404 },
      { kind: 'status', status: 403 },
      { kind: 'businessCode', code: 1002 },
      { kind: 'resetBeforeAccept' },
    ];
    for (const fault of faults) {
      gateway.clearFaults();
      gateway.fault({ ...fault, path: '/openapi/sign/info', times: Infinity });
      const { json } = await execute(CUSTOM_CHECK, [{ phone: phone(0), content: 'four' }]);
      expect(json).toMatchObject([{ status: 'checked', characters: 4 }]);
      expect(json[0]?.warning).toMatch(/^The [^.]*\. Its name is not counted\.$/);
    }
  });

  test('of no signature, where the template has none either', async () => {
    Object.assign(gateway.state.templates.get(301) ?? {}, { sign_id: 0 });
    for (const parameters of [CHECK, CUSTOM_CHECK]) {
      expect(await warningOf({ ...parameters, signatureId: byId('') })).toBe(
        'No signature is chosen. Its name is not counted.',
      );
    }
  });

  test('of a template that could not be read for once', async () => {
    const path = '/openapi/template/info';
    gateway.fault({ kind: 'tooManyRequests', retryAfter: '0', path, times: Infinity });
    const [first, second] = (await execute(CHECK, people(2))).json;
    expect(first).toMatchObject({ status: 'checked', run: { messages: 2 } });
    expect(first?.warning).toMatch(/^The template could not be checked: /);
    expect(second?.warning).toBe(first?.warning);
  });
});

describe('a rejected item of a check', () => {
  const items = [{ phone: 'none', code: '1' }, ...people(1)];

  test('stops nothing, because a check shows all items', async () => {
    const { json, error } = await execute(CHECK, items, CONTINUE);
    expect(error).toBeUndefined();
    expect(json.map(({ status }) => status)).toEqual(['rejected', 'checked']);
  });

  test('leaves on the error branch where the node has one', async () => {
    const { output } = await execute(CHECK, items, { node: { onError: 'continueErrorOutput' } });
    expect(output?.[0]?.map(({ json }) => json.status)).toEqual(['checked']);
    expect(output?.[1]?.map(({ json }) => (json.details as IDataObject).status)).toEqual([
      'rejected',
    ]);
  });
});
