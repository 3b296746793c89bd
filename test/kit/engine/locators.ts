/** Returns a record as a picker of the editor stores it. Default: the mode "By ID". */
export const byId = (value: unknown, mode = 'id') => ({
  __rl: true,
  mode,
  value: String(value),
});
