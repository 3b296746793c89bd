import {
  base,
  everyMinute,
  lane,
  mail,
  makeTable,
  mapped,
  ONE_BY_ONE,
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
  // Without a time of day, an equal reply of another page is another one.
  page: `={{ ${shown("($json.time_iso ? '' : ($json.page_id ?? '').split('/')[0])")} }}`,
};

const columns = [...Object.keys(ROW), 'answers_to', 'mailed'];

export default workflow(
  {
    name: 'Reply → table and mail',
    about: `## Reply → table and mail
Each reply becomes a row of the data table \`sms_replies\`, which is made at the first reply, and a mail. It is stored before it is mailed.

每条上行存入数据表 \`sms_replies\`（第一条上行到来时建表），再发邮件。`,
    setUp: `### Set up here
- *New replies*: your credential. An account has one trigger for replies.
- *Mail it*: an SMTP credential, and your mail address as sender. It is the recipient too, if you enter no other. Without mail, delete *Mail it*.
### 设置
- *New replies*：凭据。一个账号的上行只用一个触发器。
- *Mail it*：SMTP 凭据、您的邮箱（发件人；不另填就也是收件人）。不要邮件就删掉 *Mail it*。`,
    tryIt: `### Try it · 试一下
**Execute workflow** stores a sample reply in the real table, and mails it: delete its row. Publish to get real ones, every minute.
**Execute workflow** 把一条样例存进真实的表并发邮件，请删掉那一行。发布后每分钟拉取真实的上行。`,
    more: [
      `### If something fails · 出错时
What is not stored or not mailed comes again, each reply alone, for a day or as long as nothing works. It stays one row, and a mail that fails holds up no other.
没存上或没发成邮件的会一条一条再来，试一天；全都不行时一直试。表里仍是一行，失败的不会挡住别的。`,
    ],
  },
  lane(
    [['From another workflow', OR_CALLED]],
    [
      everyMinute('New replies', ['reply'], { repeatFailed: true }),
      makeTable('Table of replies', TABLE, columns),
    ],
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
      // What is refused stays a row that is not mailed.
      mail(
        'Mail it',
        {
          subject: "=SMS from {{ $json.phone_number || 'a number that is not given' }}",
          text: `={{ $json.content }}

From {{ $json.phone_number || 'a number that is not given' }}, {{ $json.time }}
In answer to: {{ $json.answers_to || 'not known' }}`,
        },
        { ...ONE_BY_ONE, errors: true },
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
  ),
);
