import { createRequire } from 'node:module';

/** Starts the expression engine as n8n's start command does, with the defaults of n8n's own settings. */
export async function startProductionEngine(): Promise<void> {
  const { Expression } = await import('n8n-workflow');
  const { ExpressionEngineConfig } = createRequire(require.resolve('n8n-core'))('@n8n/config') as {
    ExpressionEngineConfig: new () => Parameters<typeof Expression.initExpressionEngine>[0];
  };
  await Expression.initExpressionEngine({ ...new ExpressionEngineConfig(), engine: 'vm' });
  const active = Expression.getActiveImplementation();
  if (active !== 'vm') throw new Error(`The expression engine is ${active}`);
}
