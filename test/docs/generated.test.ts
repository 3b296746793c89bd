import { writeFileSync } from 'node:fs';
import { GRACE_STEP_MS, GRACE_STEPS } from '../../nodes/SmsMessagingService/n8n/executions';
import * as ledger from '../../nodes/SmsMessagingService/receiving/ledger';
import * as turns from '../../nodes/SmsMessagingService/receiving/pullTurns';
import * as told from '../../nodes/SmsMessagingService/receiving/told';
import {
  MAX_PULL_TIMEOUT_MS,
  TRIGGER_OPTIONS,
} from '../../nodes/SmsMessagingService/receiving/triggerFields';
import { RESOURCES } from '../../nodes/SmsMessagingService/resources/index';
import * as keyStore from '../../nodes/SmsMessagingService/sending/keyStore';
import { USUAL_PER_NUMBER } from '../../nodes/SmsMessagingService/sending/repeatedNumbers';
import { LONG_SEGMENT, SINGLE_SEGMENT } from '../../nodes/SmsMessagingService/sending/text';
import { VERSIONS } from '../matrix/versions';
import { fileOf, PAGES, read } from '../kit/files';
import { number } from './pages/limits';
import { OPERATIONS } from './pages/operations';
import { messageLife, recordLife } from '../kit/lives';

/** What is generated is what is committed. `npm run docs` runs this to write it. */

const versions = Object.keys(VERSIONS);

/** What pages say between `<!-- name -->` and `<!-- / -->`: in the middle of a sentence, or whole parts of one. */
const INCLUDED: Record<string, string> = {
  oldestN8n: versions[0] ?? '',
  newestN8n: versions.at(-1) ?? '',
  pullSize: number(TRIGGER_OPTIONS.pullSize.default),
  pullTimeout: number(TRIGGER_OPTIONS.timeout.default / 1000),
  handOver: number((GRACE_STEPS * GRACE_STEP_MS) / 1000),
  unconfirmed: String(ledger.MAX_UNCONFIRMED),
  tooFastWait: number(turns.TOO_FAST_WAIT_MS / 1000),
  pollsTooFast: number(told.MAX_POLLS_TOO_FAST),
  pollsBehind: number(told.MAX_POLLS_BEHIND),
  pollsRepeated: number(told.MAX_POLLS_REPEATED),
  maxTimeout: number(MAX_PULL_TIMEOUT_MS / 1000),
  reportLost: number(ledger.REPORT_LOST_AFTER_MS / 60_000),
  lifeOfMessage: `\n\n${messageLife()}\n\n`,
  lifeOfRecord: `\n\n${recordLife()}\n\n`,
  keys: number(keyStore.MAX_KEYS),
  perNumber: String(USUAL_PER_NUMBER),
  ...Object.fromEntries(
    Object.entries(OPERATIONS).map(([name, part]) => [name, `\n\n${part()}\n\n`]),
  ),
  segment: number(SINGLE_SEGMENT),
  longSegment: number(LONG_SEGMENT),
};

/** The text of a guide with its inclusions as they are today. */
const withInclusions = (guide: string) =>
  read(guide).replaceAll(
    /(<!-- (\w+) -->)[^]*?(<!-- \/ -->)/g,
    (_, start: string, name: string, end: string) => {
      const value = INCLUDED[name];
      if (value === undefined) throw new TypeError(`Nothing is called ${name}`);
      return `${start}${value}${end}`;
    },
  );

/** The module with the paths of the inferred operations, for the service check. */
function inferredPaths(): string {
  const lines = RESOURCES.flatMap(({ option, operations }) => {
    const endpoints = operations.filter(({ endpoint }) => endpoint.isGuess);
    const paths = new Set(endpoints.map(({ endpoint }) => endpoint.path));
    return [...paths].map((at) => {
      const same = endpoints.filter(({ endpoint }) => endpoint.path === at);
      const names = same.map((operation) => operation.option.name).join(', ');
      return `  { path: '${at}', operations: '${option.name}: ${names}' },\n`;
    });
  });
  return `/** The operations whose paths the specification does not show. Made by \`npm run docs\`. */
export const INFERRED = [
${lines.join('')}];
`;
}

const GUIDES = PAGES.filter((page) => read(page).includes('<!-- / -->'));

test.each<[string, (name: string) => string]>([
  ['examples/src/service-check/inferred.ts', inferredPaths],
  ...GUIDES.map((file): [string, typeof withInclusions] => [file, withInclusions]),
])('%s is up to date: npm run docs', (name, generate) => {
  const text = generate(name);
  if (process.env.WRITE_DOCS) writeFileSync(fileOf(name), text);
  expect(read(name)).toBe(text);
});
