import type { IPollFunctions } from 'n8n-workflow';

/*
 * What older versions of n8n do differently, and since which version n8n does what the rest of the
 * package expects. `npm run matrix` runs the tests with older versions.
 */

/** How long n8n lets this poll run, in milliseconds. Before 2.38 there is no limit. */
export function pollBudgetMs(context: IPollFunctions): number {
  return context.getPollBudgetMs?.() ?? Infinity;
}

/** Whether n8n's second engine runs this workflow. Before 2.0 there is none. */
export function isSecondEngine(context: IPollFunctions): boolean {
  return settingsOf(context).engineType === 'v2';
}

/** Whether the workflow's settings say that failed executions are saved. */
export function savesFailedExecutions(context: IPollFunctions): boolean {
  return settingsOf(context).saveDataErrorExecution === 'all';
}

function settingsOf(context: Partial<IPollFunctions>): Record<string, unknown> {
  return { ...context.getWorkflowSettings?.() };
}
