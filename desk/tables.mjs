// The tables of the desk, in both stores: n8n's data tables and PostgreSQL.

/** The types of columns, in PostgreSQL. Text is compared byte by byte, as data tables do. */
export const TYPES = {
  string: 'text COLLATE "C"',
  number: 'double precision',
  boolean: 'boolean',
  date: 'timestamptz(3)',
};

/** The columns that every table has. */
export const SYSTEM = /** @type {const} */ ({ id: 'id', createdAt: 'date', updatedAt: 'date' });

/** Conditions as sources write them behind a column, and n8n's names of them. */
export const CONDITIONS = /** @type {const} */ ({
  '=': 'eq',
  '!=': 'neq',
  '<': 'lt',
  '<=': 'lte',
  '>': 'gt',
  '>=': 'gte',
  like: 'like',
  ilike: 'ilike',
  empty: 'isEmpty',
  filled: 'isNotEmpty',
});

/** Whether a condition of this name compares with a value. */
export const hasValue = (condition) => !/^is[A-Z]/.test(condition);

/** A campaign has a number once, and what is none once for each set of other columns. */
export const WITHOUT_NUMBER = /** @type {const} */ (
  "(CASE status WHEN 'invalid' THEN md5(parameters) ELSE '' END)"
);

/** Makes columns of one type. @template {string} T @param {T} type @returns {<N extends string>(...names: N[]) => Record<N, T>} */
const all =
  (type) =>
  (...names) =>
    /** @type {any} */ (Object.fromEntries(names.map((name) => [name, type])));

const [strings, numbers, dates] = [all('string'), all('number'), all('date')];

/**
 * The columns of each table, and its indexes, which are PostgreSQL's alone: a method, and columns. A unique one has
 * the columns by which rows are upserted, or left out; the others are for what is looked up in tables that grow. A hash
 * takes a value of any length.
 */
export const TABLES = /** @type {const} */ ({
  sms_outbox: {
    columns: {
      ...strings('phone_number', 'class', 'status', 'reason', 'batch_id', 'template', 'signature'),
      /** As the customer gets it, for people to read: what is sent is made from `parameters`. */
      text: 'string',
      /** The parameters of the template, or the text as "content", as JSON text. */
      parameters: 'string',
      ...strings('source', 'reference', 'key', 'phone_data'),
      /** The execution, and the message in it: all rows of one message have the same. */
      run: 'string',
      sent_at: 'date',
    },
    indexes: [
      ...['hash phone_number', 'hash key', 'btree status sent_at', 'btree createdAt'],
      "btree sent_at WHERE status IS DISTINCT FROM 'accepted'",
    ],
  },
  /** What holds for each class of messages. */
  sms_rules: {
    columns: {
      class: 'string',
      check_opt_outs: 'boolean',
      ...numbers('from_hour', 'to_hour'),
      outside_hours: 'string',
      ...numbers('per_hour', 'per_day'),
    },
    indexes: ['unique class'],
  },
  /** From when on pages and watchdog say that something is wrong: what is not as it comes. */
  sms_thresholds: {
    columns: { name: 'string', value: 'number' },
    indexes: ['unique name'],
  },
  /** Templates and signatures, by their IDs. */
  sms_templates: {
    columns: strings('kind', 'record_id', 'name', 'content'),
    indexes: ['unique kind record_id'],
  },
  /** What the service said last, for pages: of the balance, the templates and the signatures. */
  sms_service: {
    columns: {
      what: 'string',
      balance: 'number',
      /** The templates or signatures, as JSON. */
      records: 'string',
      /** When it said so. */
      answered: 'date',
      /** When it was asked last, and why it has not answered then. */
      asked: 'date',
      error: 'string',
    },
    indexes: ['unique what'],
  },
  sms_tokens: {
    columns: strings('token', 'page'),
    indexes: [],
  },
  sms_questions: {
    columns: {
      ...strings('phone_number', 'question', 'answers'),
      asked: 'date',
      ...strings('execution', 'resume_url', 'batch_id', 'answer', 'reply'),
    },
    indexes: ['hash phone_number', 'hash reply'],
  },
  sms_campaigns: {
    columns: {
      campaign: 'string',
      /** Without a state, its recipients are being loaded. */
      state: 'string',
      /** The parameters of the template that have no column, as a text. */
      missing: 'string',
      ...strings('template_id', 'template', 'content', 'signature_id', 'signature'),
      /** How many recipients came more than once. */
      duplicates: 'number',
      /** The portions in a row without an accepted message, until when they are a pause, and why. */
      tries: 'number',
      until: 'date',
      cause: 'string',
      /** What the settings of the send said at its last look, and when that was. */
      portion_size: 'number',
      keep_balance: 'number',
      ticked_at: 'date',
      /** When it had its latest turn. */
      served_at: 'date',
      /** When the latest list began to be loaded, or had its rows in the table. */
      loaded_at: 'date',
    },
    indexes: ['unique campaign'],
  },
  sms_recipients: {
    columns: {
      ...strings('campaign', 'phone_number'),
      /** The other columns of the recipient, as JSON. */
      parameters: 'string',
      /** Its line in the file or the list. */
      line: 'number',
      /** How many segments its text has, and the parameters that it has nothing for, a line each. */
      segments: 'number',
      blank: 'string',
      /** `invalid`: it has no phone number. */
      status: 'string',
      ...strings('portion', 'batch_id', 'reason'),
      ...dates('changed', 'sent_at'),
    },
    indexes: [
      ...['btree campaign id', 'btree campaign status id', 'btree status changed'],
      `unique campaign phone_number ${WITHOUT_NUMBER}`,
    ],
  },
  /** A person has sent a recipient again whose outcome is unknown. */
  sms_resends: {
    columns: {
      recipient: 'number',
      phone_number: 'string',
      /** The token of the page that was pressed. */
      press: 'string',
    },
    indexes: ['btree recipient'],
  },
  /** Delivery reports and replies. */
  sms_inbox: {
    columns: {
      ...strings('event', 'phone_number', 'status', 'status_desc', 'content', 'batch_id'),
      ...strings('user_data', 'phone_data'),
      split_count: 'number',
      other: 'string',
      time: 'date',
      run: 'string',
    },
    indexes: ['hash run', 'hash phone_number', 'hash batch_id', 'btree event id'],
  },
  sms_subscribers: {
    columns: {
      ...strings('workflow_id', 'name', 'wants'),
      /** The last row that it has taken. Without one, it is new. */
      read_to: 'number',
      ...dates('free_at', 'since'),
      reason: 'string',
    },
    indexes: ['unique workflow_id'],
  },
  sms_opt_outs: {
    columns: strings('phone_number', 'word', 'since'),
    indexes: ['unique phone_number'],
  },
  /** The last three columns say how far each table is counted. */
  sms_days: {
    columns: {
      day: 'string',
      ...numbers('sent', 'accepted', 'delivered', 'failed', 'replies', 'opt_outs', 'inbox_id'),
      ...numbers('outbox_id', 'opt_outs_id'),
    },
    indexes: ['unique day'],
  },
});

/** @typedef {keyof typeof TABLES} Table */

/** The columns of a table, as n8n takes them. @param {Table} table */
export const columnsOf = (table) =>
  Object.entries(TABLES[table].columns).map(([name, type]) => ({ name, type }));

/**
 * The columns of a table, without those that every table has.
 *
 * @template {Table} T
 * @typedef {T extends Table ? keyof (typeof TABLES)[T]['columns'] : never} Column
 */

/** @typedef {{ string: string, number: number, boolean: boolean, date: string }} Values by the types of columns */

/**
 * What is written into a row. Times are in ISO 8601. `Empty` are the columns that may be null.
 *
 * @template {Table} T
 * @template {Column<T>} [Empty=never]
 * @typedef {{
 *   -readonly [C in keyof (typeof TABLES)[T]['columns']]:
 *     Values[(typeof TABLES)[T]['columns'][C]] | (C extends Empty ? null : never)
 * }} Cells
 */

/**
 * A row.
 *
 * @template {Table} T
 * @template {Column<T>} [Empty=never]
 * @typedef {{ id: number, createdAt: string, updatedAt: string } & Cells<T, Empty>} Row
 */
