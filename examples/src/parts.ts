/** What only the templates are made of, beside `builder/parts.ts`: sends with pickers, mails, AI, and tables of texts. */
import { languageModel, memory, node, tool, trigger } from '@n8n/workflow-sdk';
import type { IDataObject, NodeConfig } from '@n8n/workflow-sdk';

import { callOf } from '../../builder/expression';
import {
  base,
  called,
  configOf,
  DOUBT_WORDS,
  fields,
  obj,
  onRecord,
  PACKAGE,
  phoneOf,
  sms,
  STOP_WORDS,
} from '../../builder/parts';
import type { Node, Way } from '../../builder/parts';

export * from '../../builder/parts';

/** The present time where the text is read: n8n's menu drops the time zone of a file's settings. */
export const NOW = "$now.setZone('Asia/Shanghai')";

/**
 * What a field holds, as text: nothing where there is nothing, and JSON where it is no text. PostgreSQL, which may have
 * n8n's data tables, stores no zero byte.
 */
export const shown = (value: string) =>
  `((v) => typeof v === 'object' ? JSON.stringify(v) : String(v).replaceAll('\\0', ''))(${value} ?? '')`;

/** Makes a node that starts a workflow, stands in it, or serves an agent. */
type Make<Made> = (input: { type: string; version: number; config: NodeConfig }) => Made;

/** A node of n8n for AI, of a version. */
const ai =
  <Made>(make: Make<Made>, type: string, version: number) =>
  (name: string, parameters: IDataObject = {}, way: Way = {}): Made =>
    make({
      type: `@n8n/n8n-nodes-langchain.${type}`,
      version,
      config: configOf(name, parameters, way),
    });

export const chatTrigger = ai(trigger, 'chatTrigger', 1.4);
export const agent = ai(node, 'agent', 3.1);
export const chat = ai(node, 'chat', 1.3);
export const chatMemory = ai(memory, 'memoryBufferWindow', 1.3);
export const askInChat = ai(tool, 'chatHitlTool', 1.3);

/** A chat model for an agent. The user may replace it by any other. */
export const chatModel = (options: IDataObject = {}) =>
  ai(languageModel, 'lmChatOpenAi', 1.3)(
    'Chat model',
    {
      model: { __rl: true, mode: 'list', value: 'gpt-5-mini', cachedResultName: 'gpt-5-mini' },
      responsesApiEnabled: false,
      options,
    },
    { needs: 'openAiApi' },
  );

/** The trigger, which asks every minute. */
export const everyMinute = (
  name: string,
  events: ('deliveryReport' | 'reply')[],
  options: IDataObject = {},
): Node => onRecord(name, { pollTimes: { item: [{ mode: 'everyMinute' }] }, events, options });

/** The start for records that another workflow's trigger has pulled: an account has one trigger. */
export const whenCalled = (): Node => called('From another workflow');

/** Who may open a form that sends or asks: a user of n8n who may run the workflow. */
export const MAY_RUN = { authentication: 'n8nUserAuth', requireExecuteAccess: true };

/** The note above it. */
export const OR_CALLED = `### Or called
For an account that has its trigger elsewhere: see *One trigger for several workflows*.
触发器在别的工作流里时，由那个工作流调用本工作流。`;

/** Nothing chosen yet: the list of a picker. */
const TO_CHOOSE = { __rl: true, mode: 'list', value: '' };

interface Send {
  to: string;
  /** Parameter of the template → its text. */
  parameters: Record<string, string>;
  /** Names what is sent: a second execution with it sends nothing. */
  key: string;
  /** Where somebody outside sets it off: how often a day it texts one number. Then it sends one message. */
  perDay?: number;
  more?: IDataObject;
}

const sendingOf = ({ to, parameters, key, perDay, more }: Send) => ({
  resource: 'message',
  operation: 'sendTemplate',
  signatureId: TO_CHOOSE,
  templateId: TO_CHOOSE,
  phoneNumbers: to,
  parameterMode: 'fields',
  parameters: mapped(parameters, true),
  options: {
    idempotencyKey: key,
    ...(perDay && { maxMessages: 1, maxPerNumberAndDay: perDay }),
    ...more,
  },
});

/** Checks an SMS, and sends it when the user switches Check Only off. A failure stops it, so that the user sees it. */
export const sendFirst = (name: string, key: string): Node =>
  sms(name, sendingOf({ to: '', parameters: {}, key, more: { maxMessages: 1, checkOnly: true } }));

/** Sends an SMS by a template that the user chooses. What is not accepted leaves by the second output. */
export const sendTemplate = (name: string, send: Send): Node =>
  sms(name, sendingOf(send), { errors: true });

/** The parameters of a template about an order: the fields of the item. */
export const OF_ORDER = {
  name: '={{ $json.name }}',
  order: '={{ $json.order }}',
  date: '={{ $json.date }}',
};

/** Sends to a row of a table, once: its phone and order are its key. */
export const sendRow = (): Node =>
  sendTemplate('Send the SMS', {
    to: '={{ $json.phone }}',
    parameters: OF_ORDER,
    key: '=row-{{ $json.phone }}-{{ $json.order }}',
  });

/** The same as a tool of an AI agent, which gets the outcome as its answer. */
export const sendTool = (name: string, send: Send) =>
  tool({
    type: `${PACKAGE}.smsMessagingServiceTool`,
    version: 1,
    config: configOf(name, sendingOf(send), { needs: 'smsMessagingServiceApi' }),
  });

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

/** For the one mail of an execution: a mail server that is away for 20 s costs nothing. */
export const PATIENTLY: Way = { tries: 5, pause: 5 };

/** For the mails of several items: another try would send the good ones again. The trigger tries each item alone. */
export const ONE_BY_ONE: Way = { retryOnFail: false, waitBetweenTries: undefined };

/** Sends a mail. The user fills in the sender, who gets it too until another recipient is entered. */
export const mail = (
  name: string,
  { subject, text }: { subject: string; text: string },
  way: Way = {},
): Node =>
  base(
    'emailSend',
    name,
    {
      fromEmail: '',
      toEmail: '={{ $parameter.fromEmail }}',
      subject,
      emailFormat: 'text',
      text,
      options: { appendAttribution: false },
    },
    { needs: 'smtp', retryOnFail: true, waitBetweenTries: 2000, ...way },
  );

/**
 * Creates a data table with text columns, if it is not there. It tries again: of two executions that create it
 * at the same moment, n8n fails one, whose page would not get into the table.
 */
export const makeTable = (name: string, table: string, columns: string[]): Node =>
  base(
    'dataTable',
    name,
    {
      resource: 'table',
      operation: 'create',
      tableName: table,
      columns: { column: columns.map((column) => ({ name: column, type: 'string' })) },
      options: { createIfNotExists: true },
    },
    { once: true, retryOnFail: true, waitBetweenTries: 1000 },
  );

/** JSON, a form, JSON that was posted as text, or a list with one. Anything else is nothing. */
const POST = `(() => {
  try {
    const [one, ...more] = [typeof $json.body === 'string' ? JSON.parse($json.body) : $json.body].flat();
    return more.length === 0 && typeof one === 'object' ? one ?? {} : {};
  } catch (error) {
    return {};
  }
})()`;

/** The one order or lead that another system has posted: `post`. */
export const readPost = (): Node => fields('Read the post', { post: obj(`={{ ${POST} }}`) });

/** The conditions of a data table's rows: each column has this value. */
export const where = (columns: Record<string, string>) => ({
  matchType: 'allConditions',
  filters: {
    conditions: Object.entries(columns).map(([keyName, keyValue]) => ({ keyName, keyValue })),
  },
});

/** Reads or changes rows of a data table. */
export const rows = (
  name: string,
  operation: string,
  table: string,
  parameters: IDataObject,
  way: Way = {},
): Node => {
  const dataTableId = { __rl: true, mode: 'name', value: table };
  return base('dataTable', name, { resource: 'row', operation, dataTableId, ...parameters }, way);
};

/** The list of the numbers that get no messages. All templates have the same. */
const OPT_OUTS = 'sms_opt_outs';

/** Creates it. */
export const makeOptOuts = (): Node =>
  makeTable('Table of opt-outs', OPT_OUTS, ['phone_number', 'word', 'since']);

/** What a reply says, by the words in the fields before this one. The owner changes them. */
export const SAYS = `={{ ${callOf('builder/code/replies', 'readReply', '$json.content', '$parameter.assignments.assignments')} }}`;

/** What each reply says, and whose it is. */
export const readReplies = (values: Record<string, string> = {}): Node =>
  fields(
    'Read the reply',
    {
      stop_words: STOP_WORDS,
      doubt_words: DOUBT_WORDS,
      ...values,
      phone: `={{ ${phoneOf('$json')} }}`,
      // What the list is asked for. A reply without any is on no list.
      digits: `={{ ${phoneOf('$json')}.normalize('NFKC').replace(/\\D/g, '') || 'none' }}`,
      says: SAYS,
    },
    { keepsOthers: true },
  );

/** Puts the number of a reply on the list: a row for each of its words, so that none hides another. */
export const optOut = (): Node => {
  const values = { phone_number: '={{ $json.phone }}', word: `={{ ${shown('$json.content')} }}` };
  return rows('Opt out', 'upsert', OPT_OUTS, {
    ...where(values),
    columns: mapped({ ...values, since: '={{ $json.time_iso ?? $now.toUTC().toISO() }}' }),
    options: {},
  });
};

/** How a row has the digits of a number, with whatever between them: also wide, as a Chinese keyboard writes them. */
const likeDigits = (number: string, digit: string) =>
  `={{ ${number} && '%' + [...${number}].map((digit) => ${digit}).join('%') + '%' }}`;

/** The rows of a number, also with spaces, hyphens or a country code: whom we spare is read generously. */
export const rowsOfNumber = (number = '$json.digits'): Node =>
  rows('On the opt-out list?', 'get', OPT_OUTS, {
    matchType: 'anyCondition',
    filters: {
      conditions: ['digit', 'String.fromCharCode(digit.charCodeAt(0) + 0xfee0)'].map((digit) => ({
        keyName: 'phone_number',
        condition: 'like',
        keyValue: likeDigits(number, digit),
      })),
    },
    returnAll: true,
  });

/** Whether that node has found a row of a number, which is digits alone. */
export const isListed = (number: string) =>
  `$('On the opt-out list?').all().some(({ json }) => json.phone_number.normalize('NFKC').replace(/\\D/g, '').includes(${number}))`;
