import { safe } from '../../../builder/code/html';
import type { N8n } from '../../../builder/code/n8n';
import { rowsOf } from '../common/records/rows';
import { chartPanel, CHARTS_ZH } from './charts';
import type { Shown } from './count-and-judge';
import { tables, TABLES_ZH } from './tables';
import { voiceOf } from './voice';

/** Draws what stands below the figures of the page. */
export default function chartAndTables({ $, $input, DateTime }: N8n): { html: string } {
  const { asked, shown } = $input.first<Shown>().json;
  if (!shown) return { html: '' };
  const templates = rowsOf($('Names of templates').all());
  const voice = voiceOf(asked, { ...CHARTS_ZH, ...TABLES_ZH }, templates, DateTime);
  const { text } =
    safe`<div class="grid">${chartPanel(shown, voice, DateTime)}${tables(shown, voice)}</div>`;
  return { html: text };
}
