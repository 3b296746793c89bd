import { errorsIn } from '../common/records/rows';
import { thresholdsIn } from '../common/messages/thresholds';
import { unsentOf } from '../common/messages/unsent';
import { safe } from '../../../builder/code/html';
import type { N8n } from '../../../builder/code/n8n';
import { alertsOf, ALERTS_ZH, perDay } from './alerts';
import { chartPanel, CHARTS_ZH } from './charts';
import type { Counted } from './counted';
import { tables, TABLES_ZH } from './tables';
import { voiceOf } from './voice';
import type { Asked } from './what-was-asked';

export type Shown = ReturnType<typeof countAndJudge>;

/** Judges what PostgreSQL has counted, and draws what stands below the figures of the page. */
export default function countAndJudge({ $, DateTime }: N8n) {
  const asked = $('What was asked').first<Asked>().json;
  const problems = errorsIn($('Count them').all());
  const { shown } = $('Count them').first<{ shown?: Counted }>().json;
  if (!shown) return { asked, problems, shown, drawn: '' };
  const thresholds = thresholdsIn((shown.thresholds ?? []).map((json) => ({ json })));
  const sends = (shown.unsent ?? []).map(({ why, ...each }) => ({ ...each, ...why }));
  const zh = { ...ALERTS_ZH, ...CHARTS_ZH, ...TABLES_ZH };
  const voice = voiceOf(asked, zh, shown.names, DateTime);
  const { text: drawn } =
    safe`<div class="grid">${chartPanel(shown, voice, DateTime)}${tables(shown, voice)}</div>`;
  return {
    ...{ asked, problems, drawn },
    shown: {
      // Of another time, the last 24 hours are not counted.
      ...{ ...shown, thresholds, perDay: shown.isNow ? perDay(shown, asked) : 0 },
      unsent: unsentOf(sends, thresholds),
      alerts: shown.isNow ? alertsOf(shown, thresholds, voice) : [],
    },
  };
}
