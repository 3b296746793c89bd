import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import prettier from 'eslint-config-prettier';
import { createNodeResolver, importX } from 'eslint-plugin-import-x';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import tseslint from 'typescript-eslint';

/** The rules of one of the older plugin's groups, as errors. */
const nodesBaseRules = (group) => n8nNodesBase.configs[group].rules;

/**
 * The rooms of nodes/, each with the rooms that stand beside it. A room imports from the rooms before it
 * and from no other, so that the order in docs/build/architecture.md stays.
 */
const ROOMS = [
  ['n8n'],
  ['service'],
  ['parameters'],
  ['operations'],
  ['sending', 'receiving'],
  ['resources'],
  ['methods'],
];

/** The desk is a package of its own: it uses the nodes through one door, and they know nothing of it. */
const NO_DESK = { regex: '^(\\.\\./)+desk(/|$)', message: 'The nodes never import the desk.' };

const importDirection = ROOMS.flatMap((neighbours, level) =>
  neighbours.map((room) => {
    const forbidden = ROOMS.slice(level)
      .flat()
      .filter((other) => other !== room);
    const allowed = ROOMS.slice(0, level)
      .flat()
      .map((other) => `${other}/`)
      .join(', ');
    const message = `${room}/ imports only from ${allowed || 'no other room'}.`;
    return {
      files: [`nodes/SmsMessagingService/${room}/**/*.ts`],
      rules: {
        'no-restricted-imports': [
          'error',
          {
            patterns: [
              { group: [...forbidden.map((other) => `**/${other}/**`), '**/*.node'], message },
              NO_DESK,
            ],
          },
        ],
      },
    };
  }),
);

const twoPackages = [
  {
    files: ['{nodes,credentials,builder,examples}/**/*.ts', 'test/{sandbox,matrix,tools}/**/*.ts'],
    rules: { 'no-restricted-imports': ['error', { patterns: [NO_DESK] }] },
  },
  {
    files: ['desk/**/*.{ts,mjs}'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '^(\\.\\./)+(nodes/SmsMessagingService|credentials|examples|icons)/',
              message: 'What the desk uses of the nodes is in desk/src/nodes/.',
            },
            {
              regex: '^(\\.\\./)+test/(?!(kit|sandbox|e2e|bench)/)',
              message: 'Tests import from test/kit/, and from what they test.',
            },
          ],
        },
      ],
    },
  },
  { files: ['desk/src/nodes/*.ts'], rules: { 'no-restricted-imports': 'off' } },
];

/** The suites of tests, and the programs beside them. Each imports from test/kit/ and from what it tests. */
const SUITES = ['bench', 'demo', 'docs', 'e2e', 'engine', 'package', 'search', 'templates'];

const suitesApart = [...SUITES, 'kit'].map((suite) => {
  // The end-to-end suite tests both packages. A room of the kit may have the name of a suite.
  const others = SUITES.filter((each) => each !== suite);
  if (suite !== 'e2e') others.push('desk/(?!kit/)');
  const up = suite === 'kit' ? '{2,}' : '+';
  const regex = `^(\\.\\./)${up}(${others.join('|')})(/|$)`;
  const message = 'What two suites need is in test/kit/.';
  return {
    files: [`test/${suite}/**/*.ts`],
    rules: { 'no-restricted-imports': ['error', { patterns: [{ regex, message }] }] },
  };
});

export default tseslint.config(
  {
    ignores: ['dist/', 'coverage/', '.demo/', '.e2e/', '.cache/', '**/node_modules/'],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strict, tseslint.configs.stylistic],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
    },
  },
  {
    files: ['**/*.ts'],
    plugins: { 'import-x': importX },
    settings: {
      'import-x/extensions': ['.ts'],
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts'] },
      'import-x/resolver-next': [createNodeResolver({ extensions: ['.ts', '.js'] })],
    },
    rules: { 'import-x/no-cycle': 'error' },
  },
  // n8n's own rules for what ships, so that they show while it is written; `npm run lint:n8n` is the whole of
  // n8n's linter. They hold without exception: the package scanner of n8n ignores inline suppressions, so this
  // configuration refuses them too.
  {
    files: ['nodes/**/*.ts', 'credentials/**/*.ts'],
    extends: [n8nCommunityNodesPlugin.configs.recommended],
    linterOptions: { noInlineConfig: true },
    rules: { 'no-console': 'error' },
  },
  {
    files: ['{nodes,credentials,builder,desk/src}/**/*.ts', 'desk/*.mjs'],
    rules: { complexity: ['error', 11] },
  },
  {
    files: ['package.json'],
    extends: [n8nCommunityNodesPlugin.configs.recommended],
    plugins: { 'n8n-nodes-base': n8nNodesBase },
    rules: nodesBaseRules('community'),
    languageOptions: { parser: tseslint.parser, parserOptions: { extraFileExtensions: ['.json'] } },
  },
  {
    files: ['credentials/**/*.ts'],
    plugins: { 'n8n-nodes-base': n8nNodesBase },
    rules: {
      ...nodesBaseRules('credentials'),
      // n8n's own tooling switches these off: the first is for nodes inside n8n's repository, and the
      // second is superseded by credential-password-field.
      'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
      'n8n-nodes-base/cred-class-field-type-options-password-missing': 'off',
    },
  },
  {
    files: ['nodes/**/*.ts'],
    plugins: { 'n8n-nodes-base': n8nNodesBase },
    rules: {
      ...nodesBaseRules('nodes'),
      // Likewise off in n8n's own tooling.
      'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
      'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
      'n8n-nodes-base/node-param-type-options-max-value-present': 'off',
    },
  },
  ...twoPackages,
  ...importDirection,
  ...suitesApart,
  prettier,
);
