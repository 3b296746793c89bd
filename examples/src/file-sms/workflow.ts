import { base, code, lane, MAY_RUN, sendRow, when, workflow } from '../parts';

const COUNT = "$('Read the rows').first().json.count";

const PAGE = { appendAttribution: false };

export default workflow(
  {
    name: 'File → SMS',
    about: `## File → SMS
One SMS for each row of an Excel or CSV file. You upload it in a form. A page then shows how many SMS it is, the first and the last row, and what is not sent and why: nothing is sent before you say so. The file comes back with a status in each row. A row is sent once: its phone and order are its key.

上传 Excel 或 CSV 文件，一行一条短信。发送前先给您看：共几条、第一行和最后一行、哪些不发和原因；您确认了才发。文件带着每行的结果返回。一行只发一次，以手机号和订单号为准。`,
    setUp: `### Set up here
*Send the SMS*: your credential, signature and template. Then map its parameters: n8n may have emptied them. Here they are \`name\`, \`order\` and \`date\`, the columns of the file. Then publish it: the form has an address.
### 设置
*Send the SMS*：凭据、签名、模板，再映射变量（n8n 可能已清空）。这里是文件的列 \`name\`、\`order\`、\`date\`，中文列名“姓名”“订单号”“日期”也行。然后发布，表单有自己的网址。`,
    tryIt: `### Try it · 试一下
**Execute workflow** asks for a file. It sends, if you say so.
点 **Execute workflow**，选一个文件。您确认后会真的发送。`,
    more: [
      `### The file · 文件
It has a column \`phone\`, 手机号 or 电话, a column \`order\`, and those of your parameters. CSV is read as UTF-8, as UTF-16, and as a Chinese Excel saves it. Rows that Excel hides or filters are in the file, and are sent too: delete them, or give them a \`status\`. A row with a status is not sent, unless it is *rejected*. 发送状态, 是否发送 and 已发送 count as that; an order’s status does not, and the page names each column that is not used.
要有“手机号”、“电话”或 \`phone\` 列，\`order\` 或“订单号”列，和各变量的列。CSV 可以是 UTF-8、UTF-16，或中文 Excel 存的。Excel 里隐藏、筛掉的行也在文件里，也会发：请删掉，或在“状态”（\`status\`）列里写点什么。有状态的行不发，*rejected* 除外。“发送状态”“是否发送”“已发送”也算，“订单状态”不算；没用到的列，确认页上会列出。`,
      `### Numbers of Excel · Excel 里的数字
n8n reads what is in a cell, and not what Excel shows. A whole number is read as its digits. Save the sheet as CSV UTF-8 if a column of a parameter has dates, times, percentages or leading zeros: that file has what Excel shows.
n8n 读单元格里的值，不是 Excel 显示的样子。整数读成数字。变量的列里有日期、时间、百分比或前导零时，请另存为 CSV UTF-8 再上传。`,
    ],
  },
  lane(
    [],
    [
      base(
        'formTrigger',
        'A file',
        {
          ...MAY_RUN,
          formTitle: 'Send an SMS to each row of a file',
          formDescription:
            'The first row names the columns: phone, name, order, date. Before anything is sent, you see how many SMS it is.',
          formFields: {
            values: [
              {
                fieldName: 'file',
                fieldLabel: 'Excel or CSV file',
                fieldType: 'file',
                multipleFiles: false,
                acceptFileTypes: '.xlsx,.xls,.csv,.txt',
                requiredField: true,
              },
            ],
          },
          options: { path: 'file-sms', buttonLabel: 'Next', ...PAGE },
        },
        { version: 2.6 },
      ),
      // It reads text files as well as workbooks, and leaves a text as it is.
      base(
        'extractFromFile',
        'Read the file',
        {
          operation: 'xlsx',
          binaryPropertyName: 'file',
          options: { headerRow: false, range: '0', rawData: true },
        },
        { always: true, goOn: true, version: 1.1 },
      ),
      code('Read the rows'),
      when('Any to send?', `={{ ${COUNT} > 0 }}`),
      base('form', 'Ask', {
        operation: 'page',
        formFields: {
          values: [
            {
              fieldName: 'answer',
              fieldLabel: 'Send them?',
              fieldType: 'dropdown',
              fieldOptions: { values: [{ option: 'No' }, { option: 'Yes, send them' }] },
              requiredField: true,
            },
          ],
        },
        options: {
          formTitle: '={{ $json.title }}',
          formDescription: '={{ $json.text }}',
          buttonLabel: 'OK',
        },
      }),
      when('Yes?', "={{ $json.answer === 'Yes, send them' }}"),
      code('Rows to be sent'),
      sendRow(),
      // Otherwise each way to it would make a page.
      base('merge', 'All outcomes', { numberInputs: 2 }),
      code('What became of it'),
      base('form', 'Give it back', {
        operation: 'completion',
        respondWith: 'returnBinary',
        completionTitle: '={{ $json.title }}',
        completionMessage: '={{ $json.text }}',
        inputDataFieldName: 'data',
        options: {},
      }),
    ],
    [
      ['Send the SMS', 1],
      ['All outcomes', 0, 1],
    ],
    [['Yes?', 1], 'What became of it'],
    [['Any to send?', 1], 'What became of it'],
  ),
);
