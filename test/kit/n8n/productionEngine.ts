import { createRequire } from 'node:module';

/**
 * Starts the expression engine `vm` with n8n's default settings, as `n8n start` does.
 *
 * @throws Error when another engine is active afterwards
 */
export async function startProductionEngine(): Promise<void> {
  const { Expression } = await import('n8n-workflow');
  const { ExpressionEngineConfig } = createRequire(require.resolve('n8n-core'))('@n8n/config') as {
    ExpressionEngineConfig: new () => Parameters<typeof Expression.initExpressionEngine>[0];
  };
  await Expression.initExpressionEngine({ ...new ExpressionEngineConfig(), engine: 'vm' });
  const active = Expression.getActiveImplementation();
  if (active !== 'vm') throw new Error(`The expression engine is ${active}`);
}
