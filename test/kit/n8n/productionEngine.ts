import { createRequire } from 'node:module';
import type * as N8nWorkflow from 'n8n-workflow';

/** The copy of n8n-workflow whose engine evaluates. An `import` in a test process loads another one. */
const fromCore = createRequire(require.resolve('n8n-core'));

/**
 * Starts the expression engine `vm` with n8n's default settings, as `n8n start` does.
 *
 * @throws Error if an expression is then evaluated by another engine
 */
export async function startProductionEngine(): Promise<void> {
  const { Expression } = fromCore('n8n-workflow') as typeof N8nWorkflow;
  const { ExpressionEngineConfig } = fromCore('@n8n/config') as {
    ExpressionEngineConfig: new () => Parameters<typeof Expression.initExpressionEngine>[0];
  };
  await Expression.initExpressionEngine({ ...new ExpressionEngineConfig(), engine: 'vm' });
  const expression = new Expression('UTC');
  const sum = await expression.withIsolate(async () =>
    Promise.resolve(expression.resolveSimpleParameterValue('={{ 1 + 1 }}', {} as never)),
  );
  const active = Expression.getActiveImplementation();
  if (active !== 'vm' || sum !== 2) throw new Error(`The expression engine is ${active}`);
}
