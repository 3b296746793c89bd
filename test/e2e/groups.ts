/**
 * The groups of the suite, in the order in which they run. Each is a file `<name>.spec.ts`, or several with
 * another word before `.spec.ts`.
 */
const ALL = [
  // The first one: it is a new user's, in an n8n that has nothing else in it.
  'readme',
  'templates',
  'otherTemplates',
  'phones',
  'sending',
  'passedOn',
  'outbox',
  'sendTemplate',
  'setup',
  'forms',
  'canvas',
  'trigger',
  'attackedTemplates',
  'inbox',
  'status',
  'conversations',
  'expressions',
  'dashboard',
  'threads',
  'alerts',
  'serviceCheck',
  'campaign',
  'queue',
  // The last one: it searches what all others have left.
  'security',
];

/** What no test without n8n can show, in the time that CI has. */
const IN_CI = ['readme', 'sending', 'trigger', 'queue', 'security'];

/** What E2E_GROUPS chooses. The rest has the search of what is left, too. */
const CHOICES: Record<string, string[]> = {
  all: ALL,
  ci: ALL.filter((name) => IN_CI.includes(name)),
  rest: ALL.filter((name) => !IN_CI.includes(name) || name === 'security'),
};

export const chosen = process.env.E2E_GROUPS ?? 'all';

/** The groups of this run. */
export function groups(): string[] {
  const found = CHOICES[chosen];
  if (!found) {
    throw new Error(`E2E_GROUPS is ${chosen}, and can be ${Object.keys(CHOICES).join(', ')}.`);
  }
  return found;
}
