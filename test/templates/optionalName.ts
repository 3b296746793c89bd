/** A function that may not stand in an expression. */
export const valueOf = (from: Record<string, unknown> | undefined, name: string): unknown =>
  from?.[name];
