import {
  base,
  every,
  everyMinute,
  lane,
  mail,
  makeTable,
  mapped,
  only,
  OR_CALLED,
  PATIENTLY,
  rows,
  shown,
  whenCalled,
  where,
  workflow,
} from '../parts';

const TABLE = 'sms_replies';

/** What cannot be read as a reply is stored and mailed as it came. */
const ROW = {
  phone_number: `={{ ${shown('($json.phone_number || $json.mobile)')} }}`,
  content: `={{ ${shown('($json.content ?? $json.answer)')} }}`,
  time: `={{ ${shown('($json.time_iso ?? $json.time)')} }}`,
};

const columns = [...Object.keys(ROW), 'answers_to', 'mailed'];

export default workflow(
  {
    name: 'Reply → table and mail',
    about: `## Reply → table and mail
Each reply becomes a row of the data table \`sms_replies\`, which is made at the first reply, and a mail. It is stored before it is mailed. What was not mailed is tried every 15 minutes, for a day.

每条上行存入数据表 \`sms_replies\`（第一条上行到来时建表），再发邮件。没发成的邮件每 15 分钟再试，试一天。`,
    setUp: `### Set up here
- *New replies*: your credential. An account has one trigger for replies.
- *Mail it*: an SMTP credential, and your mail address as sender. It is the recipient too, if you enter no other. Without mail, delete *Mail it*.
### 设置
- *New replies*：凭据。一个账号的上行只用一个触发器。
- *Mail it*：SMTP 凭据、您的邮箱（发件人；不另填就也是收件人）。不要邮件就删掉 *Mail it*。`,
    tryIt: `### Try it · 试一下
**Execute workflow** stores a sample reply in the real table, and mails it: delete its row. Publish to get real ones, every minute.
**Execute workflow** 把一条样例存进真实的表并发邮件，请删掉那一行。发布后每分钟拉取真实的上行。`,
  },
  lane(
    [['From another workflow', OR_CALLED]],
    [everyMinute('New replies', ['reply']), makeTable('Table of replies', TABLE, columns)],
    [
      'New replies',
      // Upsert, so that a reply that comes twice is one row.
      rows(
        'Store the reply',
        'upsert',
        TABLE,
        {
          ...where(ROW),
          columns: mapped({ ...ROW, answers_to: `={{ ${shown('$json.sms_content')} }}` }),
          options: {},
        },
        PATIENTLY,
      ),
      only('Not mailed yet', '={{ !$json.mailed }}'),
      mail(
        'Mail it',
        {
          subject: "=SMS from {{ $json.phone_number || 'a number that is not given' }}",
          text: `={{ $json.content }}

From {{ $json.phone_number || 'a number that is not given' }}, {{ $json.time }}
In answer to: {{ $json.answers_to || 'not known' }}`,
        },
        { waitBetweenTries: 5000, errors: true },
      ),
      rows('Mailed', 'update', TABLE, {
        ...where({ id: "={{ $('Not mailed yet').item.json.id }}" }),
        columns: mapped({ mailed: '={{ $now.toUTC().toISO() }}' }),
        options: {},
      }),
    ],
    [
      ['Mail it', 1],
      base('stopAndError', 'Say so', {
        errorMessage:
          '={{ $input.all().length }} replies are in the table and not mailed: {{ $json.error }}',
      }),
    ],
    [whenCalled(), 'Table of replies'],
    ['From another workflow', 'Store the reply'],
    [every('Every 15 minutes', 15, 'minutes'), 'Table of replies'],
    [
      'Every 15 minutes',
      // Younger ones are another execution's. What no mail server takes in a day is given up.
      rows('Replies of today', 'get', TABLE, {
        matchType: 'allConditions',
        filters: {
          conditions: [
            ['lt', '{ minutes: 15 }'],
            ['gt', '{ days: 1 }'],
          ].map(([condition, ago]) => ({
            keyName: 'createdAt',
            condition,
            keyValue: `={{ $now.minus(${ago}).toUTC().toISO() }}`,
          })),
        },
        returnAll: true,
      }),
      'Not mailed yet',
    ],
  ),
);
