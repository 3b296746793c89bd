import { table } from '../docs/pages/markdown';
import { PERSONALITIES } from '../sandbox/personalities';
import type { Contact } from './campaign';
import { CAPABILITIES } from './capabilities';

const GROUPS = [...new Set(CAPABILITIES.map(({ group }) => group))];

const INTRODUCTION = `# SMS providers that differ

The specification leaves much open, so two SMS providers may differ and both be right. This page shows ${PERSONALITIES.length} that were made up. Each differs in one way from what the nodes expect. \`npx jest test/personalities\` tries all ${CAPABILITIES.length} capabilities of the nodes with each of them, in n8n's real engine, and writes this page (\`npm run docs\`).

- ✓: works as it is.
- A name: the first try fails, changes nothing, and its error or notice names this setting. With the setting it works.

[Check the service](../run/provider.md#check-before-the-first-send) finds out what your own provider is like. [not-shown.md](../reference/not-shown.md) lists every guess.
`;

/** The page docs/build/personalities.md. */
export function describeContacts(contacts: Map<string, Contact[]>): string {
  const rows = [...contacts].map(([name, met]) => [
    `\`${name}\``,
    ...GROUPS.map((group) => describe(met.filter(({ capability }) => capability.group === group))),
  ]);
  const members = GROUPS.map((group) => {
    const names = CAPABILITIES.filter((each) => each.group === group).map(({ name }) => name);
    return `- ${group}: ${names.join(', ')}`;
  });
  const says = PERSONALITIES.map((each) => `- \`${each.name}\`: ${each.says}`);
  return [
    INTRODUCTION,
    table(['Provider', ...GROUPS], rows),
    '',
    '## The providers',
    '',
    '`npm run sandbox -- --personality <name>,<name>` starts one with several of these.',
    '',
    ...says,
    '',
    '## The capabilities',
    '',
    ...members,
    '',
  ].join('\n');
}

function describe(contacts: Contact[]): string {
  const cells = contacts.map(({ settings }) =>
    settings.length === 0 ? '✓' : settings.map((name) => `**${name}**`).join(' '),
  );
  return [...new Set(cells)].join(', ');
}
