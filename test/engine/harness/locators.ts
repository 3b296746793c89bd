/** A record as a picker of the editor stores it: by default as "By ID" does. */
export const byId = (value: unknown, mode = 'id') => ({
  __rl: true,
  mode,
  value: String(value),
});
