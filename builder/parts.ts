/** What the templates, and in part the desk, are made of: nodes of n8n's workflow SDK, with the versions and defaults used here. */
import { node, sticky, trigger } from '@n8n/workflow-sdk';
import type { IDataObject, NodeConfig, NodeInstance } from '@n8n/workflow-sdk';

export type Node = NodeInstance<string, string, unknown>;

export type More = Omit<NodeConfig, 'name' | 'position' | 'parameters' | 'credentials'>;

export const PACKAGE = 'n8n-nodes-sms-messaging-service';
const BASE = 'n8n-nodes-base';

/** The versions of n8n's nodes. */
export const VERSIONS = {
  code: 2,
  convertToFile: 1.1,
  crypto: 2,
  dataTable: 1.1,
  emailSend: 2.1,
  errorTrigger: 1,
  executeWorkflow: 1.2,
  executeWorkflowTrigger: 1.1,
  extractFromFile: 1.1,
  filter: 2.2,
  form: 2.5,
  formTrigger: 2.6,
  googleCalendar: 1.3,
  googleSheets: 4.7,
  httpRequest: 4.2,
  if: 2.2,
  manualTrigger: 1,
  merge: 3.2,
  postgres: 2.6,
  respondToWebhook: 1.4,
  scheduleTrigger: 1.2,
  set: 3.4,
  stopAndError: 1,
  switch: 3.2,
  webhook: 2.1,
};

/** The credential types, with the name that n8n proposes: an import finds a credential by it. */
const CREDENTIALS = {
  crypto: 'Crypto account',
  googleCalendarOAuth2Api: 'Google Calendar account',
  googleSheetsOAuth2Api: 'Google Sheets account',
  httpBasicAuth: 'Basic Auth account',
  httpHeaderAuth: 'Header Auth account',
  openAiApi: 'OpenAI account',
  postgres: 'Postgres account',
  smsMessagingServiceApi: 'SMS Messaging Service account',
  smtp: 'SMTP account',
};

export type Credential = keyof typeof CREDENTIALS;

/** The words by which people opt out. Their owner sees and changes them in a field of the workflow. */
export const STOP_WORDS =
  'TD, T, R, STOP, UNSUBSCRIBE, 退订, 拒收, 取消订阅, 不要再发, 别再发, 不要再给我发, 别再给我发';

/** What may stand around a word, because it changes nothing: no word that denies, asks or names a thing. */
const POLITE =
  '回复,回,发送,请,麻烦,谢谢,谢,多谢,感谢,您好,你好,您,你,们,我,要,想,帮,给,申请,要求,立即,马上,全部,所有,短信,信息,消息,了,吧,啊,哦,一下,' +
  'PLEASE,PLS,THANK YOU,THANKS,THX,REPLY,SEND,SENDING,TEXTING,MESSAGES,SMS,ME,ALL,NOW';

/** A text in its normal form: upper case, and one space for what is neither a letter nor a digit. */
const PLAIN =
  "(text) => String(text ?? '').normalize('NFKC').toUpperCase().replace(/(?!\\s)[\\p{M}\\p{C}\\p{DI}]/gu, '').replace(/[\\p{P}\\p{S}\\p{Z}\\s]+/gu, ' ')";

/** Finds words in a text of that form, the longest first: Chinese ones anywhere, others only whole. */
const ANY_OF =
  "(words) => new RegExp(words.split(/[,，、;；/|\\n]/).map((word) => plain(word).replaceAll(' ', '')).filter(Boolean).sort((a, b) => b.length - a.length).map((word) => [...word].join(' ?').replace(/^(?=\\w)|(?<=\\w)$/g, '\\\\b')).concat('(?!)').join('|'), 'g')";

/**
 * Whether a text says one of the words, once or more, and nothing else that matters: “请回复ＴＤ，谢谢” says TD,
 * “T恤” does not say T. Width, case, spaces, punctuation, emoji and invisible characters do not matter.
 *
 * @param content an expression of the text
 * @param words an expression of the words, with commas between them
 * @returns an expression without its braces, because an opt-out may not depend on a Code node
 */
export const says = (content: string, words: string) =>
  `((plain) => ((anyOf) => /^#+$/.test(plain(${content}).replace(anyOf(${words}), '#').replace(anyOf('${POLITE}'), '').replaceAll(' ', '')))(${ANY_OF}))(${PLAIN})`;

/** A record's phone number: 11 digits if all of it is a mobile number of the mainland, otherwise as it came. */
export const phoneOf = (json: string) =>
  `String(${json}.phone_number || ${json}.mobile || '').replaceAll('\\0', '').normalize('NFKC').replace(/^[^\\w+]*(?:(?:\\+|00)?86\\W*)?(1[3-9]\\d)\\W*(\\d{4})\\W*(\\d{4})\\W*$/, '$1$2$3')`;

/** The present time where the text is read: n8n's menu drops the time zone of a file's settings. */
export const NOW = "$now.setZone('Asia/Shanghai')";

/** What a field holds, as text: nothing where there is nothing, and JSON where it is no text. */
export const shown = (value: string) =>
  `((v) => typeof v === 'object' ? JSON.stringify(v) : String(v))(${value} ?? '')`;

/** A place on the canvas, by column and row. */
export const at = (column: number, row = 0): [number, number] => [column * 240, row * 200];

/** No credential is chosen: the import does that, or the user. */
export function needs(type: Credential): NodeConfig['credentials'] {
  return { [type]: { id: null, name: CREDENTIALS[type] } } as unknown as NodeConfig['credentials'];
}

/** A node of n8n, of a version. Those that start a workflow are triggers. */
export function nodeOf(type: string, version: number, config: NodeConfig): Node {
  const make = /trigger$|^webhook$/i.test(type) ? trigger : node;
  return make({ type: `${BASE}.${type}`, version, config });
}

/** A node of n8n. */
export function base(
  type: keyof typeof VERSIONS,
  name: string,
  position: [number, number],
  parameters: IDataObject = {},
  more: Omit<NodeConfig, 'name' | 'position' | 'parameters'> = {},
): Node {
  return nodeOf(type, VERSIONS[type], { name, position, parameters, ...more });
}

/** The versions of n8n's nodes for AI. */
const AI_VERSIONS = {
  agent: 3.1,
  chat: 1.3,
  chatHitlTool: 1.3,
  chatTrigger: 1.4,
  lmChatOpenAi: 1.3,
  memoryBufferWindow: 1.3,
};

/** A node of n8n for AI. */
export function ai(
  type: keyof typeof AI_VERSIONS,
  name: string,
  position: [number, number],
  parameters: IDataObject = {},
  more: Omit<NodeConfig, 'name' | 'position' | 'parameters'> = {},
): Node {
  const make = type === 'chatTrigger' ? trigger : node;
  const config = { name, position, parameters, ...more };
  return make({ type: `@n8n/n8n-nodes-langchain.${type}`, version: AI_VERSIONS[type], config });
}

/** A chat model for an agent. The user may replace it by any other. */
export const chatModel = (position: [number, number]): Node =>
  ai(
    'lmChatOpenAi',
    'Chat model',
    position,
    {
      model: { __rl: true, mode: 'list', value: 'gpt-5-mini', cachedResultName: 'gpt-5-mini' },
      responsesApiEnabled: false,
      options: {},
    },
    { credentials: needs('openAiApi') },
  );

/** An operation of this package's action node. */
export function sms(
  name: string,
  position: [number, number],
  parameters: IDataObject,
  more: More = {},
): Node {
  const credentials = needs('smsMessagingServiceApi');
  const config = { name, position, parameters, credentials, ...more };
  return node({ type: `${PACKAGE}.smsMessagingService`, version: 1, config });
}

/** The trigger. Without an event it would take records that nobody wants. */
export function onRecord(
  name: string,
  position: [number, number],
  events: ('deliveryReport' | 'reply')[],
  options: IDataObject = {},
): Node {
  const parameters = { pollTimes: { item: [{ mode: 'everyMinute' }] }, events, options };
  const config = { name, position, parameters, credentials: needs('smsMessagingServiceApi') };
  return trigger({ type: `${PACKAGE}.smsMessagingServiceTrigger`, version: 1, config });
}

/** The start for records that another workflow's trigger has pulled: an account has one trigger. */
export const whenCalled = (position: [number, number]): Node =>
  base('executeWorkflowTrigger', 'From another workflow', position, {
    inputSource: 'passthrough',
  });

/** Nothing chosen yet: the list of a picker. */
const TO_CHOOSE = { __rl: true, mode: 'list', value: '' };

interface Send {
  to: string;
  /** Parameter of the template → its text. */
  parameters: Record<string, string>;
  /** Names what is sent: a second execution with it sends nothing. */
  key: string;
}

const sendingOf = ({ to, parameters, key }: Send) => ({
  resource: 'message',
  operation: 'sendTemplate',
  signatureId: TO_CHOOSE,
  templateId: TO_CHOOSE,
  phoneNumbers: to,
  parameterMode: 'fields',
  parameters: mapped(parameters, true),
  options: { idempotencyKey: key },
});

/** Sends an SMS by a template that the user chooses. What is not accepted leaves by the second output. */
export const sendTemplate = (name: string, position: [number, number], send: Send): Node =>
  sms(name, position, sendingOf(send), { onError: 'continueErrorOutput' });

/** The same as a tool of an AI agent, which gets the outcome as its answer. */
export function sendTool(name: string, position: [number, number], send: Send): Node {
  const credentials = needs('smsMessagingServiceApi');
  const config = { name, position, parameters: sendingOf(send), credentials };
  return node({ type: `${PACKAGE}.smsMessagingServiceTool`, version: 1, config });
}

/** A mapper's value with a field for each name. */
export const mapped = (value: Record<string, string>, required = false) => ({
  mappingMode: 'defineBelow',
  value,
  matchingColumns: [],
  schema: Object.keys(value).map((id) => ({
    id,
    displayName: id,
    required,
    defaultMatch: false,
    display: true,
    type: 'string',
  })),
});

/** What is true of an item: an expression that gives true. */
export function isTrue(leftValue: string) {
  return {
    options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
    conditions: [
      {
        id: 'is-true',
        leftValue,
        rightValue: '',
        operator: { type: 'boolean', operation: 'true', singleValue: true },
      },
    ],
    combinator: 'and',
  };
}

/** Leaves items through for which the expression gives true. */
export const only = (name: string, position: [number, number], condition: string): Node =>
  base('filter', name, position, { conditions: isTrue(condition), options: {} });

/** One output for each case, and one more for the rest. */
export const cases = (
  name: string,
  position: [number, number],
  conditions: Record<string, string>,
  rest: string,
): Node => base('switch', name, position, casesOf(conditions, rest));

/** The parameters of a switch. Without a name for the rest, an item that fits no case goes nowhere. */
export function casesOf(conditions: Record<string, string>, rest?: string): IDataObject {
  const values = Object.entries(conditions).map(([outputKey, condition]) => ({
    conditions: isTrue(condition),
    renameOutput: true,
    outputKey,
  }));
  const options = rest === undefined ? {} : { fallbackOutput: 'extra', renameFallbackOutput: rest };
  return { rules: { values }, options };
}

/** Sets fields, each a text. */
export function fields(
  name: string,
  position: [number, number],
  texts: Record<string, string>,
  { keepsOthers = false } = {},
): Node {
  const assignments = Object.entries(texts).map(([field, value]) => ({
    id: field,
    name: field,
    value,
    type: 'string',
  }));
  return base('set', name, position, {
    assignments: { assignments },
    ...(keepsOthers && { includeOtherFields: true }),
    options: {},
  });
}

/** For the one mail of an execution: a mail server that is away for 20 s costs nothing. */
export const PATIENTLY = { maxTries: 5, waitBetweenTries: 5000 };

/** Sends a mail. The user fills in the sender, who gets it too until another recipient is entered. */
export function mail(
  name: string,
  position: [number, number],
  { subject, text }: { subject: string; text: string },
  more: More = {},
): Node {
  return base(
    'emailSend',
    name,
    position,
    {
      fromEmail: '',
      toEmail: '={{ $parameter.fromEmail }}',
      subject,
      emailFormat: 'text',
      text,
      options: { appendAttribution: false },
    },
    { credentials: needs('smtp'), retryOnFail: true, waitBetweenTries: 2000, ...more },
  );
}

/**
 * Creates a data table with text columns, if it is not there. It tries again: of two executions that create it
 * at the same moment, n8n fails one, whose page would not get into the table.
 */
export function makeTable(
  name: string,
  position: [number, number],
  table: string,
  columns: string[],
): Node {
  return base(
    'dataTable',
    name,
    position,
    {
      resource: 'table',
      operation: 'create',
      tableName: table,
      columns: { column: columns.map((column) => ({ name: column, type: 'string' })) },
      options: { createIfNotExists: true },
    },
    { executeOnce: true, retryOnFail: true, waitBetweenTries: 1000 },
  );
}

/** The conditions of a data table's rows: each column has this value. */
export const where = (columns: Record<string, string>) => ({
  matchType: 'allConditions',
  filters: {
    conditions: Object.entries(columns).map(([keyName, keyValue]) => ({ keyName, keyValue })),
  },
});

/** The rows of a data table. */
export const rows = (operation: string, table: string) => ({
  resource: 'row',
  operation,
  dataTableId: { __rl: true, mode: 'name', value: table },
});

/** What a note is for: what the template does, what to set up, or how to try it. */
const COLORS = { about: undefined, 'set up': 3, try: 4, more: 7, called: 7 };

/** The note above the second start of a template with the trigger. */
export const calledNote = (): Node =>
  note(
    'called',
    -120,
    { above: 390 },
    240,
    `### Or called
For an account that has its trigger elsewhere: see the template *One trigger for several workflows*.`,
  );

/** A note, as high as its text, that ends above a line of the canvas or begins below it. */
export function note(
  kind: keyof typeof COLORS,
  left: number,
  edge: { above: number } | { below: number },
  width: number,
  text: string,
  name = kind[0]?.toUpperCase() + kind.slice(1),
): Node {
  const height = heightOf(text, width);
  const top = 'above' in edge ? edge.above - height : edge.below;
  const color = COLORS[kind];
  return sticky(text, [], {
    name,
    position: [left, top],
    width,
    height,
    ...(color !== undefined && { color }),
  });
}

/** The height of a note's text in pixels, measured on n8n's canvas. A Chinese character is two wide. */
export function heightOf(text: string, width: number): number {
  const perLine = (width - 40) / 6.75;
  const heights = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      if (line.startsWith('## ')) return 58;
      if (line.startsWith('### ')) return 42;
      const visible = line.replace(/[*_`]/g, '').replace(/[\u3000-\uffef]/g, 'xx');
      return 20 * Math.ceil(visible.length / perLine) + 7;
    });
  return heights.reduce((sum, height) => sum + height, 16);
}
