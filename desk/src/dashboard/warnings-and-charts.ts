import { rowsOf } from '../common/records/days';
import type { Item, N8n } from '../../../builder/code/n8n';
import { CHARTS_ZH, chartPanels } from './charts';
import type { Shown } from './count-and-judge';
import { safe } from '../../../builder/code/html';
import { strip, WARNINGS_ZH } from './strip';
import { voiceOf } from './voice';

/** Parts of the page, as HTML. */
export interface Parts {
  warnings: string;
  charts: string;
}

/** Writes what is wrong, and draws the charts. */
export default function warningsAndCharts({ $, $input, DateTime }: N8n): Item<Parts>[] {
  const shown = $input.first<Shown>().json;
  const templates = rowsOf($('Names of templates').all());
  const voice = voiceOf(shown.asked, { ...WARNINGS_ZH, ...CHARTS_ZH }, templates, DateTime);
  const warnings = strip(shown.findings, shown.problems.length === 0, voice);
  const charts = chartPanels(shown, voice, DateTime);
  return [{ json: { warnings: safe`${warnings}`.text, charts: safe`${charts}`.text } }];
}
