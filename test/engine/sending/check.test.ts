import type { IDataObject } from 'n8n-workflow';
import type { Fault } from '../../sandbox/gateway';
import { createHarness } from '../../kit/engine';
import { byId } from '../../kit/engine/locators';
import { REVIEWS } from '../../kit/engine/reviews';
import {
  asJson,
  CONTINUE,
  CUSTOM,
  people,
  phone,
  useSendingGateway,
  withOptions,
} from '../../kit/engine/sends';

/** A check. That it agrees with the send that follows is searched in test/search/checks.test.ts. */

const { gateway, execute } = useSendingGateway();

afterEach(() => {
  expect(gateway.requests.filter(({ path }) => path.endsWith('/send'))).toEqual([]);
});

const CHECK = withOptions({ checkOnly: true });
const CUSTOM_CHECK = { ...CUSTOM, options: { checkOnly: true } };

const ON_ERROR = { stop: {}, 'go on': CONTINUE };

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

  const hintOf = async (...run: Parameters<typeof execute>) => {
    const { run: done, json } = await execute(...run);
    const [hint] = done.data.resultData.runData.SMS?.[0]?.hints ?? [];
    return { ...hint, json };
  };

  const ITEMS: Record<string, IDataObject> = {
    good: { phone: phone(0), code: '1' },
    bad: { phone: '1380013', code: '1' },
    half: { phone: [phone(1), '1380013'], code: '1' },
    refused: { phone: phone(2), code: '1', template: 999 },
  };
  const itemsOf = (names: string) => names.split(' ').map((name) => ITEMS[name] ?? {});

  test.each<[string, keyof typeof ON_ERROR, RegExp]>([
    ['good bad', 'stop', /^1 of 2 items cannot be sent, so a send would send nothing\. Item 1: /],
    ['good bad', 'stop', /has "1380013".* set 'On Error' to one of/],
    ['good bad', 'go on', /^1 message can be sent, .* Rejected: 1 item, first item 1: /],
    ['bad bad', 'stop', /^2 of 2 items cannot be sent, .* nothing\. Item 0: (?!.*On Error)/],
    ['bad bad', 'go on', /^No message can be sent\. Rejected: 2 items, first item 0: /],
    ['good half', 'go on', /^2 messages can be sent, .* Rejected: 1 item, first item 1: /],
    ['good refused', 'stop', /^1 message .* 1: There is no template 999 .* Then the node stops /],
    [
      'bad',
      'stop',
      /^'Phone Numbers' has .* A send would stop with this error, and send nothing\. /,
    ],
    ['refused', 'stop', /^No message can be sent: There is no template 999/],
    ['half', 'go on', /^1 message can be sent, .* The rest cannot: 'Phone Numbers' has "1380013"/],
  ])('of the items %s with On Error at %s: a warning says %s', async (names, onError, text) => {
    const parameters = { ...CHECK, templateId: byId('={{ $json.template ?? 301 }}') };
    const { message, type } = await hintOf(parameters, itemsOf(names), ON_ERROR[onError]);
    expect(message).toMatch(text);
    expect(type).toBe('warning');
  });

  test('of good items: a hint says what a send would do', async () => {
    const { message, type } = await hintOf(CHECK, people(150));
    expect(message).toBe(
      "150 messages can be sent, about 150 segments in 2 requests. Nothing was sent, because 'Check Only' is on.",
    );
    expect(type).toBe('info');
  });

  test('says what the send says: with On Error at Stop, one bad item stops all', async () => {
    const { message, json } = await hintOf(CHECK, itemsOf('good bad'));
    const run = { requests: 0, messages: 0, segments: 0 };
    const msg = "Not sent: item 1 cannot be sent, and 'On Error' is 'Stop Workflow'";
    expect(json).toMatchObject([
      { status: 'rejected', msg, messages: 0, run },
      { status: 'rejected', messages: 0, run },
    ]);
    const { error } = await execute(withOptions({}), itemsOf('good bad'));
    expect(`${error?.message}.`).toBe(
      message?.split(' To send')[0]?.replace('a send would send nothing', 'nothing was sent'),
    );
  });

  test('warns of another signature where it is seen first', async () => {
    const { message, type } = await hintOf({ ...CHECK, signatureId: byId(202) }, people(2));
    expect(type).toBe('warning');
    expect(message).toMatch(
      /^2 messages can be sent, .* 2 items with a warning, first item 0: The template belongs to signature 201, not to 202\. Nothing/,
    );
  });
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
    ['an unknown template', { templateId: byId(999) }, 'There is no template 999 in this account'],
    ['a template that is disabled', { templateId: byId(304) }, 'Template 304 is disabled'],
    ['a missing parameter', asJson('{"code":"1"}'), 'The template also needs minutes'],
    ['no such signature', { signatureId: byId(299) }, 'There is no signature 299 in this account'],
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

  test.each([
    [{ signatureId: byId(202) }, 'The template belongs to signature 201, not to 202.'],
    [asJson('{"code":"1","minutes":"5","extra":"x"}'), 'The template has no parameter extra.'],
  ])('%#: of what the template does not have', async (parameters, warning) => {
    expect(await warningOf({ ...CHECK, ...parameters })).toBe(warning);
  });

  // Guess: review-status
  test.each(REVIEWS)('of a template with the review status %j', async (audit_status, words) => {
    const list = [{ ...gateway.state.templates.get(301), audit_status }];
    gateway.fault({
      kind: 'wrongShape',
      body: { list, total: 1 },
      path: '/openapi/template/info',
    });
    expect(await warningOf(CHECK)).toBe(
      words ? `Template 301 may not have passed its review: ${words}.` : undefined,
    );
  });

  test('of a template that is disabled and has not passed', async () => {
    const { json } = await execute({ ...CHECK, templateId: byId(304) }, people(1), CONTINUE);
    expect(json[0]).toMatchObject({
      msg: 'Template 304 is disabled',
      warning: 'Template 304 may not have passed its review: probably in review (status 1).',
    });
  });

  const twice = (own: string) =>
    `The text itself has ${own}, so the message may arrive with two signatures.`;

  test.each<[string, string | undefined]>([
    ['【青禾科技】您好', '【青禾科技】'],
    ['\n 【 青禾科技 】您好', '【 青禾科技 】'],
    ['您好【青禾科技】\n', '【青禾科技】'],
    ['\u200b【青禾科技】您好', '【青禾科技】'],
    ['【云岭商城】您好', '【云岭商城】'],
    ['[青禾科技] 您好', '[青禾科技]'],
    ['您好（青禾科技）', '（青禾科技）'],
    ['[Reminder] 您好', undefined],
    ['请看【青禾科技】公告', undefined],
    ['青禾科技您好', undefined],
    [`【${'字'.repeat(41)}】您好`, undefined],
  ])('of a signature in the text %j', async (content, own) => {
    const { json } = await execute(CUSTOM_CHECK, [{ phone: phone(0), content }]);
    expect(json[0]?.warning).toBe(own && twice(own));
    Object.assign(gateway.state.templates.get(301) ?? {}, { content, param_count: 0 });
    const template = { ...CHECK, signatureId: byId(''), ...asJson('{}') };
    expect(await warningOf(template)).toBe(own && twice(own));
  });

  test('of a signature in the text, where the name of the other is not known', async () => {
    gateway.fault({ kind: 'status', status: 404, path: '/openapi/sign/info', times: Infinity });
    const { json } = await execute(CUSTOM_CHECK, [{ phone: phone(0), content: '【云岭】您好' }]);
    expect(json[0]?.warning).toContain(twice('【云岭】'));
  });

  test('not of a signature in the text, where none is added', async () => {
    const parameters = { ...CUSTOM_CHECK, signatureId: byId('') };
    const { json } = await execute(parameters, [{ phone: phone(0), content: '【云岭】您好' }]);
    expect(json[0]?.warning).toBe('No signature is chosen. Its name is not counted.');
  });

  const LEFTOVERS = [
    '[null]',
    '[null, undefined]',
    '(NULL)',
    '["',
    '&#039;',
    '&#x27;',
    '&amp;',
    '<br/>',
    '</b>',
    '<name>',
    '{$var}',
    '${name}',
    '{{ name }}',
    '{name}',
    '{"a":1}',
    '#code#',
    '%s',
    '%1$s',
    '%(name)s',
    '\\n',
    '\\u4f60',
  ];

  test.each(LEFTOVERS)('of what a step before has left in a text: %s', async (part) => {
    const warning = `The text has "${part}": this looks like code or an unfilled placeholder.`;
    const text = `您好${part}，再见`;
    for (const parameters of [CUSTOM_CHECK, CHECK]) {
      const { json } = await execute(parameters, [{ phone: phone(0), content: text, code: text }]);
      expect(json[0]?.warning).toContain(warning);
    }
  });

  test.each([
    '全场5%折扣，100%棉，满20%d7',
    'Tom & Jerry; R&D; AT&T;',
    '1 < 2, 3 > 2, I <3 you',
    '#双十一# *123#456#',
    '[Reminder] see (null and void), [1]',
    'https://a.example/x?a=1&b=2%20%E4#top',
    'C:\\temp? ¯\\_(ツ)_/¯ :-} :{',
    "{ it's",
  ])('not of honest text: %s', async (content) => {
    const { json } = await execute(CUSTOM_CHECK, [{ phone: phone(0), content }]);
    expect(json[0]?.warning ?? '').not.toContain('looks like code');
  });

  test('of what is left in the text of a template, or in a value that cannot be seen there', async () => {
    const left = (part: string) => expect.stringContaining(`The text has "${part}": this looks`);
    const record = gateway.state.templates.get(301) ?? {};
    Object.assign(record, { content: '您好 {$var}，${code}，${minutes}', param_count: 2 });
    expect(await warningOf(CHECK)).toEqual(left('{$var}'));
    const path = '/openapi/template/info';
    gateway.fault({ kind: 'tooManyRequests', retryAfter: '0', path, times: Infinity });
    const params = JSON.stringify({ code: '&amp;', minutes: '5' });
    expect(await warningOf({ ...CHECK, ...asJson(params) })).toEqual(left('&amp;'));
  });

  test('of three leftovers, and says how many more there are', async () => {
    const items = [{ phone: phone(0), content: '{a} {b} {c} {d} {a} {e}' }];
    const { json, hints } = await execute(CUSTOM_CHECK, items);
    expect(json[0]?.warning).toContain('has "{a}", "{b}", "{c}" and 2 more: ');
    expect(hints[0]).toContain(String(json[0]?.warning));
  });

  // n8n reads hints as HTML.
  test('in the hint with the characters that it is about', async () => {
    const { hints } = await execute(CUSTOM_CHECK, [{ phone: phone(0), content: '&#039;<br>' }]);
    expect(hints[0]).toContain('The text has "&amp;#039;", "&lt;br&gt;": ');
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
