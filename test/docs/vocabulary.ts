/** Who may say no: a word for each. n8n, and a person, refuse too. */
const SERVICE = '(?:service|provider|carrier)s?';
const RULES = '(?:rules?|outbox|limits?)';

/**
 * One word for each thing, in both languages, and the words that are not used for it. `test/docs/` looks for these
 * in the pages, in the texts of the nodes, and in the notes and pages of templates and desk.
 */
export const VOCABULARY: [english: string, chinese: string, ...not: RegExp[]][] = [
  [
    'rejected',
    '拒绝',
    new RegExp(
      `\\b${SERVICE}\\b(?: (?:also|has|have|had|may|might|can|could|would|does|did|not|then))* refus`,
      'i',
    ),
    new RegExp(`\\brefus(?:ed|als?) (?:by|of) (?:the|your|a) (?:SMS )?${SERVICE}\\b`, 'i'),
    /服务商?[^。，；：、“”]{0,8}拦[下截]/,
  ],
  [
    'refused',
    '拦下',
    new RegExp(`\\b${RULES}\\b(?: (?:also|has|have|had|may|would))* reject`, 'i'),
    new RegExp(`\\breject(?:ed|s)? by (?:the |your )?${RULES}\\b`, 'i'),
    /(?:规则|发件箱|限额)[^。，；：、“”]{0,8}拒绝/,
  ],
  [
    'delivery report',
    '状态报告',
    /\bdelivery receipts?\b|\bstatus reports?\b/i,
    /(?<!、|（)回执|(?:送达|投递|发送)报告/,
  ],
  [
    'reply',
    '上行',
    /\b(?:inbound|incoming) (?:sms|messages?)\b|\bMO messages?\b/i,
    /(?:收到|最近|最新|客户的)回复|上行消息/,
  ],
  ['dashboard', '看板', /仪表[盘板]|数据面板|概览(?!页)/],
  ['template parameter', '模板变量', /\btemplate variables?\b/i, /模板参数|模板的参数/],
  ['accepted', '已受理', /已接受|被接受|已提交(?!过)/],
  ['credential', '凭据', /凭证/],
  ['message, SMS', '短信', /(?<!群)消息(?!队列)/],
  ['opt-out', '退订', /取消订阅/],
  ['the SMS desk', '短信工作台', /短信(?:桌面|平台|中心)/],
  ['SMS provider', '服务商', /供应商|\bSMS vendor\b/i],
];
