import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { createEditor } from './editor';
import { loadPackage } from './package';
import type { LoadOptions } from './package';
import { createPolling } from './poller';
import { createExecutor, createToolCaller } from './workflow';

export { ACTION, CREDENTIAL, TRIGGER } from './package';
export type { Poller, PollerOptions } from './poller';
export type { ExecuteOptions, ExecuteResult } from './workflow';

export type Harness = Awaited<ReturnType<typeof createHarness>>;

/**
 * Loads the built package into the real n8n-core: package loader, WorkflowExecute, ExecuteContext,
 * PollContext and poll executor, over real HTTP. Its environment variables must be set before n8n-core
 * loads: jest.config.js sets them for the tests, and the bench for its processes.
 *
 * @param data the data of the credential that the nodes use
 */
export async function createHarness(data: Record<string, unknown>, options: LoadOptions = {}) {
  const credential = data as ICredentialDataDecryptedObject;
  const loaded = await loadPackage(credential, options);
  return {
    ...loaded,
    ...createExecutor(loaded),
    ...createToolCaller(loaded),
    ...createPolling(loaded),
    ...createEditor(loaded, credential),
  };
}

/** Like `createHarness` in another process: loads the package again, with nothing of this one in memory. */
export async function createOtherHarness(data: Record<string, unknown>): Promise<Harness> {
  let other: Harness | undefined;
  await jest.isolateModulesAsync(async () => {
    other = await createHarness(data);
  });
  return other as Harness;
}
