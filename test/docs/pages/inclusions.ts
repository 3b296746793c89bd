import { GRACE_STEP_MS, GRACE_STEPS } from '../../../nodes/SmsMessagingService/receiving/handOver';
import * as ledger from '../../../nodes/SmsMessagingService/receiving/pageLedger';
import { MAX_POLLS_TOO_FAST } from '../../../nodes/SmsMessagingService/receiving/productionPoll';
import { PULL_TIMEOUT_MS } from '../../../nodes/SmsMessagingService/receiving/pullPage';
import * as turns from '../../../nodes/SmsMessagingService/receiving/pullTurns';
import { TRIGGER_OPTIONS } from '../../../nodes/SmsMessagingService/receiving/triggerFields';
import * as keyStore from '../../../nodes/SmsMessagingService/sending/keyStore';
import { VERSIONS } from '../../matrix/versions';
import { number } from './limits';

const versions = Object.keys(VERSIONS);

/** What guides say in the middle of a sentence: `<!-- name -->` before it, `<!-- / -->` behind. */
const INCLUDED: Record<string, string> = {
  oldestN8n: versions[0] ?? '',
  newestN8n: versions.at(-1) ?? '',
  pullSize: number(TRIGGER_OPTIONS.pullSize.default),
  pullTimeout: number(PULL_TIMEOUT_MS / 1000),
  handOver: number((GRACE_STEPS * GRACE_STEP_MS) / 1000),
  unconfirmedPages: String(ledger.MAX_UNCONFIRMED),
  tooFastWait: number(turns.TOO_FAST_WAIT_MS / 1000),
  pollsTooFast: number(MAX_POLLS_TOO_FAST),
  reportLost: number(ledger.REPORT_LOST_AFTER_MS / 60_000),
  keys: number(keyStore.MAX_KEYS),
};

/** The text of a guide with its inclusions as they are today. */
export function withInclusions(text: string): string {
  return text.replaceAll(
    /(<!-- (\w+) -->)[^]*?(<!-- \/ -->)/g,
    (_, start: string, name: string, end: string) => {
      const value = INCLUDED[name];
      if (value === undefined) throw new TypeError(`Nothing is called ${name}`);
      return `${start}${value}${end}`;
    },
  );
}
