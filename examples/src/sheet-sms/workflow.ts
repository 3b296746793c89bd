import { base, choose, code, every, lane, mapped, sendRow, workflow } from '../parts';

/** The document, which the user chooses in both nodes. Without a sheet, n8n would forget the columns. */
const SHEET = {
  resource: 'sheet',
  documentId: { __rl: true, mode: 'list', value: '' },
  sheetName: { __rl: true, mode: 'name', value: 'Sheet1' },
};

export default workflow(
  {
    name: 'Google Sheet → SMS',
    about: `## Google Sheet → SMS
Every hour, one SMS for each row whose \`status\` is empty, and the outcome into its row. A row is sent once: its phone and order are its key. What was not sent says why: empty its status, and it is tried again.

每小时看一次 Google 表格，\`status\` 为空的行，一行发一条短信，结果写回该行。一行只发一次，以手机号和订单号为准。没发出去的写明原因；清空 \`status\`，下次再试。`,
    setUp: `### Set up here
- *Send the SMS*: your credential, signature and template. Then map its parameters: n8n may have emptied them. Here they are \`name\`, \`order\` and \`date\`, the columns of the sheet.
- *Read the sheet* and *Write the status*: a Google credential, and the document. Its sheet \`Sheet1\` has the columns \`phone\` (or 手机号, 电话), \`order\`, \`status\`, \`reason\`, and those of your parameters.
### 设置
- *Send the SMS*：凭据、签名、模板，再映射变量（n8n 可能已清空）。这里是表格的列 \`name\`、\`order\`、\`date\`，中文列名“姓名”“日期”也行。
- *Read the sheet*、*Write the status*：Google 凭据和文档。工作表 \`Sheet1\` 要有 \`phone\`（或“手机号”“电话”）、\`order\`、\`status\`、\`reason\` 列，和各变量的列。`,
    more: [
      `### What is sent · 发哪些
Rows that are hidden or filtered are sent, too: only a status keeps a row from being sent. Any will do: 不发. No other column may be a status of the SMS or an opt-out, such as 短信状态, sent_at or 退订. The workflow writes *accepted*, *rejected*, *unknown* (may have been sent) and *skipped* (sent before, or n8n was stopped right before the send).
隐藏、筛掉的行也会发。不要发的行，在 \`status\` 里写点什么，比如“不发”。不要再有别的短信状态列或退订列，如“短信状态”“发送时间”“退订”。工作流自己写 *accepted*（已受理）、*rejected*（没发）、*unknown*（可能已发出）、*skipped*（以前发过，或 n8n 在发送前一刻被停掉）。`,
      `### A row is found by its order · 按订单号找行
So you may sort while it sends. A row without an order, or with that of another row, is not sent, and a failed execution names it: choose an **Error Workflow** in the settings.
所以发送时也可以排序。没有订单号或订单号重复的行不发，失败的执行里写明是哪一行：请在设置里选一个 **Error Workflow**。`,
    ],
  },
  lane(
    [],
    [
      every('Every hour', 1, 'hours'),
      base(
        'googleSheets',
        'Read the sheet',
        {
          ...SHEET,
          operation: 'read',
          options: {
            outputFormatting: { values: { general: 'FORMATTED_VALUE', date: 'FORMATTED_STRING' } },
            dataLocationOnSheet: {
              values: { rangeDefinition: 'specifyRange', headerRow: 1, firstDataRow: 1 },
            },
          },
        },
        { needs: 'googleSheetsOAuth2Api' },
      ),
      code('Read the rows'),
      choose(
        'What to do',
        {
          'Send it': "={{ $json.action === 'send' }}",
          'Tell in its row': "={{ $json.action === 'tell' }}",
        },
        'It cannot be found',
      ),
      sendRow(),
      base(
        'googleSheets',
        'Write the status',
        {
          ...SHEET,
          operation: 'update',
          columns: {
            ...mapped({
              order: "={{ $('Read the rows').item.json.in_sheet }}",
              status: '={{ $json.details?.status ?? $json.status }}',
              reason:
                "={{ $json.details?.msg ?? $json.reason ?? ($json.status === 'accepted' ? '' : $json.msg) }}",
            }),
            matchingColumns: ['order'],
          },
          options: { cellFormat: 'RAW' },
        },
        { needs: 'googleSheetsOAuth2Api' },
      ),
    ],
    [['Send the SMS', 1], 'Write the status'],
    [['What to do', 1], 'Write the status'],
    [
      ['What to do', 2],
      // Behind all that can be sent or written.
      base('stopAndError', 'Rows that cannot be found', {
        errorMessage: "={{ $input.all().map(({ json }) => json.line).join('\\n') }}",
      }),
    ],
  ),
);
