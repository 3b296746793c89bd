/** The workflows around the two ways to ask: the operation of the trial, and desk/workflows/ask-and-wait.json. */
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import type { Credential, WorkflowFile } from '../../e2e/lib/client';
import { readDesk, withChoices, withoutNodes } from '../../e2e/lib/workflowFiles';
import { anyNode, chain, ownNode, templateSms } from '../../e2e/lib/workflow';
import { REGISTER_ID, REPLIES_ID, SENT_ID } from './ids';

/** What came of each question: a row each. */
export const OUTCOMES = 'trial_outcomes';
/** The questions of the operation. Those of the workflow are in `sms_questions`. */
export const QUESTIONS = 'trial_questions';

/** How often the answers that nobody has taken are looked for. In the example: every minute. */
const SECONDS = 5;

const byName = (value: string) => ({ __rl: true, mode: 'name', value });
const byId = (value: string) => ({ __rl: true, mode: 'id', value });

/** A step that writes a row: the columns and the expressions of their values. */
export function insert(name: string, table: string, value: Record<string, string>): INode {
  return dataTable(name, table, 'insert', { columns: columnsOf(value) });
}

function dataTable(name: string, table: string, operation: string, rest: object): INode {
  const dataTableId = byName(table);
  const parameters = { resource: 'row', operation, dataTableId, options: {}, ...rest };
  return anyNode('n8n-nodes-base.dataTable', 1.1, name, parameters as unknown as INodeParameters);
}

function columnsOf(value: Record<string, string>): object {
  const schema = Object.keys(value).map((id) => ({
    ...{ id, displayName: id, type: 'string', display: true, canBeUsedToMatch: true },
  }));
  return { mappingMode: 'defineBelow', value, matchingColumns: [], schema };
}

function calledByOthers(): INode {
  return anyNode('n8n-nodes-base.executeWorkflowTrigger', 1.1, 'Called', {
    inputSource: 'passthrough',
  });
}

/** The customers that are posted to a path, one item each. */
export function intake(path: string): INode[] {
  const parameters = { httpMethod: 'POST', path, responseMode: 'onReceived' };
  const webhook = anyNode('n8n-nodes-base.webhook', 2, 'Webhook', parameters);
  const split = { fieldToSplitOut: 'body.customers' };
  return [
    { ...webhook, webhookId: path },
    anyNode('n8n-nodes-base.splitOut', 1, 'Customers', split),
  ];
}

/** Stores number and address of a question before it is sent. */
export function register(): WorkflowFile {
  const names = ['phone_number', 'question', 'answers', 'execution', 'resume_url'];
  const value = {
    ...Object.fromEntries(names.map((name) => [name, `={{ $json.${name} }}`])),
    ...{ asked: '={{ $now.toISO() }}', batch_id: '', answer: '', reply: '' },
  };
  const file = chain('Trial: register', calledByOthers(), insert('Remember', QUESTIONS, value));
  return { ...file, id: REGISTER_ID };
}

/** Behind the send: its batch, and an end to older questions, as the example does. */
export function sent(): WorkflowFile {
  const called = "$('Called').first().json";
  const condition = (keyName: string, is: string, keyValue: string) => ({
    ...{ keyName, condition: is, keyValue },
  });
  const update = (name: string, conditions: object[], value: Record<string, string>) => ({
    ...dataTable(name, QUESTIONS, 'update', {
      matchType: 'allConditions',
      filters: { conditions },
      columns: columnsOf(value),
    }),
    alwaysOutputData: true,
  });
  const file = chain(
    'Trial: sent',
    calledByOthers(),
    update('Batch', [condition('id', 'eq', '={{ $json.id }}')], {
      batch_id: "={{ $json.batch_id ?? '' }}",
      resume_url: "={{ ['accepted', 'unknown'].includes($json.status) ? $json.resume_url : '' }}",
    }),
    update(
      'Older ones',
      [
        condition('phone_number', 'eq', `={{ ${called}.phone_number }}`),
        condition('id', 'lt', `={{ ${called}.id }}`),
        condition('answer', 'eq', ''),
      ],
      { answer: '(a newer question)' },
    ),
  );
  return { ...file, id: SENT_ID };
}

/** Asks with the operation, and writes down what came of it. */
export function askWithOperation(path: string, credential: Credential): WorkflowFile {
  const { resource, templateId, signatureId, ...sms } = templateSms('={{ $json.phone }}');
  const node = ownNode(
    'smsMessagingService',
    'Ask',
    {
      ...sms,
      ...{ resource, templateId, signatureId, operation: 'sendAndWait' },
      ...{ question: '={{ $json.question }}', answers: '1,2', waitSeconds: '={{ $json.seconds }}' },
      options: { idempotencyKey: '={{ $json.question }}' },
    },
    credential,
  );
  const outcome =
    "={{ $json.data ? 'answered ' + $json.data.answer : $json.status ? 'notDelivered: ' + $json.msg : 'silent' }}";
  const refused = "={{ 'notDelivered: ' + ($json.msg ?? $json.error ?? '') }}";
  const question = "={{ $('Customers').first().json.question }}";
  const file = chain(
    path,
    ...intake(path),
    { ...node, onError: 'continueErrorOutput' },
    insert('Outcome', OUTCOMES, { question, outcome }),
  );
  const failed = insert('Failure', OUTCOMES, {
    question: '={{ $json.question }}',
    outcome: refused,
  });
  const to = (name: string) => [{ node: name, type: 'main' as const, index: 0 }];
  return {
    ...file,
    nodes: [...file.nodes, failed],
    connections: { ...file.connections, Ask: { main: [to('Outcome'), to('Failure')] } },
  };
}

/** Asks with the example ask-and-wait, without waiting for it. */
export function askWithWorkflow(path: string, example: string, tell: string): WorkflowFile {
  const fields: IDataObject = {
    phone: '={{ $json.phone }}',
    question: '={{ $json.question }}',
    key: '={{ $json.question }}',
    seconds: '={{ $json.seconds }}',
    template_id: '301',
    signature_id: '201',
    parameters: "={{ { code: '4821', minutes: '5' } }}",
    tell,
  };
  const assignments = Object.entries(fields).map(([name, value]) => ({
    ...{ id: name, name, value, type: name === 'parameters' ? 'object' : 'string' },
  }));
  return chain(
    path,
    ...intake(path),
    anyNode('n8n-nodes-base.set', 3.4, 'Fields', {
      assignments: { assignments },
    } as INodeParameters),
    anyNode('n8n-nodes-base.executeWorkflow', 1.2, 'Ask', {
      workflowId: byId(example) as unknown as INodeParameters,
      mode: 'once',
      options: { waitForSubWorkflow: false },
    }),
  );
}

/** The workflow that ask-and-wait tells the outcome. */
export function told(): WorkflowFile {
  return chain(
    'Trial: told',
    calledByOthers(),
    insert('Outcome', OUTCOMES, {
      question: '={{ $json.question }}',
      outcome:
        "={{ [$json.outcome, $json.answer].filter(Boolean).join(' ') + ($json.reason ? ': ' + $json.reason : '') }}",
    }),
  );
}

/** The example ask-and-wait, which waits as long as each customer says. */
export function askAndWait(): WorkflowFile {
  return withChoices(readDesk('ask-and-wait'), {
    'Wait for the reply': {
      resumeAmount: "={{ Number($('More than one customer?').first(1).json.seconds) }}",
      resumeUnit: 'seconds',
    },
  });
}

const OFTEN = {
  'Every minute': { rule: { interval: [{ field: 'seconds', secondsInterval: SECONDS }] } },
};

/** The example that wakes the executions of ask-and-wait. */
export function repliesToWorkflow(): WorkflowFile {
  return withChoices(readDesk('ask-and-wait-replies'), OFTEN);
}

/**
 * The same for the operation. It sends the answer with the call, and closes the question when n8n has
 * taken it, because nothing behind the operation does.
 */
export function repliesToOperation(): WorkflowFile {
  const text = JSON.stringify(repliesToWorkflow()).replaceAll('sms_questions', QUESTIONS);
  const file = JSON.parse(text) as WorkflowFile;
  const wake = file.nodes.find(({ name }) => name === 'Wake the execution');
  const gone = "/does not exist|has finished/.test($json.body?.message ?? '')";
  const changed = withChoices(file, {
    'Wake the execution': {
      ...wake?.parameters,
      ...{ sendBody: true, specifyBody: 'json' },
      jsonBody: '={{ { answer: $json.answer } }}',
    },
    'Is the execution gone?': {
      conditions: {
        options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
        conditions: [
          {
            ...{ id: 'gone', rightValue: '' },
            leftValue: `={{ $json.statusCode === 200 || ${gone} }}`,
            operator: { type: 'boolean', operation: 'true', singleValue: true },
          },
        ],
        combinator: 'and',
      },
    },
  });
  const ended = withoutNodes(changed, 'Stop: nobody took the answer');
  const connections = { ...ended.connections, 'Close its question': { main: [] } };
  return { ...ended, connections, id: REPLIES_ID, name: 'Trial: replies' };
}
