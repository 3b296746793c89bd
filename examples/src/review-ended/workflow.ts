import {
  base,
  every,
  lane,
  mail,
  makeTable,
  mapped,
  PATIENTLY,
  rows,
  shown,
  sms,
  when,
  where,
  workflow,
} from '../parts';

const TABLE = 'sms_reviews_told';

/** With the text: what is changed and refused again between two looks is another review. */
const REVIEW = {
  template_id: `={{ ${shown('$json.id')} }}`,
  audit_status: `={{ ${shown('$json.audit_status')} }}`,
  content: `={{ ${shown('$json.content')} }}`,
};

const LINE =
  "`${json.name ?? ''} (${json.id}): ${{ 2: 'passed', 3: 'rejected' }[json.audit_status] ?? 'status ' + (json.audit_status ?? 'not given')}. ${json.content ?? ''}`";

export default workflow(
  {
    name: 'Review ended → mail',
    about: `## Review ended → mail
Looks every 15 minutes whether the review of a template has ended, and mails the result. The first mail lists all templates whose review has ended before. A result counts as told once its mail is sent.

每 15 分钟看一次模板审核有没有结果，有就发邮件。第一封列出以前审完的全部模板。邮件发出才算通知过。`,
    setUp: `### Set up here
- *List the templates*: your credential.
- *Mail the results*: an SMTP credential, and your mail address as sender. It is the recipient too, if you enter no other.
- The platform's manual does not say what the numbers of **audit_status** mean. Here 0 and 1 are in review, 2 is passed and 3 is rejected, as in a public client. If yours differ, change *Review has ended*.
### 设置
- *List the templates*：凭据。
- *Mail the results*：SMTP 凭据、您的邮箱（发件人；不另填就也是收件人）。
- 服务商的文档没有说明 **audit_status** 的含义。这里照一个公开的客户端：0、1 审核中，2 通过，3 拒绝。您的服务商不同时，改 *Review has ended*。`,
    more: [
      `### What it does not see · 看不到的
A review that begins and ends between two looks, with the same text and result as before. If the service gives no list, the execution fails.
两次查看之间开始又结束、正文和结果都没变的审核。取不到列表时，执行失败。`,
    ],
  },
  lane(
    [],
    [
      every('Every 15 minutes', 15, 'minutes'),
      sms('List the templates', { resource: 'template', operation: 'getAll', returnAll: true }),
      makeTable('Table of results', TABLE, Object.keys(REVIEW)),
    ],
    [
      'List the templates',
      when('Review has ended', "={{ !['0', '1'].includes(String($json.audit_status)) }}"),
      rows('Not told yet', 'rowNotExists', TABLE, { ...where(REVIEW) }),
      mail(
        'Mail the results',
        {
          subject:
            "={{ $input.all().length === 1 ? 'SMS: a review has ended' : 'SMS: ' + $input.all().length + ' reviews have ended' }}",
          text: `={{ $input.all().map(({ json }) => ${LINE}).join('\\n') }}`,
        },
        { once: true, ...PATIENTLY },
      ),
      base('code', 'Each of them', { jsCode: "return $('Not told yet').all();" }),
      // One row for each template: what it was before may come again.
      rows('Told', 'upsert', TABLE, {
        ...where({ template_id: REVIEW.template_id }),
        columns: mapped(REVIEW),
        options: {},
      }),
    ],
    [
      ['Review has ended', 1],
      rows('In review again', 'deleteRows', TABLE, {
        ...where({ template_id: REVIEW.template_id }),
        options: {},
      }),
    ],
  ),
);
