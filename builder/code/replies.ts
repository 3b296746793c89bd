/** What a reply says about further messages: the one law of the templates and the desk. It reads words, not opinions. */

/** The words by which people opt out. Their owner sees and changes them in a field of the workflow. */
export const STOP_WORDS =
  'TD, T, R, STOP, UNSUBSCRIBE, 退订, 拒收, 取消订阅, 不要再发, 别再发, 不要再给我发, 别再给我发';

/** The words of a complaint, and those of an opt-out that also stand in other texts. */
export const DOUBT_WORDS =
  '投诉, 举报, 报警, 工信部, 骚扰, 打扰, 勿扰, 拉黑, 屏蔽, 退定, 推订, TUIDING, 订阅, 停止, 取消发送, 取消短信, 关闭短信, 12321, 12315, 12300, OPT OUT, REMOVE ME, COMPLAIN, SPAM, UNSUB, 垃圾短信, 骗子, 诈骗, 别烦, 不要烦, 把我删, 号码删, 删除我, 去告你, 要告你, 就告你, 退丁, 退顶, OPT ME OUT, LEAVE ME ALONE, TAKE ME OFF, OFF YOUR LIST';

/** What may stand around a word, because it changes nothing: no word that denies, asks or names a thing. */
const FILLERS =
  '回复,回,发送,请,麻烦,谢谢,谢,多谢,感谢,您好,你好,您,你,们,我,要,想,帮,给,申请,要求,立即,马上,全部,所有,短信,简讯,信息,讯息,消息,了,吧,啊,哦,一下,' +
  'PLEASE,PLS,THANK YOU,THANKS,THX,REPLY,SEND,SENDING,TEXTING,MESSAGES,SMS,ME,ALL,NOW';

/**
 * No more messages, in other words than those of a list. “不发货” and “特别快” are no such words, and “别发” is one
 * only at the end: “别发顺丰” is about a parcel.
 */
const NO_MORE = [
  /((?<![特收])[不别勿].{0,8}|拒绝)(短信|简讯|信息|消息|广告)/,
  /(?<![特收])[不别勿].{0,8}(再发|发送|发了$)/,
  /([别勿停]|不[要用必许准])[再给我们本人]*(发[啦来]?(给我们?)?|联系我?)( |$)/,
  /([不别勿]|取消|拒绝|停止|关闭)[再要想给我]*(接?收到?了?( |$)|推送|推销|接收)/,
  /(天天|老是|总是|一直)[给我]*发( |$|短信|信息|消息)/,
  /\b(NOT|DON ?T|NO MORE)\b.{0,12}\b(TEXT|MESSAGE|SMS|SEND|CONTACT)/,
  /^(PLEASE |PLS )?(QUIT|END)( PLEASE| PLS)?$|\bQUIT (TEXT|SEND|MESSAG|CONTACT)/,
  /(从|删|移|去掉).{0,8}名单|名单.{0,8}(删|移|去掉)/,
  /(删[除掉去]?|移[除出走]|去掉|注销|清除)[我们本人的这个]*(手机|电话)?(号|电话)(码|$| )/,
  /[我本把此](们|人|的|这个|手机|电话)*(号码?|电话)\d*[^\d ]{0,6}(删|移[除出走]|去掉|注销|清除)/,
  /移[除出走]我们?( |$)|[把将]我们?(从[^ ]{0,8})?(删|移[除出走]|去掉|剔除)/,
  /(无[需须]|[莫毋])[给向对我们本人]*再[给向对我们本人]*(发(?![货票])|联系)|(^| )我们?不[想再]?订了( |$|谢)/,
  /\b(REMOVE|DELETE|ERASE|TAKE OFF)( US|( MY| THIS)?( PHONE| MOBILE| CELL)? NUMBER)\b(?! \d{1,3}\b)/,
  /\bTAKE (MY|THIS)( PHONE| MOBILE| CELL)? (NUMBER|NAME) OFF\b/,
];

/** The traditional signs of these words, and the simplified ones. */
const SIGNS = [
  '訂閱別發給訴舉報騷擾關閉騙詐煩復覆請謝們幫馬聯繫銷訊傳簡廣單刪頂號碼從註無須電話機將這個對',
  '订阅别发给诉举报骚扰关闭骗诈烦复复请谢们帮马联系销讯发简广单删顶号码从注无须电话机将这个对',
] as const;

/** A text in its normal form: upper case, simplified, and one space for what is neither a letter nor a digit. */
const plain = (text: unknown): string =>
  String(text ?? '')
    .normalize('NFKC')
    .toUpperCase()
    .replace(/(?!\s)[\p{M}\p{C}\p{DI}]/gu, '')
    .replace(/\p{sc=Han}/gu, (sign) => SIGNS[1][SIGNS[0].indexOf(sign)] ?? sign)
    .replace(/[\p{P}\p{S}\p{Z}\s]+/gu, ' ');

/** The words of a list, as they stand in a text of that form: the longest first, and without their spaces. */
const wordsOf = (list: string): string[] =>
  list
    .split(/[,，、;；/|\n]/)
    .map((word) => plain(word).replaceAll(' ', ''))
    .filter(Boolean)
    .sort((a, b) => b.length - a.length);

/** Finds any of these words, also with a space between two of its letters. */
const anyOf = (words: string[], around: (spaced: string, word: string) => string): RegExp =>
  new RegExp(
    words
      .map((word) => around([...word].join(' ?'), word))
      .concat('(?!)')
      .join('|'),
    'g',
  );

/** A Chinese word may stand anywhere, another one only whole, or twice: TDTD, but not TT. */
const whole = (spaced: string, word: string): string =>
  /^\w{2,}$/.test(word) ? `\\b(?:${spaced})+\\b` : spaced.replace(/^(?=\w)|(?<=\w)$/g, '\\b');

/** A word may stand in a longer one, but a number not in a longer number, and no short word beside a letter. */
const inside = (spaced: string, word: string): string => {
  if (/^\d+$/.test(word)) return `(?<!\\d)${spaced}(?!\\d)`;
  if (!/^\w{1,3}$/.test(word)) return spaced;
  return word.length === 1 ? '(?!)' : `(?<![A-Z])${spaced}(?![A-Z])`;
};

/**
 * Whether a text says one of the words, once or more, and nothing else that matters: “请回复ＴＤ，谢谢” says TD,
 * “T恤” does not say T. Width, case, spaces, punctuation, emoji and invisible characters do not matter.
 *
 * @param words with commas between them
 */
export function saysOnly(content: unknown, words: string): boolean {
  const rest = plain(content)
    .replace(anyOf(wordsOf(words), whole), '#')
    .replace(anyOf(wordsOf(FILLERS), whole), '')
    .replaceAll(' ', '');
  return /^#+$/.test(rest);
}

/** Whether one of the words stands in a text, whatever else is there: “TD 张三” has TD in it. */
export function mentions(content: unknown, words: string): boolean {
  return anyOf(wordsOf(words), inside).test(plain(content));
}

/** A field of an Edit Fields node: its owner sees and changes the words there. */
interface Field {
  name: string;
  value: unknown;
}

/**
 * What a reply says, by the fields `…_words` of the node that reads it:
 *
 * - `stop`: it consists of `stop_words`. Its number gets no more messages.
 * - `start`: it consists of `start_words`, which may have a stop word in them. Its number gets messages again.
 * - `doubt`: a word of `stop_words` or `doubt_words` stands in it. Its number gets none until a person has decided.
 * - `person`: a word of `person_words` stands in it.
 * - `confirm`, if there are `confirm_words` and it consists of these, and so on.
 * - Otherwise nothing.
 */
export function readReply(content: unknown, fields: Field[]): string {
  const lists = new Map(
    fields.map(({ name, value }) => [
      name.replace(/_words$/, ''),
      name.endsWith('_words') ? String(value) : '',
    ]),
  );
  const { stop = '', start = '', doubt = '', person = '', ...answers } = Object.fromEntries(lists);
  if (saysOnly(content, stop)) return 'stop';
  if (saysOnly(content, start)) return 'start';
  if (mentions(content, `${stop},${doubt}`)) return 'doubt';
  if (NO_MORE.some((words) => words.test(plain(content).trim()))) return 'doubt';
  if (mentions(content, person)) return 'person';
  return Object.keys(answers).find((name) => saysOnly(content, answers[name] ?? '')) ?? '';
}
