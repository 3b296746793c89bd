import { NodeError, type IDataObject, type INode, type INodeExecutionData } from 'n8n-workflow';

import type { WorkflowFile } from '../kit/n8n/client';
import {
  addOwn,
  readExample,
  withChoices,
  withFields,
  type Choices,
} from '../kit/workflows/workflowFiles';
import { createHarness, CREDENTIAL, type Harness } from '../kit/engine';
import { DeduplicationStore } from '../kit/engine/deduplicationStore';
import { checkErrorText } from '../kit/engine/errorText';
import { useGateway } from '../kit/engine/gateway';
import { jsonOf, type ReadCredential } from '../kit/engine/package';
import { NO_RUN, runOf } from '../kit/engine/poller';
import { runFile } from '../kit/engine/workflow';
import * as records from '../sandbox/records';
import { N8nNodes } from '../kit/n8nNodes/n8nNodes';

export { ADDRESS, OWN, SHIPPED } from '../kit/workflows/workflowFiles';

/** The sandbox's phone that a test sends to. Numbers that end in 0001 to 0003 fail. */
export const PHONE = '13810000010';

/** That of somebody else. */
export const OTHER = '13810000011';

export interface Ran {
  /** The items of a node's output. */
  output: (node: string, output?: number) => IDataObject[];
  /** The same, with their files. */
  items: (node: string) => INodeExecutionData[];
  error: string | undefined;
  /** How often a node has run. */
  runs: (node: string) => number;
}

/** A template, and its surroundings. */
export type TryOut = ReturnType<typeof useTemplate>;

/** Runs a template from one of its starts, in an execution of its own. */
export async function runTemplate(
  harness: Harness,
  file: WorkflowFile,
  start: string,
  items: IDataObject[],
  readCredential?: ReadCredential,
): Promise<Ran> {
  const account = { [CREDENTIAL]: { id: '1', name: 'account' } };
  const nodes = file.nodes.map((node) => ({
    ...node,
    ...(node.credentials?.[CREDENTIAL] && { credentials: account }),
  }));
  const options = { timezone: file.settings?.timezone, readCredential };
  const { data } = await runFile(harness, { ...file, nodes }, start, items, options);
  const { error, runData } = data.resultData;
  // A stand-in's errors are no node's.
  if (error instanceof NodeError) checkErrorText(error);
  return {
    output: (node, output = 0) =>
      (runData[node] ?? []).flatMap((each) => jsonOf(each.data?.main?.[output])),
    items: (node) => (runData[node] ?? []).flatMap((each) => each.data?.main?.[0] ?? []),
    error: error?.message,
    runs: (node) => runData[node]?.length ?? 0,
  };
}

/**
 * A template in n8n's own engine, with the sandbox as the service, and stand-ins for n8n's own nodes.
 *
 * @param choices what the user chooses, by node
 * @param text the text of the user's own SMS template
 * @param settings those of the workflow: n8n's menu drops the file's
 */
export function useTemplate(
  name: string,
  choices: Choices,
  text?: string,
  settings?: WorkflowFile['settings'],
) {
  const n8n = new N8nNodes();
  const store = DeduplicationStore.install();
  const example = readExample(name);
  const usual = withChoices({ ...example, settings: settings ?? example.settings }, choices);
  let file = usual;
  const { gateway } = useGateway();
  let harness: Harness;

  beforeAll(async () => {
    harness = await createHarness(gateway.credential(), { otherNodes: n8n.types });
  });

  /** Begins again: nothing was sent, stored or told. */
  const forget = () => {
    expect(gateway.violations).toEqual([]);
    gateway.reset();
    if (text !== undefined) addOwn(gateway, text);
    store.clear();
    n8n.reset();
    file = usual;
  };

  beforeEach(forget);

  afterEach(() => {
    jest.restoreAllMocks();
    expect(n8n.written()).not.toMatch(NONSENSE);
  });

  /** What time it is for n8n, in the rest of a test. */
  const itIs = (time: string | number) =>
    jest.spyOn(Date, 'now').mockReturnValue(new Date(time).getTime());

  /** What the user chooses, too, in the rest of a test. */
  const choose = (more: Choices) => (file = withChoices(file, more));

  /** What the user enters in the fields of an Edit Fields node, too. */
  const enter = (node: string, values: Record<string, string | number>) =>
    (file = withFields(file, node, values));

  /** Runs the template from one of its starts, in an execution of its own. */
  const run = (start: string, ...items: IDataObject[]) => runTemplate(harness, file, start, items);

  /** Polls of the template's trigger, one unless it says more, and an execution with what each page brought. */
  const poll = async (start: string, times = 1): Promise<Ran[]> => {
    const { parameters } = file.nodes.find((node) => node.name === start) as INode;
    const running: Promise<Ran>[] = [];
    const poller = harness.createPoller(parameters, {
      onExecution: async (items) => {
        // The trigger saves what it knows.
        if (items.length === 0) return NO_RUN;
        const execution = run(start, ...items);
        running.push(execution);
        return runOf((await execution).error !== undefined);
      },
    });
    for (let poll = 0; poll < times; poll++) {
      await poller.tick();
      await Promise.all(running);
    }
    await poller.deactivate();
    return await Promise.all(running);
  };

  /** The parameters of each message that was sent to a number, oldest first. */
  const sentTo = (phone: string) =>
    gateway.requests
      .flatMap(({ body }) => (body as { messages?: Message[] }).messages ?? [])
      .filter(({ phone_number }) => phone_number === phone)
      .map(({ params }) => params);

  /** These replies are there at the next poll of "New replies", which is now. */
  const come = async (...replies: ReturnType<typeof reply>[]) => {
    gateway.queueReplies(replies);
    return await poll('New replies');
  };

  /** The service refuses the next send: the balance is used up. */
  const refuse = () => {
    const path = '/sendsms/template/send';
    gateway.fault({ kind: 'businessCode', path, code: 15, msg: '余额不足' });
  };

  return { gateway, n8n, forget, itIs, choose, enter, run, poll, come, refuse, sentTo };
}

interface Message {
  phone_number: string;
  params: IDataObject;
}

const TIME = 1_767_225_600;

/** A reply as the service gives it. */
export const reply = (phone: string, content: string) =>
  records.reply({
    batch_id: 'b-1',
    sms_content: 'Your order has shipped.',
    time: TIME,
    ext_no: '01',
    content,
    mobile: Number(phone),
  });

/** A delivery report as the service gives it. */
export const report = (phone_number: string, status = 'DELIVRD') =>
  records.deliveryReport({
    time: TIME,
    batch_id: 'b-1',
    status,
    status_desc: 'as the carrier says',
    phone_number,
  });

/** A record as the trigger hands it over, with these fields otherwise. */
export const handed = (
  record: ReturnType<typeof reply> | ReturnType<typeof report>,
  more: IDataObject = {},
): IDataObject => ({
  ...{ event: 'status' in record ? 'deliveryReport' : 'reply', ...record },
  ...more,
});

/** An order to be told of: a row, what a shop posts, or what a model fills in. */
export const orderOf = (order: unknown = 'A-1', more: object = {}) =>
  ({ phone: PHONE, name: '李雷', order, date: '6月3日', ...more }) as IDataObject;

/** The settings of a workflow that n8n's menu has imported: the file's own are dropped. */
export const AS_IMPORTED = { executionOrder: 'v1' } as const;

/** What no mail, no answer and no row may say. */
const NONSENSE = /undefined|null|NaN|\[object/;

/** A text that has this in it, or looks so. */
export const has = (what: string | RegExp): unknown =>
  typeof what === 'string' ? expect.stringContaining(what) : expect.stringMatching(what);
