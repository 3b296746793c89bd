import type { Template } from './build';
import { at, base, fields, isTrue, mapped, needs, note, only, sendTemplate } from './parts';

/** The document, which the user chooses in both nodes. Without a sheet, n8n would forget the columns. */
const SHEET = {
  resource: 'sheet',
  documentId: { __rl: true, mode: 'list', value: '' },
  sheetName: { __rl: true, mode: 'name', value: 'Sheet1' },
};

/** The nodes of the sheet wait for the user: n8n publishes no workflow whose nodes lack a credential. */
const OFF = { disabled: true };

const GOOGLE = { credentials: needs('googleSheetsOAuth2Api'), ...OFF };

const hourly = base(
  'scheduleTrigger',
  'Every hour',
  at(0),
  { rule: { interval: [{ field: 'hours' }] } },
  OFF,
);

const read = base(
  'googleSheets',
  'Read the sheet',
  at(1),
  {
    ...SHEET,
    operation: 'read',
    options: {
      outputFormatting: { values: { general: 'FORMATTED_VALUE', date: 'FORMATTED_STRING' } },
    },
  },
  GOOGLE,
);

const upload = base('formTrigger', 'A CSV file', at(0, 2), {
  authentication: 'n8nUserAuth',
  formTitle: 'Send an SMS to each row of a file',
  formDescription: 'Columns: phone, name, order, date. You get the rows back with a status.',
  formFields: {
    values: [
      {
        fieldName: 'file',
        fieldLabel: 'CSV file',
        fieldType: 'file',
        multipleFiles: false,
        acceptFileTypes: '.csv',
        requiredField: true,
      },
    ],
  },
  options: { path: 'sheet-sms', buttonLabel: 'Send', appendAttribution: false },
});

const extract = base('extractFromFile', 'Read the file', at(1, 2), {
  operation: 'csv',
  binaryPropertyName: 'file',
  options: { enableBOM: true },
});

const open = only(
  'Not sent yet',
  at(2),
  "={{ Boolean($json.phone) && !['accepted', 'unknown', 'skipped'].includes($json.status) }}",
);

const send = sendTemplate('Send the SMS', at(3), {
  to: '={{ $json.phone }}',
  parameters: {
    name: '={{ $json.name }}',
    order: '={{ $json.order }}',
    date: '={{ $json.date }}',
  },
  // The same row in another notation is the same message.
  key: "=row-{{ String($json.phone).normalize('NFKC').replace(/\\D/g, '').slice(-11) }}-{{ $json.order }}",
});

// Otherwise the two outputs of the send would make a file each.
const all = base('merge', 'All rows', at(4), { numberInputs: 2 });

const row = (column: string) => `={{ String($('Not sent yet').item.json.${column} ?? '') }}`;

const status = fields('Row and status', at(5), {
  phone: row('phone'),
  name: row('name'),
  order: row('order'),
  date: row('date'),
  status: '={{ $json.details?.status ?? $json.status }}',
  reason: "={{ $json.details?.msg ?? ($json.status === 'accepted' ? '' : $json.msg) }}",
});

// By the row: of the two triggers, the sheet's may be off.
const which = base('if', 'From the sheet?', at(6), {
  conditions: isTrue("={{ $('Not sent yet').item.json.row_number !== undefined }}"),
  options: {},
});

const update = base(
  'googleSheets',
  'Write the status',
  at(7),
  {
    ...SHEET,
    operation: 'update',
    columns: {
      ...mapped({
        row_number: "={{ $('Not sent yet').item.json.row_number }}",
        status: '={{ $json.status }}',
        reason: '={{ $json.reason }}',
      }),
      matchingColumns: ['row_number'],
    },
    options: { cellFormat: 'RAW' },
  },
  GOOGLE,
);

const file = base('convertToFile', 'Make the file', at(7, 1), {
  operation: 'csv',
  options: { fileName: 'sent.csv' },
});

const give = base('form', 'Give it back', at(8, 1), {
  operation: 'completion',
  respondWith: 'returnBinary',
  completionTitle: 'Done',
  completionMessage: 'The file says for each row whether it was sent.',
  inputDataFieldName: 'data',
  options: {},
});

const template: Template = {
  name: 'Sheet → SMS',
  notes: [
    note(
      'about',
      -80,
      { above: -30 },
      460,
      `## Sheet → SMS
One SMS for each row of a Google Sheet, or of a CSV file, and the status back into the row. A row is sent once: its phone and order are its key. What was refused is tried again next time.
表格每行发一条短信，并把结果写回该行。`,
    ),
    note(
      'set up',
      420,
      { above: -30 },
      560,
      `### Set up here
- *Send the SMS*: your credential, signature and template. Then map its parameters: n8n may have emptied them. Here they are \`name\`, \`order\` and \`date\`, the columns of the table.
- CSV files: no more. They have these columns and \`phone\`.
- Or a Google Sheet: activate *Every hour*, *Read the sheet* and *Write the status* (press D); in the last two, a Google credential and the document. Its sheet \`Sheet1\` has the columns \`status\` and \`reason\` too.`,
    ),
    note(
      'try',
      -80,
      { above: 390 },
      230,
      `### Try it
**Execute workflow** asks for a CSV file. It sends.`,
    ),
  ],
  lines: [
    [hourly, read],
    [read, open],
    [upload, extract],
    [extract, open],
    [open, send],
    [send, all],
    [send, all, 1, 1],
    [all, status],
    [status, which],
    [which, update],
    [which, file, 1],
    [file, give],
  ],
};

export default template;
