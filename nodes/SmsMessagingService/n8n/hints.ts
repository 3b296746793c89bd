import type { IExecuteFunctions } from 'n8n-workflow';

/** Shows a hint beside the output. n8n before 1.101 shows none for a tool. */
export function showHint(context: IExecuteFunctions, message: string): void {
  const { addExecutionHints } = context as Partial<IExecuteFunctions>;
  addExecutionHints?.call(context, { type: 'warning', location: 'outputPane', message });
}
