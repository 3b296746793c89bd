/** Returns a record as a picker of the editor stores it. Default: the mode "By ID". */
export const byId = (value: unknown, mode = 'id') => ({
  __rl: true,
  mode,
  value: String(value),
});

/** Resource → ID of its first record in the sandbox. */
export const FIRST_ID: Record<string, number> = {
  ...{ qualification: 101, signature: 201, template: 301, lead: 401 },
};
