import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import type { PathsSeen } from '../../examples/src/service-check/which-paths-exist';
import type { Report } from '../../examples/src/service-check/report';
import { readExample } from '../kit/workflows/workflowFiles';
import { createHarness } from '../kit/engine';
import { N8nNodes } from './n8n';
import { runTemplate } from './run';

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
  language = 'English',
): Promise<Checked> {
  harness ??= createHarness({}, { otherNodes: new N8nNodes().types });
  const entry = {
    'Base URL': `${String(credential.baseUrl)}/`,
    Language: language,
  };
  const { error, output } = await runTemplate(
    await harness,
    readExample('service-check'),
    'First contact',
    [entry],
    () => credential as ICredentialDataDecryptedObject,
  );
  if (error) throw new Error(error);
  return {
    report: output('Report')[0] as unknown as Report,
    paths: output('Which paths exist')[0] as unknown as PathsSeen,
    page: String(output('Page')[0]?.page),
  };
}
