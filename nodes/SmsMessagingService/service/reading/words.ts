import { textOf } from '../json';

/*
 * What the words of a refusal mean, in Chinese and English. They decide if the credential says nothing about
 * the code. They are guesses: if in doubt, a message counts as one that may have been sent.
 */

/**
 * - `success`: what was asked was done, or a part of it;
 * - `unclear`: the service has failed, perhaps after it had done it;
 * - `repeated`: the same request came before, and may have been done then;
 * - `throttled`: requests come too fast;
 * - `tooOften`: one phone number gets messages too often;
 * - `empty`: there is nothing to pull.
 */
type WordMeaning = 'success' | 'unclear' | 'repeated' | 'throttled' | 'tooOften' | 'empty';

/** In characters. No sentence of a service is longer. */
const MAX_LENGTH = 1_000;

/**
 * What the words of a refusal mean.
 *
 * @param words one text for each field
 * @returns undefined for any other refusal
 */
export function meaningOfWords(words: string[]): WordMeaning | undefined {
  const text = plain(words.join('; ').slice(0, MAX_LENGTH));
  return RULES.find(([, applies]) => applies(text, words))?.[0];
}

/** What may be done or fail, in Chinese. */
const ACTION = '操作|提交|发送|请求|处理|创建|新增|添加|修改|更新|编辑|删除|保存';

const SUCCESS_WORD = `ok|true|succ|success(?:ful(?:ly)?)?|succeed(?:ed)?|done|completed?|created|updated|deleted|saved|no errors?|(?:${ACTION}|查询|获取|拉取)?成功|(?:操作|提交|发送|处理)完成|(?:短信|消息)?已(?:发送|发出)|等待发送|正常`;

const FAILED_WORD = `fail(?:ed|ure)?|error|reject(?:ed)?|refused?|false|invalid|(?:${ACTION})?失败`;

const FAILED_SENTENCE = new RegExp(
  String.raw`^(?:全部|均|短信|模板|${ACTION})*失败|^all .*failed|^failed to |^[a-z]+ failed\b`,
  'i',
);

/** Whether a value is a word of success and nothing else. */
export const isSuccessWord = isWord(SUCCESS_WORD);

/** Whether a value is a word of failure and nothing else. */
export const isFailedWord = isWord(FAILED_WORD);

function isWord(words: string): (value: unknown) => boolean {
  const pattern = new RegExp(`^(?:${words})[!.。!]?$`, 'i');
  return (value) => pattern.test(textOf(value));
}

/** Whether a text is a sentence of failure, and not one such as "2 succeeded, 1 failed". */
export function saysFailure(text: string): boolean {
  return meaningOfWords([text]) === 'unclear' || FAILED_SENTENCE.test(text);
}

/** A text in lower case and half-width, with a space between the words of a name, and without quotations. */
function plain(text: string): string {
  const spaced = text
    .normalize('NFKC')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/([a-z])[_-]+(?=[a-z])/gi, '$1 ')
    .toLowerCase();
  const unquoted = spaced.replace(QUOTED, ' ');
  return /\p{L}/u.test(unquoted) ? unquoted : spaced;
}

const QUOTED = /“[^”]*”|"[^"]*"|‘[^’]*’|(?<!\w)'[^']*'(?!\w)|「[^」]*」|《[^》]*》|【[^】]*】/g;

/** Returns a pattern that matches if one of several does. */
function anyOf(...patterns: RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('|'));
}

/** Whether a text matches a pattern, and not another that gives it a different meaning. */
const has = (pattern: RegExp, except?: RegExp) => (text: string) =>
  pattern.test(text) && !except?.test(text);

/** A failure of the service itself. */
const FAILURE = anyOf(
  /(?:系统|服务器?|服务端|内部|平台|程序|接口|数据库|网络|网关|通道|运行|处理|后台|上游|下游)(?:级|内部|发生|出现|未知|处理){0,2}的?(?:错误|异常|故障|出错|崩溃)/,
  /(?:提交|发送|扣费|计费|队列|返回|调用|执行)异常|连接(?:失败|异常|错误|断开)|开小差/,
  /(?:未知|其[他它])的?(?:错误|异常|原因|状态|结果|问题|故障)|(?:原因|状态|结果|错误)未知/,
  /\b(?:internal|system|server|service|unknown|unexpected|unhandled|database|db|sql|network|gateway|backend|upstream|platform|runtime|other)(?: server| system| service)? (?:error|exception|failure|fault)\b/,
  /\b(?:null ?pointer|out of memory|io|socket|connect|remote) (?:exception|error)\b|\bbad gateway\b/,
  /\bwent wrong\b|\bconnection (?:failed|failure|refused|reset|lost|closed|error)\b|\brpc (?:failed|failure|error)\b|^(?:exception|unknown)\W*$/,
);

/** No two requests of this package are equal, so a proxy has repeated one of them. */
const REPEATED = anyOf(
  /重复(?:的)?(?:提交|请求|调用)|(?:提交|请求|nonce|随机[数串])(?:已)?重复|nonce.{0,4}已(?:被)?使用|请求已[被经]?处理|重放/,
  /\breplay(?:ed)?\b|\b(?:duplicated?|repeated) (?:request|submission|nonce)\b|\brequest\b.{0,10}\balready (?:been )?(?:processed|handled|received|submitted|accepted|exist)|\bnonce\b.{0,20}\b(?:used|duplicate|repeated|exists)\b/,
);

const TIMEOUT = anyOf(
  /(?<!(?:时间戳|签名|令牌|token|登录|会话|验证码)已?)超时(?!时间|设置|提醒|通知|参数|模板|短信)/,
  /(?<!(?:timestamp|token|session|sign|signature|nonce)(?: has| is)? )\btimed? ?out\b(?! (?:parameter|value|field|must|should|template|reminder))/,
  /deadline exceeded|no response|[未无]响应|无应答/,
);

/** The service is busy, or asks to try again. */
const BUSY = anyOf(
  /繁忙|(?:系统|服务器?)忙|稍[后候]再?(?:试|重试|请求|提交|发送|操作)|请重试|维护中|系统维护/,
  /(?:系统|服务|接口|平台|通道|网关).{0,4}不可用|暂时(?:无法|不能)(?:处理|提供|响应)/,
  /\bbusy\b|\btry (?:it )?(?:again|later)|(?<!not )\bretry\b|service (?:is )?(?:temporarily )?unavailable|temporarily unavailable|under maintenance|overload/,
);

/** A reason for a refusal. Beside it, "try again later" does not say that the service has failed. */
const REASON = anyOf(
  /不存在|不足|欠费|未通过|审核|无效|非法|不合法|不正确|有误|不匹配|不支持|不允许|禁止|禁用|停用|冻结|黑名单|敏感|违禁|为空|缺少|缺失|未开通|未授权|未报备|未实名|无权|权限|过期|失效|参数错误|格式|[超过]长|重复/,
  /not exist|n't exist|not found|insufficient|not enough|invalid|illegal|approv|review|black ?list|sensitive|forbidden|denied|permission|authori[sz]ed|not supported|unsupported|disabled|frozen|expired|required|missing|\bmust\b|duplicate|malformed|incorrect|not allowed/,
);

const TOO_FAST = anyOf(
  /[过太]快|流速|流控|流量(?:控制|限制|超限)|限流|限速|限频|频率(?!参数)|频次|频繁|(?:请求|调用|访问|提交|并发)(?:次数|速度|速率|数|量)?[过太][多高]|并发.{0,6}(?:超|限)|每(?:秒|分钟?).{0,12}(?:超|最多|限)|超.{0,8}(?:速率|速度|并发)/,
  /rate ?limit|too (?:fast|frequent|often|quick)|too many (?:\w+ )?(?:requests?|calls|connections|attempts|submissions|queries)|throttl|frequen(?:cy|t)|\bfreq\b|slow down|flow (?:control|limit)|(?:speed|rate|concurren\w+) .{0,15}(?:limit|exceed)|exceed.{0,20}\b(?:rate|speed)\b|\b(?:qps|tps)\b|per (?:second|minute)/,
);

/** A phone number, or what is sent to it. Waiting a moment does not help, and other numbers may work. */
const NUMBER = anyOf(
  /号码|手机|电话|被叫|同一号|接收[方者人]|终端|收件人|[该同单][个一]?用户|(?:相同|同一|重复)内容/,
  /mobile|phone|msisdn|recipient|receiver|subscriber|destination|\b(?:this|that|the|same|each|per|one|a) numbers?\b(?! of)|\bnumber \d|same content/,
  /(?<!\d)(?:\+\d{7,15}|(?:86)?1[3-9]\d[\d*]{4}\d{4})(?!\d)/,
);

/** Whether "too fast" is about one phone number. A limit that counts numbers is about the speed. */
function isAboutNumber(text: string): boolean {
  return NUMBER.test(PER_TIME.test(text) ? text.replace(COUNTED, ' ') : text);
}

const PER_TIME = /每(?:秒|分钟)|\bper (?:second|minute)|\/ ?(?:s|sec|min)\b/;

/** A number of phone numbers that is not 1. */
const COUNTED =
  /(?<!\d)(?:[2-9]|\d{2,6}) ?个?(?:手机号码?|号码|(?:phone |mobile )?(?:numbers|phones|mobiles|recipients))|(?:手机号码?|号码)数/g;

/** Nothing to pull. */
const NOTHING = anyOf(
  /(?:暂无|没有|无|未(?:查询|获取)到|暂时没有)(?:可(?:拉取|获取|用)的?|待(?:拉取|获取)的?|新的?|更多的?|任何|相关|可用)?(?:状态)?(?:数据|记录|报告|回执|上行|回复|消息|信息)/,
  /队列(?:为空|已空|是空的)|空队列|(?<!提交|请求|传入|参数|内容)(?:数据|列表|结果|记录)为空|^\W*暂无\W*$/,
  /\bno (?:more |new |pending |available |any )*(?:data|records?|reports?|replies|results?|receipts?|mo)\b(?! (?:of|for|plan|access))|\bnothing (?:to|there|new|found)\b|\bno more\W*$|^\W*empty\W*$/,
  /\b(?:queue|mailbox|inbox|(?:result|report|reply) ?(?:list|set)?|list) (?:is |was )?empty\b|\bempty (?:queue|list|result|set|data)\b/,
);

/** Beside these, "no data" is about a permission. */
const RIGHTS = /权限|授权|开通|余额|permission|authori|access|denied|balance/;

/** A part was done, or a number of messages. */
const PART = anyOf(
  /部分.{0,20}(?:成功|失败|过滤|剔除|受理)|部分(?:手机)?号码?.{0,10}(?:错误|无效|有误|非法)|已自动(?:过滤|剔除|跳过)/,
  /(?:成功|已提交|已发送)\D{0,4}[1-9]\d*|[1-9]\d*\s*[条个].{0,4}(?<![未不没])(?:成功|已提交|已发送)/,
  /(?:提交|发送)\D{0,2}(?<all>[1-9]\d*)\s*[条个]\D{0,3}(?:失败|拦截|过滤)\D{0,2}(?!\k<all>(?!\d))\d/,
  /其[余他它](?:手机)?(?:号码|短信|消息)?(?:已|正常|成功)(?:正常|成功)?(?:发送|提交|下发|发出|受理)/,
  /\bpartial(?:ly)?(?: \w+){0,2} (?:success|succe|accept|sent|submit|deliver|complete|fail|process)|\b(?:success\w*|succeeded|accepted|sent|submitted|completed|delivered) partial|\bpartial\W*$/,
  /\b(?:accepted|sent|submitted|delivered) [1-9]\d*(?: ?\/| (?:out )?of\b|\D{0,12}\b(?:fail|reject))/,
  /\b(?:rest|others?) (?:(?:were|was|are|have been) )?(?:accepted|sent|submitted)\b|\b(?:completed|finished|done) with (?:\w+ )?(?:error|failure)/,
  /\bsome (?:\w+ ){0,3}(?:failed|rejected|succeeded|accepted|sent)\b/,
  /\b[1-9]\d*(?: ?\/ ?\d+| of \d+| messages?| sms| numbers?| phones?| recipients?| were| was| have been)* (?:success\w*|succeeded|accepted|sent|submitted|queued|delivered)\b(?! (?:phone|mobile|number|recipient))/,
  /\b(?:success\w*|succeeded|accepted|sent|submitted) ?[:=] ?[1-9]/,
);

/** Beside these, a number of messages is a limit, or counts earlier ones. */
const LIMIT =
  /最多|[每今当][日天秒分]|\bmaximum\b|at most|\btoday\b|\bonly\b|per (?:day|hour|minute|second)/;

/** The Chinese word of success, but not in "success rate" or "only after success". */
const CHENGGONG = /成功(?![率后之才方前次数条的])/;

const NOT_CHENGGONG = /(?:未|不|没|无法|尚|非|是否|若|待|需).{0,6}成功|失败|敏感|违禁/;

/** A sentence of success, such as "request accepted". */
const SUCCESS = anyOf(
  /\bsuccess(?:ful(?:ly)?)?\b|\bsucceed(?:ed)?\b|已(?:提交|受理|接收|接受)(?!过)|已(?:进入|加入).{0,4}队列/,
  /\b(?:request|messages?|sms|batch|submission|task|all)\b.{0,20}\b(?:accepted|submitted|queued|sent|received)\b/,
  /^\W*(?:accepted|submitted|queued|sent)\W*$/,
);

/** Beside these, such as in "not accepted", it does not say success. */
const NOT_SUCCESS = anyOf(
  /\b(?:not|no|never|cannot|can't|isn't|wasn't|unable|fail\w*|without|rate|before|after|until|if|only|must|should|too|exceed\w*|limit\w*|error|already)\b|n't\b/,
  /失败|未|不能|无法/,
);

/** Meanings, and when they apply. The first that applies counts. */
const RULES: [WordMeaning, (text: string, words: string[]) => boolean][] = [
  ['repeated', has(REPEATED, NUMBER)],
  ['unclear', has(FAILURE)],
  ['success', has(PART, LIMIT)],
  ['unclear', has(TIMEOUT, REASON)],
  ['empty', has(NOTHING, RIGHTS)],
  ['success', (_, words) => words.some(isSuccessWord)],
  ['success', has(CHENGGONG, NOT_CHENGGONG)],
  ['success', has(SUCCESS, NOT_SUCCESS)],
  ['tooOften', (text) => TOO_FAST.test(text) && isAboutNumber(text)],
  ['throttled', has(TOO_FAST)],
  ['unclear', has(BUSY, REASON)],
];
