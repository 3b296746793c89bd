/** Opt-outs are read in one way: by the desk, by the templates that answer replies, and by the one that divides them. */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { DOUBT_WORDS, readReply, STOP_WORDS } from '../../builder/code/replies';
import { settings } from '../kit/search/settings';
import { fieldsOf } from '../kit/workflows/expression';
import { picked } from '../kit/workflows/workflowFiles';
import type { N8nNodes } from '../kit/n8nNodes/n8nNodes';
import { ADDRESS, OWN, reply, useTemplate } from './run';

const WORDS = STOP_WORDS.split(', ');

/** How people write such a word, which ☎ stands for. */
const FORMS: ((word: string) => string)[] = [
  (word) => word.toLowerCase(),
  (word) => word.replace(/[A-Z]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0)),
  (word) => [...word].join('\u200b'),
  (word) => [...word].join('.'),
  ...[
    ...['☎', ' ☎\r\n', '☎，', '☎!!!', '“☎”', '【☎】', '\ufeff☎\u2060', '☎🙏🏽❤️', '☎\ufe0f\u20e3'],
    ...['☎退订', '☎，谢谢', '☎ 谢谢您！', '☎, thank you', '回复☎', '请回复：☎', '回 ☎。'],
    ...['please ☎', '☎、☎\n☎', '我要☎了'],
  ].map((form) => (word: string) => form.replaceAll('☎', word)),
];

const STOPS = [
  ...WORDS.flatMap((word) => FORMS.map((form) => form(word))),
  ...['𝐓𝐃', 'TDTD', '麻煩退訂一下', '全部退订', '立即退订！', '馬上給我退訂', '我要求退订'],
  ...['STOP ALL', 'Stop sending me messages, thanks', 'stop texting me', '拒收請回覆R'],
  ...['請不要再發短信給我們了', '請不要再傳簡訊給我', '請退訂，謝謝', '別再發', '拒收請回復R'],
];

/** What says neither, though some of it looks like it. */
const NOTHING = [
  ...['T恤有货吗？', 'TDD', 'T-shirt', 'R2', 'RT', 'LTD', 'N', '1', '', '🙏', '123212', '取消'],
  ...['不要停', '要求退货', '好的，谢谢', '回复1', '人工', '收不到短信', '怎么还不发'],
  ...['不要发顺丰', '还没收到', '先别发货', '一直发不出去', '特别想收到广告', '有货再发吗？'],
  ...['获奖名单在哪', '怎么还不发给我', '传真号不是这个', '特别快就发货了', '我要告诉你'],
  ...['验证码被我误删了', 'I do not know', 'quit smoking class?', 'please end it at 5'],
  ...['opt me in', 'quite good'],
  ...['我的号码是13800138000', '换号码了', '移动号码', '删除了短信', '号码没变', '不订了'],
  ...['移除购物车', '把我的订单删了', '请删除订单号123', '无需发票，请发送', '我的号码注册过吗'],
  ...['电话联系我', '莫名其妙', '我的号码是移动的', '无需再发货了', '我不订这款了', '我不订'],
  ...['remove the number 5 from my order', 'what is my number?', 'my number is 5'],
  ...['take my order off', 'I changed my phone number'],
];

/** What a person has to decide about: a word of an opt-out among others, misspelt, or a complaint. */
const DOUBTS = [
  ...['不退订', '退订单什么时候到', '取消退订', 'TD 张三', 'TD1', 'non-stop', 'Unsubscribed?'],
  ...['STOPALL', 'bus stopover', '投訴', '舉報', '12321', '12321见', '我要报警', '請勿打擾'],
  ...['勿扰', '騷擾短信', '再发短信就拉黑', 'spam', '屏蔽', '關閉短信', '拒绝短信', '拒绝广告'],
  ...['不要傳簡訊', '退定', '推订', 'tui ding', '退丁', '退頂', '取消发送', '取消推送'],
  ...['请停止发送', '拒绝接收', '请勿发', '别发啦', '停发', '别发了！', '别再给我们发'],
  ...['请不要发，谢谢', '不要发给我', '別給我發廣告了', '別給我推銷', '不想再收到', '不想再收到了'],
  ...['別聯繫我', '不要再联系', '不要烦我', '烦死了，天天发', '老是发短信', '总是发广告，不要发'],
  ...['把我删了', '刪除我', '我的號碼刪掉', '把我移出名單', '名单里去掉我', '你们再发我就去告你们'],
  ...['我要告你', 'How do I opt out?', 'opt me out', 'remove me', 'Do not text me'],
  ...["don't message me again", 'no more texts!', 'leave me alone', 'take me off your list'],
  ...['请把我的号码移除', '请移除我的手机号', '从通讯录移除我', '删掉我的号码', '请删除号码'],
  ...['注销我的号码', '把我移出', '无需再发', '莫再发', '我不订了', '無需再發', '註銷我的號碼'],
  ...['請移除我的電話', '從通訊錄移除我', '我的手機號碼請移除', '无须再给我发短信'],
  ...[
    '把我们从系统里删除',
    '請將我移除',
    '移除這個號碼',
    'remove my number 13800138000',
    'delete my number',
    'take my number off',
  ],
  ...['Delete my phone number!', 'take off my number', 'remove this number', 'remove number'],
  ...['please quit', 'Quit, please', 'pls END', 'quit texting me', 'Quit sending messages'],
];

/** What each text says. */
const SAID = new Map([
  ...STOPS.map((text) => [text, 'stop'] as const),
  ...NOTHING.map((text) => [text, ''] as const),
  ...DOUBTS.map((text) => [text, 'doubt'] as const),
]);

const TEXTS = [...SAID.keys()];

/** A number for each text. */
const phoneOf = (index: number) => String(13_810_010_000 + index);

/** All texts as one page, each from another number. */
const PAGE: IDataObject[] = TEXTS.map((text, index) => ({
  ...reply(phoneOf(index), text),
  event: 'reply',
}));

/** The texts of those who are on the list. */
const listed = ({ tables }: N8nNodes) =>
  (tables.get('sms_opt_outs') ?? []).map(
    ({ phone_number }) => TEXTS[Number(phone_number) - 13_810_010_000],
  );

const spared = TEXTS.filter((text) => SAID.get(text));

test('what each reply says', () => {
  const fields = [
    { name: 'stop_words', value: STOP_WORDS },
    { name: 'doubt_words', value: DOUBT_WORDS },
  ];
  expect(TEXTS.map((text) => [text, readReply(text, fields)])).toEqual([...SAID]);
});

// Whatever stands around it, an opt-out is never nothing.
test('random texts with an opt-out in them', () => {
  const fields = [{ name: 'stop_words', value: STOP_WORDS }];
  const around = fc.constantFrom(
    ...[' ', '，', '!', '张三', '谢谢', '你们', '1', '\u200b', '🙏', '\n', '请', '。'],
  );
  const words = WORDS.filter((word) => word.length > 1);
  const optOut = fc.constantFrom(...words.flatMap((word) => FORMS.map((form) => form(word))));
  const text = fc.tuple(around, around, optOut, around).map((parts) => parts.join(''));
  const property = fc.property(text, (said) =>
    expect(readReply(said, fields)).toMatch(/^(stop|doubt)$/),
  );
  fc.assert(property, settings(5000));
});

test.each<[lists: string[], text: string, said: string]>([
  ...['N', 'TD，n', 'TD; N', 'TD、N', 'TD\nN\n', 'TD/N', 'TD | N'].map(
    (list) => [[list], 'N', 'stop'] as [string[], string, string],
  ),
  [['N'], 'TD', ''],
  [[], 'TD', ''],
  [['', ' , ', '\n'], '', ''],
])('the owner’s stop words %j and "%s"', (lists, text, said) => {
  const fields = lists.map((value) => ({ name: 'stop_words', value }));
  expect(readReply(text, fields)).toBe(said);
});

test('the desk', () => {
  const $json = fieldsOf('inbox', 'Stop and start words', {});
  const rows = PAGE.map((record) => ({ ...record, phone_number: String(record.mobile) }));
  const nodes = { Rows: [{ rows }] };
  const said = fieldsOf('inbox', 'What the replies say', { $json, nodes }).rows as IDataObject[];
  const stops = said.flatMap(({ says }, index) => (says === 'stop' ? [TEXTS[index]] : []));
  expect(stops).toEqual(TEXTS.filter((text) => SAID.get(text) === 'stop'));
});

describe.each([
  ['reply-keyword', { 'To a person': ADDRESS, Answer: OWN }, '您的预约已${result}。'],
  ['agent-replies', { 'Send the answer': OWN, 'Tell the person': ADDRESS }, '${answer}'],
])('%s', (name, choices, text) => {
  const { n8n, run } = useTemplate(name, choices, text);

  test('lists the same ones', async () => {
    await run('From another workflow', ...PAGE);
    expect(listed(n8n).sort()).toEqual(spared.toSorted());
  });
});

describe('one-trigger', () => {
  const { n8n, run } = useTemplate('one-trigger', {
    'Workflow for keywords': { workflowId: picked('keywords') },
    'Workflow for other replies': { workflowId: picked('others') },
  });

  test('hands the same ones to the workflow for keywords', async () => {
    await run('Reports and replies', ...PAGE);
    const items = n8n.calls.find(({ workflow }) => workflow === 'keywords')?.items ?? [];
    const texts = items.map(({ content }) => content);
    const wanted = TEXTS.filter((text) => SAID.get(text) || /^(回复)?[12]$/.test(text));
    expect(texts).toEqual(wanted);
  });
});

test('a huge reply comes to an end', () => {
  const fields = [{ name: 'stop_words', value: STOP_WORDS }];
  expect(readReply(`${'TD 谢谢 \u200b'.repeat(200_000)}x`, fields)).toBe('doubt');
});
