/** Opt-outs are read in one way: by the desk, by the templates that answer replies, and by the one that divides them. */
import type { IDataObject } from 'n8n-workflow';

import { DOUBT_WORDS, readReply, STOP_WORDS } from '../../builder/code/replies';
import { fieldsOf } from '../kit/workflows/expression';
import { picked } from '../kit/workflows/workflowFiles';
import type { N8nNodes } from '../kit/n8nNodes/n8nNodes';
import { ADDRESS, OWN, reply, useTemplate } from './run';

const WORDS = STOP_WORDS.split(', ');

/** How people write such a word. */
const FORMS: ((word: string) => string)[] = [
  (word) => word,
  (word) => word.toLowerCase(),
  (word) => ` ${word}\r\n`,
  (word) => `${word}，`,
  (word) => `${word}!!!`,
  (word) => `“${word}”`,
  (word) => `【${word}】`,
  (word) => word.replace(/[A-Z]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0)),
  (word) => [...word].join('\u200b'),
  (word) => `\ufeff${word}\u2060`,
  (word) => `${word}🙏🏽❤️`,
  (word) => `${word}\ufe0f\u20e3`,
  (word) => `${word}退订`,
  (word) => `${word}，谢谢`,
  (word) => `${word} 谢谢您！`,
  (word) => `${word}, thank you`,
  (word) => `回复${word}`,
  (word) => `请回复：${word}`,
  (word) => `回 ${word}。`,
  (word) => `please ${word}`,
  (word) => [...word].join('.'),
  (word) => `${word}、${word}\n${word}`,
  (word) => `我要${word}了`,
];

const STOPS = [
  ...WORDS.flatMap((word) => FORMS.map((form) => form(word))),
  ...['𝐓𝐃', 'ⓉⒹ', 'T D', 't.d.', 'TD TD', 'TDTD', '退 订', '拒收请回复R', '请不要再发短信给我了'],
  '麻烦退订一下',
  ...['STOP ALL', 'Stop sending me messages, thanks', 'stop texting me', '全部退订', 'R，拒收'],
  ...['退訂', '請退訂，謝謝', '拒收請回復R', '請不要再發短信給我們了'],
  ...['請不要再傳簡訊給我', '別再傳了'],
  ...['立即退订！', '马上给我退订', '我要求退订', '请不要再给我发短信了', '别再给我发了'],
];

/** What says neither, though some of it looks like it. */
const NOTHING = [
  ...['T恤有货吗？', 'TDD', 'Titanic', 'T-shirt', '取消', '不要停', '要求退货', '马上', 'R2', 'T5'],
  ...['RT', 'TT', 'Tk', 'N', 'Y', '好的，谢谢', '回复', '谢谢', '人工', 'When are you open?', '1'],
  ...['2', '', ' ', '。', '🙏', '#', '##', '回复1', '2 确认', '怎么还不发货', '特别快就发货了'],
  ...['收不到短信', '请别忘了发票', 'LTD', 'T恤', '怎么还不发', '为什么不发', '不要发顺丰'],
  ...['先别发货', '别忘了发票', '还没收到', '不收到付', 'I do not know', '123212', '您好', '退货'],
  ...['麻烦我想问下', '怎么还不发给我', '不要发给我弟', '一直发不出去', '天天发货吗', '没烦恼'],
  ...['广告里的那款有货吗', '传真号不是这个', '收到广告了，怎么买', '特别想收到广告'],
  ...['有货再发吗？', '没有收到货，有货吗？', '怎么还不发货，有货吗？', '特别快就发货了，还有货吗'],
  ...['quite good', 'the end of June', '体检报告你们什么时候出', '我要告诉你', '验证码被我误删了'],
  ...['获奖名单在哪', '獲獎名單', 'opt me in', 'please end it at 5', 'quit smoking class?'],
];

/** What a person has to decide about: a word of an opt-out among others, misspelt, or a complaint. */
const DOUBTS = [
  ...['不退订', '退订单什么时候到', 'Stop by at 5', 'STOP it', '取消退订', '退订了吗', '怎么退订'],
  ...['没有退订', '不拒收', '别再发错了', '不要再发顺丰', '不要再给我发顺丰', 'TD1', '1TD'],
  ...['non-stop', 'stop?no', 'TD 张三', 'td，再发投诉', '请勿打扰', 'STOPALL', '投诉', '12321'],
  ...['我要去12315举报', 'Unsubscribed?', 'bus stopover', '不想再收到你们的短信', '勿扰'],
  ...['再发短信就拉黑', 'spam', '退定', '我要退定。', '推订', 'tui ding', '别发', '不要发'],
  ...['请勿发', '别发啦', '停发', '不要给我发', '别再给我们发', '请不要发，谢谢', '取消发送'],
  ...['取消接收', '拒绝接收', '不再接收', '不想再收到', '别联系我', '不要再联系', '取消推送'],
  ...['关闭短信', '屏蔽', '我要报警', '12321见', '不要给我发短信', '别发了！', '请勿再发'],
  ...['请停止发送', '怎么取消订阅', 'please stop sending these', 'How do I opt out?'],
  ...['opt-out', 'remove me', 'Do not text me', "don't message me again", 'no more texts!'],
  ...['骚扰短信', '我要投诉', '請勿打擾', '投訴你們', '騷擾', '舉報', '請勿再發', '拒绝短信'],
  ...['不要给我发广告', '别给我发广告了', '不要发广告', '不想再收到广告', '不要再收到你们的广告'],
  ...['不要傳簡訊', '拒绝广告', '不想再收到廣告', '不要再傳廣告給我', '总是发广告，不要发'],
  ...['不要发给我', '别给我推销', '不要烦我', '不想再收到了', '烦死了，天天发', '老是发短信'],
  ...[
    '把我从名单删除',
    '把我删了',
    '我的号码删掉',
    '你们再发我就去告你们',
    '我要告你',
    '退丁',
    '退顶',
  ],
  ...['take me off your list', 'opt me out', 'leave me alone', 'QUIT', 'End.'],
  ...['please quit', 'Quit, please', 'pls END', 'quit texting me', 'Quit sending messages'],
  ...[
    '把我從名單刪除',
    '把我移出名單',
    '名单里去掉我',
    '我的號碼刪掉',
    '刪除我',
    '退頂',
    '把我刪了',
  ],
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

test('there are as many real ones as in the field, and more', () => {
  expect(STOPS.length).toBeGreaterThan(98);
});

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
  const pick = (all: string[]) => all[Math.floor(Math.random() * all.length)] ?? '';
  const around = [' ', '，', '!', '张三', '谢谢', '你们', '1', '\u200b', '🙏', '\n', '请', '。'];
  const words = WORDS.filter((word) => word.length > 1);
  for (let round = 0; round < 5000; round++) {
    const text = [
      pick(around),
      pick(around),
      pick(FORMS.map((form) => form(pick(words)))),
      pick(around),
    ].join('');
    expect([text, readReply(text, fields)]).toEqual([
      text,
      expect.stringMatching(/^(stop|doubt)$/),
    ]);
  }
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
