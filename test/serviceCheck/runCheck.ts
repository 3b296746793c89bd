import type {
  ICredentialDataDecryptedObject,
  IExecuteFunctions,
  INodeExecutionData,
  INodeType,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import type { PathsSeen } from '../../examples/src/service-check/Which paths exist';
import type { Report } from '../../examples/src/service-check/Report';
import { readExample } from '../e2e/lib/workflowFiles';
import { createHarness, CREDENTIAL } from '../engine/harness';
import { jsonOf } from '../engine/harness/package';
import { runWorkflow } from '../engine/harness/workflow';

export interface Checked {
  report: Report;
  paths: PathsSeen;
  page: string;
}

/** Loaded once: it gets another credential for each check. */
let harness: ReturnType<typeof createHarness> | undefined;

/**
 * Runs examples/service-check.json in n8n's engine, as a user does who enters the Base URL of this
 * credential.
 */
export async function runCheck(
  credential: Record<string, unknown>,
  { pull = false, language = 'English' } = {},
): Promise<Checked> {
  harness ??= createHarness({}, { otherNodes: BASE_NODES });
  const { nodes, connections } = readExample('service-check');
  const account = { [CREDENTIAL]: { id: '1', name: 'account' } };
  const entry = {
    'Base URL': `${String(credential.baseUrl)}/`,
    'Pull too': pull ? 'Yes, take one delivery report and one reply' : 'No',
    Language: language,
  };
  const { data } = await runWorkflow(
    await harness,
    nodes.map((node) => ({ ...node, credentials: node.credentials && account })),
    { ...connections, Start: { main: [[{ node: 'First contact', type: 'main', index: 0 }]] } },
    [entry],
    { readCredential: () => credential as ICredentialDataDecryptedObject },
  );
  const { error, runData } = data.resultData;
  if (error) throw error;
  const outputOf = (node: string) => jsonOf(runData[node]?.[0]?.data?.main?.[0])[0];
  return {
    report: outputOf('Report') as unknown as Report,
    paths: outputOf('Which paths exist') as unknown as PathsSeen,
    page: String(outputOf('Page')?.page),
  };
}

type Execute = (this: IExecuteFunctions) => Promise<INodeExecutionData[][]>;

/** Stands in for a node of n8n's own package, with parameters of these names. */
function baseNode(names: string[], execute: Execute, outputs = 1): INodeType {
  return {
    description: {
      displayName: 'Base',
      name: 'base',
      group: ['transform'],
      version: [1, 2, 2.2, 4.2],
      description: '',
      defaults: {},
      inputs: [NodeConnectionTypes.Main],
      outputs: Array(outputs).fill(NodeConnectionTypes.Main),
      properties: names.map((name) => ({
        displayName: name,
        name,
        type: 'json' as const,
        default: '',
      })),
    },
    execute,
  };
}

const passOn: Execute = async function () {
  return [this.getInputData()];
};

const code: Execute = async function () {
  const { $, $now } = this.getWorkflowDataProxy(0);
  const run = new Function('$input', '$', '$now', String(this.getNodeParameter('jsCode', 0)));
  const all = this.getInputData();
  return [run({ all: () => all, first: () => all[0] }, $, $now) as INodeExecutionData[]];
};

const request: Execute = async function () {
  const answers = this.getInputData().map(async (_, item) => {
    try {
      const answer = await fetch(String(this.getNodeParameter('url', item)), {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{}',
        redirect: 'manual',
      });
      return { json: { statusCode: answer.status, data: await answer.text() } };
    } catch (error) {
      return { json: { error: String(error) } };
    }
  });
  return [await Promise.all(answers)];
};

const choose: Execute = async function () {
  const { conditions } = this.getNodeParameter('conditions', 0) as unknown as {
    conditions: { leftValue: boolean }[];
  };
  const isTrue = conditions.every(({ leftValue }) => leftValue);
  return isTrue ? [this.getInputData(), []] : [[], this.getInputData()];
};

const BASE_NODES: Record<string, INodeType> = Object.fromEntries(
  Object.entries({
    formTrigger: baseNode([], passOn),
    stickyNote: baseNode([], passOn),
    form: baseNode([], passOn),
    code: baseNode(['jsCode'], code),
    httpRequest: baseNode(['url'], request),
    if: baseNode(['conditions'], choose, 2),
  }).map(([name, type]) => [`n8n-nodes-base.${name}`, type]),
);
