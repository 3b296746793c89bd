/** What workflows are made of: nodes of n8n's workflow SDK, and the paths between them. `layout.ts` gives them positions. */
import { node, trigger } from '@n8n/workflow-sdk';
import type { IDataObject, NodeConfig, NodeInstance, WorkflowSettings } from '@n8n/workflow-sdk';

import { callOf } from './expression';

export type Node = NodeInstance<string, string, unknown>;

/**
 * A step of a path: a node where it stands, or the title of one that stands in another path; or either with the output
 * by which the path leaves it and the input by which it enters.
 */
export type Step = Node | string | [Node | string, output: number, input?: number];

/** Nodes that are connected, with the notes above them, as they are written. */
interface Draft {
  /** Above the lane, or right above the start with this title. */
  notes: (string | [start: string, text: string])[];
  /**
   * Each leads from node to node. What leaves an output of a node is drawn, and run by n8n, from top to bottom
   * in the order in which it stands here.
   */
  paths: Step[][];
}

export const lane = (notes: string | Draft['notes'], ...paths: Step[][]): Draft => ({
  notes: typeof notes === 'string' ? [notes] : notes,
  paths,
});

/** From an output of a node to an input of another. */
export interface Line {
  from: Node;
  to: Node;
  output: number;
  input: number;
}

/** A lane whose titles are nodes. */
export interface Lane {
  notes: (string | [start: Node, text: string])[];
  /** In the order of its paths. The SDK adds those that serve them. */
  nodes: Node[];
  lines: Line[];
}

/** What a workflow says and how it runs. Its folder has its ID without `sms-`. */
interface Frame {
  name: string;
  about: string;
  setUp?: string;
  tryIt?: string;
  settings?: WorkflowSettings;
  /** Notes below all lanes. */
  more?: string[];
}

export interface Workflow extends Frame {
  lanes: Lane[];
  /** Those of all lanes. */
  nodes: Node[];
}

/** @throws Error if a title is that of no node, or of two. */
export function workflow(frame: Frame, ...drafts: Draft[]): Workflow {
  const steps = drafts.flatMap(({ paths }) => paths.flat());
  const written = steps.map((step) => (Array.isArray(step) ? step[0] : step));
  const nodes = [...new Set(written)].filter((each) => typeof each !== 'string');
  const nodeOf = (step: Node | string): Node => {
    const title = typeof step === 'string' ? step : step.name;
    const [found, other] = nodes.filter(({ name }) => name === title);
    if (found && !other) return found;
    throw new Error(`${found ? 'Two nodes have' : 'No node has'} the title "${title}".`);
  };
  const placeOf = (step: Step) => {
    const [node, output = 0, input = 0] = (Array.isArray(step) ? step : [step]) as [
      Node | string,
      number?,
      number?,
    ];
    return { node: nodeOf(node), output, input };
  };
  const lanes = drafts.map(({ notes, paths }): Lane => {
    const ways = paths.map((path) => path.map(placeOf));
    return {
      notes: notes.map((note) => (typeof note === 'string' ? note : [nodeOf(note[0]), note[1]])),
      nodes: [...new Set(ways.flat().map(({ node }) => node))],
      lines: ways.flatMap((way) =>
        way.flatMap(({ node: from, output }, index) => {
          const next = way[index + 1];
          return next ? [{ from, to: next.node, output, input: next.input }] : [];
        }),
      ),
    };
  });
  return { ...frame, lanes, nodes };
}

export const PACKAGE = 'n8n-nodes-sms-messaging-service';

/** The versions of n8n's nodes. */
const VERSIONS = {
  code: 2,
  convertToFile: 1.1,
  crypto: 2,
  dataTable: 1.1,
  emailSend: 2.1,
  errorTrigger: 1,
  executeWorkflow: 1.2,
  executeWorkflowTrigger: 1.1,
  extractFromFile: 1,
  filter: 2.2,
  form: 2.5,
  formTrigger: 2.5,
  googleCalendar: 1.3,
  googleSheets: 4.7,
  httpRequest: 4.2,
  if: 2.2,
  manualTrigger: 1,
  merge: 3.2,
  n8nTrigger: 1,
  postgres: 2.6,
  respondToWebhook: 1.4,
  scheduleTrigger: 1.2,
  set: 3.4,
  splitInBatches: 3,
  splitOut: 1,
  stopAndError: 1,
  switch: 3.2,
  wait: 1.1,
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

type Credential = keyof typeof CREDENTIALS;

/** How a node behaves apart from its parameters. */
export interface Way extends Pick<
  NodeConfig,
  'disabled' | 'notes' | 'notesInFlow' | 'retryOnFail' | 'subnodes' | 'waitBetweenTries'
> {
  /** It runs once, with the first item only. */
  once?: boolean;
  /** Without a result it gives an empty item. */
  always?: boolean;
  /** The number of tries, with so many seconds between them: one without it. */
  tries?: number;
  pause?: number;
  /** An error does not stop the workflow: it is an item. */
  goOn?: boolean;
  /** Errors leave by a second output. */
  errors?: boolean;
  needs?: Credential;
  /** The name of that credential, if it is not the one that n8n proposes. */
  called?: string;
}

/** What the SDK is told of a node. */
export function configOf(name: string, parameters: IDataObject, way: Way): NodeConfig {
  const { once, always, tries = 1, pause = 1, goOn, errors, needs, called, ...others } = way;
  return {
    ...others,
    name,
    parameters,
    // No credential is chosen: the import does that, or the user.
    ...(needs && {
      credentials: { [needs]: { id: null, name: called ?? CREDENTIALS[needs] } } as never,
    }),
    ...(once && { executeOnce: true }),
    ...(always && { alwaysOutputData: true }),
    ...(tries > 1 && { retryOnFail: true, maxTries: tries, waitBetweenTries: pause * 1000 }),
    ...(goOn && { onError: 'continueRegularOutput' }),
    ...(errors && { onError: 'continueErrorOutput' }),
  };
}

/** A node of n8n, of the usual version or another. Those that start a workflow are triggers. */
export function base(
  type: keyof typeof VERSIONS,
  name: string,
  parameters: IDataObject = {},
  { version = VERSIONS[type], ...way }: Way & { version?: number } = {},
): Node {
  const make = /trigger$|^webhook$/i.test(type) ? trigger : node;
  return make({ type: `n8n-nodes-base.${type}`, version, config: configOf(name, parameters, way) });
}

/** An operation of this package's action node. */
export function sms(name: string, parameters: IDataObject, way: Way = {}): Node {
  return node({
    type: `${PACKAGE}.smsMessagingService`,
    version: 1,
    config: configOf(name, parameters, { ...way, needs: 'smsMessagingServiceApi' }),
  });
}

/** The trigger. Without an event it would take records that nobody wants. */
export const onRecord = (name: string, parameters: IDataObject): Node =>
  trigger({
    type: `${PACKAGE}.smsMessagingServiceTrigger`,
    version: 1,
    config: configOf(name, parameters, { needs: 'smsMessagingServiceApi' }),
  });

/**
 * Runs the function that a module of the workflow's folder exports, which has the title as its name: `what-it-said.ts`.
 * `build.ts` puts in its text. It gives the fields of one item or of several: n8n makes the items. What has a field
 * that n8n takes for a part of an item, such as `error`, or names the item that it came from, is given as items.
 */
export const code = (name: string, way: Way = {}): Node => base('code', name, { jsCode: '' }, way);

// Starts

/** Runs when the workflow is published, and when n8n starts. */
export const published = (name: string, events = ['activate', 'update', 'init']): Node =>
  base('n8nTrigger', name, { events });

/** Runs when another workflow calls this one. */
export const called = (name: string): Node =>
  base('executeWorkflowTrigger', name, { inputSource: 'passthrough' });

/** Runs every so many seconds, minutes or hours. */
export const every = (name: string, count: number, unit: 'seconds' | 'minutes' | 'hours'): Node =>
  base('scheduleTrigger', name, {
    rule: { interval: [{ field: unit, [`${unit}Interval`]: count }] },
  });

/** Runs when another system posts something, with a key in a header. It gets what the last node gives. */
export const posted = (name: string, path: string, more: IDataObject = {}, way: Way = {}): Node =>
  base(
    'webhook',
    name,
    {
      httpMethod: 'POST',
      path,
      authentication: 'headerAuth',
      responseMode: 'lastNode',
      options: {},
      ...more,
    },
    { needs: 'httpHeaderAuth', ...way },
  );

// Decisions

/** Two outputs: the expression gives true, or each of several does, or not. */
export const when = (name: string, condition: string | string[], way: Way = {}): Node =>
  base('if', name, { conditions: isTrue(condition), options: {} }, way);

/** The step of a path that goes on if the expression does not give true. */
export const unless = (...decision: Parameters<typeof when>): Step => [when(...decision), 1];

/** Leaves items through for which the expression gives true. */
export const only = (name: string, condition: string, way: Way = {}): Node =>
  base('filter', name, { conditions: isTrue(condition), options: {} }, way);

/** One output for each case, and one for the rest. Without a name for that, an item that fits none goes nowhere. */
export function choose(name: string, conditions: Record<string, string>, rest?: string): Node {
  const values = Object.entries(conditions).map(([outputKey, condition]) => ({
    conditions: isTrue(condition),
    renameOutput: true,
    outputKey,
  }));
  const options = rest === undefined ? {} : { fallbackOutput: 'extra', renameFallbackOutput: rest };
  return base('switch', name, { rules: { values }, options });
}

/** What is true of an item: each expression gives true. */
function isTrue(conditions: string | string[]) {
  return {
    options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
    conditions: [conditions].flat().map((leftValue, index) => ({
      id: index === 0 ? 'is-true' : `is-true-${index + 1}`,
      leftValue,
      rightValue: '',
      operator: { type: 'boolean', operation: 'true', singleValue: true },
    })),
    combinator: 'and',
  };
}

// Fields

export type Value = string | number | boolean | null;

/** An expression whose value is no text. */
export interface Typed {
  type: 'number' | 'boolean' | 'object' | 'array';
  value: Value;
}

export const num = (value: Value): Typed => ({ type: 'number', value });
export const obj = (value: Value): Typed => ({ type: 'object', value });
export const list = (value: Value): Typed => ({ type: 'array', value });

/** Sets fields of an item. */
export function fields(
  name: string,
  values: Record<string, Value | Typed>,
  {
    keepsOthers,
    options = {},
    ...way
  }: Way & { keepsOthers?: boolean; options?: IDataObject } = {},
): Node {
  const assignments = Object.entries(values).map(([field, value]) => ({
    id: field,
    name: field,
    ...(typeof value === 'object' ? value : { type: 'string', value }),
  }));
  return base(
    'set',
    name,
    { assignments: { assignments }, ...(keepsOthers && { includeOtherFields: true }), options },
    way,
  );
}

/** An item for each element of a list, which is a field of the item. */
export const split = (name: string, field: string): Node =>
  base('splitOut', name, { fieldToSplitOut: field, options: {} });

// Other workflows

interface Call extends Way {
  /** Whether it waits for the other workflow's result: so it is, unless this says something else. */
  waits?: boolean | string;
}

/** Calls another workflow with all items: by its ID, or by an expression that gives it. */
export function call(name: string, workflow: string, { waits = true, ...way }: Call = {}): Node {
  return base(
    'executeWorkflow',
    name,
    {
      source: 'database',
      workflowId: { __rl: true, mode: workflow.startsWith('=') ? 'id' : 'list', value: workflow },
      workflowInputs: {
        mappingMode: 'defineBelow',
        value: {},
        matchingColumns: [],
        schema: [],
        attemptToConvertTypes: false,
        convertFieldsToString: true,
      },
      mode: 'once',
      options: { waitForSubWorkflow: waits },
    },
    way,
  );
}

// Expressions

export { DOUBT_WORDS, STOP_WORDS } from './code/replies';

/** The 11 digits of a text that is one mobile number of the mainland and nothing else; otherwise nothing. */
export const mobileOf = (text: string) => callOf('builder/code/phone', 'mobileOf', text);

/** A record's phone number, however the service writes it: 11 digits, or else as it came. */
export const phoneOf = (json: string) =>
  callOf('builder/code/phone', 'phoneOf', `${json}.phone_number || ${json}.mobile`);
