import { LEAD } from '../../nodes/SmsMessagingService/resources/lead/record';
import { QUALIFICATION } from '../../nodes/SmsMessagingService/resources/qualification/record';
import { contractOperations } from '../sandbox/contract';
import { PERSONALITIES } from '../sandbox/personalities';
import { EXAMPLES, read } from './files';
import { constant, numberIn } from './numbers';
import type { Fact } from './numbers';

/** The versions of n8n that `npm run matrix` knows. */
const VERSIONS = [...read('test/matrix/main.ts').matchAll(/^ {2}'([\d.]+)': '/gm)].map(
  ([, name = '']) => name,
);

/** What the pages count: records' fields, operations, workflows, versions, and what the suites do. */
export const COUNTS: Record<string, Fact> = {
  'fields of a simple qualification': {
    says: [/Simplify .* leaves (\S+) fields/, /by default (\S+), without identity card/],
    is: QUALIFICATION.output?.simple.length ?? 0,
  },
  'fields of a simple lead': {
    says: [/Simplify .* leaves (\S+) fields/],
    is: LEAD.output?.simple.length ?? 0,
  },
  'operations of the service that are inferred': {
    says: [
      /Of (\S+) operations the specification shows only/,
      /request signature and (\S+) operations/,
    ],
    is: contractOperations().filter(({ inferred }) => inferred).length,
  },
  'workflows to import': {
    says: [/^(\S+): inbox, notifications/],
    is: EXAMPLES.length,
  },
  'made-up providers': {
    says: [/(\d+) made-up providers/, /shows (\d+) that were made up/],
    is: PERSONALITIES.length,
  },
  'days of events in the inbox': {
    says: [/older than (\d+) days/],
    is: numberIn('examples/inbox.json', /"name": "days", "value": (\d+)/),
  },
  'sends and events on the dashboard': {
    says: [/At most the latest (\S+) sends and events/],
    is: constant('examples/code/delivery-dashboard/Figures.js', 'MOST'),
  },
  'messages in a portion of the campaign': {
    says: [/^(\S+) every 10 s: 3,000 a minute/, /interval: (\S+) every 10 seconds/],
    is: numberIn('examples/campaign.json', /"portion_size", "value": (\d+)/),
  },
  'messages in a portion on PostgreSQL': {
    says: [/^(\S+) every 10 s: 6,000 a minute/],
    is: numberIn('examples/campaign-postgres.json', /"portion_size", "value": (\d+)/),
  },
  'seconds by which the clock of the sandbox may differ': {
    says: [/timestamp \(at most (\d+) s from now\)/],
    is: constant('test/sandbox/signature.ts', 'WINDOW_SECONDS'),
  },
  'histories that npm run search tries': {
    says: [/runs (\S+) random histories/],
    is: numberIn('package.json', /SEARCH_RUNS:-(\d+)/),
  },
  'percent below which npm run mutation fails': {
    says: [/fails below (\d+) %/],
    is: numberIn('test/mutation/stryker.config.json', /"break": (\d+)/),
  },
  'the oldest n8n': {
    says: [
      /n8n (\d+\.\d+) (?:or newer|to \d)/,
      /oldest n8n is (\d+\.\d+)/,
      /n8n (\d+\.\d+) 或更新/,
    ],
    is: VERSIONS[0] ?? '',
  },
  'the newest n8n': { says: [/n8n \d+\.\d+ to (\d+\.\d+)/], is: VERSIONS.at(-1) ?? '' },
  'the oldest Node.js': {
    says: [/Node\.js (\d+\.\d+) or newer/],
    is: /"node": ">=([\d.]+)"/.exec(read('package.json'))?.[1] ?? '',
  },
};
