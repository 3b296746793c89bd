import type { IDataObject } from 'n8n-workflow';
import type { Fault } from '../../sandbox/gateway';
import { createHarness } from '../../kit/engine';
import { byId } from '../../kit/engine/locators';
import {
  asJson,
  CONTINUE,
  CUSTOM,
  people,
  phone,
  useSendingGateway,
  withOptions,
} from '../../kit/engine/sends';

/** A check. That it agrees with the send that follows is searched in test/search/. */

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
    const text = '【青禾科技】您的验证码是,5分钟内有效,请勿告诉他人。';
    expect(json).toEqual([
      {
        status: 'checked',
        phone_numbers: ['13800138000', phone(1)],
        text: text.replace('是', '是1'),
        characters: text.length + 1,
        segments: 1,
      },
      {
        status: 'checked',
        phone_number: phone(2),
        phone_numbers: [phone(2)],
        text: text.replace('是', `是${'2'.repeat(60)}`),
        characters: text.length + 60,
        segments: 2,
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
    expect(paths()).toEqual(['/openapi/template/info', '/openapi/sign/info']);
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
    ['good bad', 'stop', /^1 message can be sent, .* Rejected: 1 item, first item 1: /],
    ['bad bad', 'go on', /^No message can be sent\. Rejected: 2 items, first item 0: /],
    ['good half', 'go on', /^1 message can be sent, .* Rejected: 1 item, first item 1: /],
    ['refused', 'stop', /^No message can be sent\. .* first item 0: There is no template 999/],
  ])('of the items %s with On Error at %s: a warning says %s', async (names, onError, text) => {
    const parameters = { ...CHECK, templateId: byId('={{ $json.template ?? 301 }}') };
    const { message, type } = await hintOf(parameters, itemsOf(names), ON_ERROR[onError]);
    expect(message).toMatch(text);
    expect(type).toBe('warning');
  });

  test('of good items: a hint says what a send would do', async () => {
    const { message, type } = await hintOf(CHECK, people(150));
    expect(message).toBe(
      "150 messages can be sent, about 150 segments. Nothing was sent, because 'Check Only' is on.",
    );
    expect(type).toBe('info');
  });

  test('counts a message once that is merged, or has the key of another one', async () => {
    const items = people(3, { phone: phone(0), code: '1' });
    for (const options of [{ duplicateNumbers: 'merge' }, { idempotencyKey: 'same' }]) {
      const { message } = await hintOf(withOptions({ checkOnly: true, ...options }), items);
      expect(message).toMatch(/^1 message can be sent, about 1 segment\. /);
    }
  });

  test('warns where it is seen first', async () => {
    const params = asJson('{"code":"1","minutes":"5","extra":"x"}');
    const { message, type } = await hintOf({ ...CHECK, ...params }, people(2));
    expect(type).toBe('warning');
    expect(message).toMatch(
      /^2 messages can be sent, .* 2 items with a warning, first item 0: The template has no parameter extra\. Nothing/,
    );
  });

  test('does not look at limits, and says so', async () => {
    const limits = { maxMessages: 1, maxPerNumberAndDay: 1 };
    const { message, json } = await hintOf(withOptions({ checkOnly: true, ...limits }), people(2));
    expect(json).toMatchObject([{ status: 'checked' }, { status: 'checked' }]);
    for (const label of ['Max Messages per Run', 'Max per Number and Day']) {
      expect(message).toContain(`A check does not count for '${label}'.`);
    }
  });
});

/** Changes the template that a check reads. */
const change = (changes: IDataObject) =>
  Object.assign(gateway.state.templates.get(301) ?? {}, changes);

/** What a check says of one item. */
async function check(parameters: IDataObject, item: IDataObject = {}): Promise<IDataObject> {
  const items = [{ ...people(1)[0], content: 'text', ...item }];
  const { json } = await execute(parameters as never, items, CONTINUE);
  return json[0] ?? {};
}

const UNSIGNED = { signatureId: byId('') };
const NO_SIGNATURE = 'No signature is chosen. Its name is not counted.';

test.each<[IDataObject, string]>([
  [
    { phoneNumbers: `${phone(0)}; 12; x` },
    '\'Phone Numbers\' has "12", "x", which are not mobile numbers',
  ],
  [{ templateId: byId(999) }, 'There is no template 999 in this account'],
  [{ templateId: byId(304) }, 'Template 304 is disabled'],
  [asJson('{"code":"1"}'), 'The template also needs minutes'],
])('a check rejects an item with %j', async (parameters, msg) => {
  const expected = { status: 'rejected', msg, phone_numbers: [phone(0)] };
  expect(await check({ ...CHECK, ...parameters })).toMatchObject(expected);
});

// Guess: review-status
test.each<[string, IDataObject, IDataObject, string]>([
  [
    'a parameter too many',
    asJson('{"code":"1","minutes":"5","extra":"x"}'),
    {},
    'The template has no parameter extra.',
  ],
  [
    'names in doubt',
    {},
    { param_count: 5 },
    'The service states 5 parameters for the template, but its text shows 2. Their names could not be checked.',
  ],
  [
    'a disabled template',
    { templateId: byId(304) },
    {},
    'Template 304 may not have passed its review: probably in review (status 1).',
  ],
  ['no signature', UNSIGNED, { sign_id: 0 }, NO_SIGNATURE],
  ['an own one', { ...CUSTOM_CHECK, ...UNSIGNED, content: '【云岭】您好' }, {}, NO_SIGNATURE],
  [
    'an unknown signature',
    { signatureId: byId(299) },
    {},
    'There is no signature 299 in this account. Its name is not counted.',
  ],
])('a check warns of %s', async (_, parameters, template, warning) => {
  change(template);
  expect((await check({ ...CHECK, ...parameters })).warning).toBe(warning);
});

describe('a check warns', () => {
  test('where the service is down, or refuses the account', async () => {
    const away = await createHarness({ ...gateway.credential(), baseUrl: 'http://127.0.0.1:1' });
    const wrong = await createHarness({ ...gateway.credential(), apiSecret: 'wrong' });
    for (const world of [away, wrong]) {
      for (const parameters of [CHECK, CUSTOM_CHECK]) {
        const { json } = await world.execute(parameters, [{ ...people(1)[0], content: 'text' }]);
        expect(json).toMatchObject([{ warning: expect.stringContaining('could not be checked') }]);
      }
    }
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
    const warning = own && twice(own);
    expect((await check(CUSTOM_CHECK, { content })).warning).toBe(warning);
    change({ content, param_count: 0 });
    expect((await check({ ...CHECK, ...UNSIGNED, ...asJson('{}') })).warning).toBe(warning);
  });

  test.each<Fault>([{ kind: 'status', status: 404 }, { kind: 'resetBeforeAccept' }])(
    'of a signature whose name is not known, also where the text has one: %j',
    async (fault) => {
      // The path of its list is inferred.
      gateway.fault({ ...fault, path: '/openapi/sign/info', times: Infinity });
      const json = await check(CUSTOM_CHECK, { content: 'four' });
      expect(json).toMatchObject({ status: 'checked', characters: 4 });
      expect(json.warning).toMatch(/^The [^.]*\. Its name is not counted\.$/);
      const signed = await check(CUSTOM_CHECK, { content: '【云岭】您好' });
      expect(signed.warning).toContain(twice('【云岭】'));
    },
  );
});
