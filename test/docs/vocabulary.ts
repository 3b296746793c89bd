/**
 * One word for each thing, in both languages, and the words that are not used for it. `test/docs/` looks for these
 * in the pages, in the texts of the nodes, and in the notes and pages of templates and desk.
 */
export interface Entry {
  english: string;
  chinese: string;
  /** What must not stand for it. */
  not: RegExp[];
}

/** Who may say no: a word for each. n8n, and a person, refuse too. */
const SERVICE = '(?:service|provider|carrier)s?';
const RULES = '(?:rules?|outbox|limits?)';

export const VOCABULARY: Entry[] = [
  {
    english: 'rejected',
    chinese: '拒绝',
    not: [
      new RegExp(
        `\\b${SERVICE}\\b(?: (?:also|has|have|had|may|might|can|could|would|does|did|not|then))* refus`,
        'i',
      ),
      new RegExp(`\\brefus(?:ed|als?) (?:by|of) (?:the|your|a) (?:SMS )?${SERVICE}\\b`, 'i'),
      /服务商?[^。，；：、“”]{0,8}拦[下截]/,
    ],
  },
  {
    english: 'refused',
    chinese: '拦下',
    not: [
      new RegExp(`\\b${RULES}\\b(?: (?:also|has|have|had|may|would))* reject`, 'i'),
      new RegExp(`\\breject(?:ed|s)? by (?:the |your )?${RULES}\\b`, 'i'),
      /(?:规则|发件箱|限额)[^。，；：、“”]{0,8}拒绝/,
    ],
  },
  {
    english: 'delivery report',
    chinese: '状态报告',
    not: [/\bdelivery receipts?\b|\bstatus reports?\b/i, /(?<!、|（)回执|(?:送达|投递|发送)报告/],
  },
  {
    english: 'reply',
    chinese: '上行',
    not: [
      /\b(?:inbound|incoming) (?:sms|messages?)\b|\bMO messages?\b/i,
      /(?:收到|最近|最新|客户的)回复|上行消息/,
    ],
  },
  {
    english: 'dashboard',
    chinese: '看板',
    not: [/仪表[盘板]|数据面板|概览(?!页)/],
  },
  {
    english: 'template parameter',
    chinese: '模板变量',
    not: [/\btemplate variables?\b/i, /模板参数|模板的参数/],
  },
  {
    english: 'accepted',
    chinese: '已受理',
    not: [/已接受|被接受|已提交(?!过)/],
  },
  {
    english: 'credential',
    chinese: '凭据',
    not: [/凭证/],
  },
  {
    english: 'message, SMS',
    chinese: '短信',
    not: [/(?<!群)消息(?!队列)/],
  },
  {
    english: 'opt-out',
    chinese: '退订',
    not: [/取消订阅/],
  },
  {
    english: 'the SMS desk',
    chinese: '短信工作台',
    not: [/短信(?:桌面|平台|中心)/],
  },
  {
    english: 'SMS provider',
    chinese: '服务商',
    not: [/供应商|\bSMS vendor\b/i],
  },
];
